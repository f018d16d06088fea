"""Data files of every format that is read, by mutation, and crafted ones."""

import io
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from similearn import Pairwise, read_objects, read_pairwise
from tests.fuzz.crafted_files import CRAFTED
from tests.fuzz.drawing import Draw
from tests.fuzz.mutations import damaged
from tests.fuzz.outcomes import BrokenPromise, require_finite
from tests.fuzz.seed_files import FORMATS, problem, seeds


def play(form: str, d: Draw) -> None:
    """Damage a file of a format, and read it."""
    crafted = CRAFTED.get(form)
    if crafted and d.chance(0.05):
        chosen = d.pick(list(crafted))
        d.tell(f"crafted: {chosen}")
        name, content = crafted[chosen]
        content = content() if callable(content) else content
    else:
        name = d.pick(FORMATS[form])
        d.tell(name)
        content = damaged(d, seeds(name))
    path = Path("block" + name[name.index(".") :])
    _put(path, content, as_folder=name.startswith("folder"))
    try:
        READ.get(form, _read_block)(d, path)
    finally:
        if Path("harmed").exists():
            raise BrokenPromise("ran", f"what a file of the format {form} holds")


def _put(path: Path, content: bytes, as_folder: bool) -> None:
    """Write a file; an archive that stands for a folder becomes one."""
    if not as_folder:
        path.write_bytes(content)
        return
    path.mkdir()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                part = path / name.replace("..", "_").lstrip("/")
                part.parent.mkdir(parents=True, exist_ok=True)
                part.write_bytes(archive.read(name))
    except Exception:  # the archive itself is damaged: no more of the folder than this
        (path / "zarr.json").write_bytes(content[:1000])


def _read_block(d: Draw, path: Path) -> None:
    if d.chance(0.1):
        Path("block.labels.csv").write_bytes(damaged(d, seeds("labels.csv")))
    options: dict[str, Any] = {"kind": d.pick([None, "similarity", "similarity", "dissimilarity"])}
    if d.fault(0.3):
        options["missing"] = d.pick(["zero", "error", "unknown"])
    if d.fault(0.2):
        options["part"] = d.pick(["train", "test", "S", "z", "", "obsp/distances"])
    if d.fault(0.2):
        options["score"] = d.pick(["bits", "evalue", "identity", 3, 4, 0, -1, "x", "", 10**30])
    if d.fault(0.2):
        options["references"] = d.pick([["s0", "s3"], [f"s{i}" for i in range(8)], [], ["z"]])
    if d.fault(0.2):
        options["directed"] = d.pick([True, False])
    if d.fault(0.1):
        options["format"] = d.pick(["table", "pairs", "hits", "phylip", "numpy", "r", "mega", "x"])
    if path.suffix in (".h5ad", ".zarr") and d.chance(0.5):
        options["labels"] = d.pick(["ct", "ct", "_index", "nothing"])
    d.tell(f"read_pairwise({options})")
    judge(read_pairwise(path, **options))


def _read_labels(d: Draw, path: Path) -> None:
    np.save("matrix.npy", problem()[0])
    judge(read_pairwise("matrix.npy", kind="similarity", labels=path))


def _read_objects(d: Draw, path: Path) -> None:
    options: dict[str, Any] = {}
    if d.fault(0.3):
        options["what"] = d.pick(["sequences", "strings", "smiles", "sets", "series", "numbers"])
    if d.fault(0.2):
        options["format"] = d.pick(["fasta", "fastq", "json", "parquet", "table", "list"])
    if d.fault(0.2):
        options["column"] = d.pick(["text", "x", "1", "", ["x", "z"], ["text"], [], 3, None])
    if d.fault(0.2):
        options["labels"] = d.pick(["label", "id", "nothing", "block.labels.csv", list("ab") * 4])
    d.tell(f"read_objects({options})")
    found = read_objects(path, **options)
    if not len(found.objects):
        raise BrokenPromise("labels", "read_objects", "no objects")
    if found.what == "numbers":
        require_finite(found.objects, "read_objects")
    _judge_labels(found.labels, len(found.objects))


READ = {"labels": _read_labels, "objects": _read_objects}
PLAYS = {form: partial(play, form) for form in FORMATS}


def judge(found: Any) -> None:
    """Refuse blocks that no reader may give."""
    block, y = found
    if not isinstance(block, Pairwise) or 0 in block.shape:
        raise BrokenPromise("labels", "read_pairwise", f"{block!r}")
    for values in (block.values, block.reverse, block.self_values):
        if values is not None:
            require_finite(values, "read_pairwise")
        if sparse.issparse(values):
            values.check_format(full_check=True)
    _judge_labels(y, len(block))


def _judge_labels(y: Any, n: int) -> None:
    if y is not None and (len(y) != n or y.dtype.kind not in "biuUfO"):
        raise BrokenPromise("labels", "labels of a file", f"{len(y)} labels of type {y.dtype}")
    if y is not None and y.dtype.kind == "f":
        require_finite(y, "labels of a file")
