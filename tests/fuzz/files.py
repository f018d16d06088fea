"""Data files of every format that is read, by mutation, and crafted ones."""

import gzip
import io
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from similearn import Pairwise, read_pairwise, write_pairwise
from tests.fuzz.drawing import Draw
from tests.fuzz.mutations import damaged, packed
from tests.fuzz.outcomes import BrokenPromise, require_finite

N = 8


def play(d: Draw) -> None:
    """Damage a file of some format, and read it."""
    name = d.pick(list(SEEDS))
    if d.chance(0.12):
        crafted = d.pick(list(CRAFTED))
        d.tell(f"crafted: {crafted}")
        name, content = CRAFTED[crafted]
        content = content() if callable(content) else content
    else:
        d.tell(name)
        content = damaged(d, seeds(name))
    path = Path("block" + name[name.index(".") :])
    path.write_bytes(content)
    beside = "labels" in name
    if beside:
        np.save("matrix.npy", problem()[0])
    elif d.chance(0.1):
        Path("block.labels.csv").write_bytes(damaged(d, seeds("labels.csv")))
    options: dict[str, Any] = {"kind": d.pick([None, "similarity", "similarity", "dissimilarity"])}
    if d.chance(0.2):
        options["missing"] = d.pick(["zero", "error"])
    if d.chance(0.1):
        options["part"] = d.pick(["train", "test", "S", "z", ""])
    d.tell(f"read_pairwise({options})")
    judge(read_pairwise("matrix.npy", kind="similarity", labels=path) if beside else
          read_pairwise(path, **options))  # fmt: skip


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
    if y is not None and (len(y) != len(block) or y.dtype.kind not in "biuUfO"):
        raise BrokenPromise("labels", "read_pairwise", f"{len(y)} labels of type {y.dtype}")
    if y is not None and y.dtype.kind == "f":
        require_finite(y, "labels of read_pairwise")


@cache
def problem() -> tuple[Any, Any]:
    """A block of similarities and its labels."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    A = rng.random((N, N))
    return (A + A.T) / 2 + (y[:, None] == y), y


def _npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _sparse_npz(form: str) -> bytes:
    out = io.BytesIO()
    S = problem()[0]
    sparse.save_npz(out, sparse.coo_array(np.where(S > 0.5, S, 0)).asformat(form))
    return out.getvalue()


def _written(form: str) -> bytes:
    """What our own writer makes of everything that a block can hold."""
    S, y = problem()
    ids = np.array([f"s{i}" for i in range(N)])
    values = sparse.csr_array(np.where(S > 0.5, S, 0)) if form == "sparse" else S
    block = Pairwise(values, "similarity", values, np.ones(N), ids, ids, False)
    path = write_pairwise("written.npz", block, y)
    content = path.read_bytes()
    path.unlink()
    return content


def _mat(content: dict[str, Any], **options: Any) -> bytes:
    out = io.BytesIO()
    scipy_io.savemat(out, content, **options)
    return out.getvalue()


def _mtx(matrix: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    scipy_io.mmwrite(out, matrix, **options)
    return out.getvalue()


def _table(separator: str = ",", ids: bool = True) -> bytes:
    S, y = problem()
    rows = [separator.join(map(str, row)) for row in S]
    if not ids:
        return "\n".join(rows).encode()
    head = separator.join(["id", *(f"s{i}" for i in range(N)), "label"])
    rows = [f"s{i}{separator}{row}{separator}{y[i]}" for i, row in enumerate(rows)]
    return "\n".join([head, *rows, ""]).encode()


def _labels() -> bytes:
    return b"id,label\n" + b"".join(b"s%d,class %d\n" % (i, i % 2) for i in range(N))


def _phylip(widths: Any) -> bytes:
    """A square, or a lower triangle, of PHYLIP."""
    square = N in widths
    rows = [" ".join(map(str, S()[i, : N if square else i])) for i in range(N)]
    return f"{N}\n".encode() + "".join(f"s{i} {row}\n" for i, row in enumerate(rows)).encode()


def _triangle(mark: bytes) -> bytes:
    names = b"".join(b"%bs%d\n" % (mark, i) for i in range(N))
    rows = [" ".join(map(str, S()[i, :i])) for i in range(1, N)]
    return names + "".join(f"{row}\n" for row in rows).encode()


def _pairs(mark: bytes, cells: bytes = b"") -> bytes:
    pairs = [(i, j) for i in range(N) for j in range(i)]
    told = [cells or mark + b"%.3f" % S()[i, j] for i, j in pairs]
    return b"".join(
        b"s%d%bs%d%b\n" % (i, mark, j, c) for (i, j), c in zip(pairs, told, strict=True)
    )


@cache
def seeds(name: str) -> bytes:
    """The undamaged file."""
    return SEEDS[name]()


def S() -> Any:
    return problem()[0]


SEEDS = {
    "plain.npz": lambda: _npz(S=S(), y=problem()[1], kind="similarity"),
    "parts.npz": lambda: _npz(S_train=S(), S_test=S()[:3], y_train=problem()[1], y_test=[0, 1, 0]),
    "written.npz": lambda: _written("dense"),
    "written sparse.npz": lambda: _written("sparse"),
    "csr.npz": lambda: _sparse_npz("csr"),
    "csc.npz": lambda: _sparse_npz("csc"),
    "coo.npz": lambda: _sparse_npz("coo"),
    "array.npy": lambda: _npy(S()),
    "small.npy": lambda: _npy(S().astype(np.float32)),
    "plain.mat": lambda: _mat({"S": S(), "y": problem()[1]}),
    "packed.mat": lambda: _mat({"D": S(), "labels": problem()[1]}, do_compression=True),
    "cells.mat": lambda: _mat({"S": S(), "y": np.array(["a", "b"] * 4, dtype=object)}),
    "sparse.mat": lambda: _mat({"S": sparse.csc_array(S()), "kind": "similarity"}),
    "struct.mat": lambda: _mat({"S": S(), "info": {"a": 1, "b": {"c": "d"}}}),
    "old.mat": lambda: _mat({"S": S(), "y": problem()[1]}, format="4"),
    "table.csv": _table,
    "bare.csv": lambda: _table(ids=False),
    "table.tsv": lambda: _table("\t"),
    "table.csv.gz": lambda: gzip.compress(_table()),
    "table.tsv.gz": lambda: gzip.compress(_table("\t")),
    "full.mtx": lambda: _mtx(S()),
    "coordinate.mtx": lambda: _mtx(sparse.coo_array(np.where(S() > 0.5, S(), 0))),
    "symmetric.mtx": lambda: _mtx(sparse.coo_array(S()), symmetry="symmetric"),
    "pattern.mtx": lambda: _mtx(sparse.coo_array(S() > 1), field="pattern"),
    "packed.mtx.gz": lambda: gzip.compress(_mtx(sparse.coo_array(S()))),
    "square.phy": lambda: _phylip(range(1, N + 1)),
    "triangle.phy": lambda: _phylip(range(N)),
    "plain.meg": lambda: b"#mega\n!Title x;\n" + _triangle(b"#"),
    "pairs.edgelist": lambda: _pairs(b" "),
    "pairs.txt": lambda: b"source\ttarget\tweight\n" + _pairs(b"\t"),
    "hits.m8": lambda: _pairs(b"\t", b"\t90\t9" + b"\t1" * 6 + b"\t1e-9\t55.5"),
    "labels.csv": _labels,
    "labels.txt": lambda: b"".join(b"class %d\n" % (i % 2) for i in range(N)),
    "labels.tsv.gz": lambda: gzip.compress(_labels().replace(b",", b"\t")),
    "labels.npy": lambda: _npy(problem()[1]),
}


def _header(shape: str, descr: str = "<f8") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def _sizes(form: str, shape: list[int], *parts: Any) -> bytes:
    names = ("row", "col") if form == "coo" else ("indices", "indptr")
    arrays = dict(zip(names, map(np.asarray, parts), strict=True))
    return _npz(format=form.encode(), shape=shape, data=np.ones(len(parts[0])), **arrays)


BOMB = gzip.compress(b"0," * 2_000_000) * 400  # 1.6 GB, on one line
LONG_BOMB = gzip.compress(b"0\n" * 2_000_000) * 400
COORDINATE = b"%%MatrixMarket matrix coordinate real general\n"
# Sizes that a file declares and does not hold, and structures that lead out of bounds.
CRAFTED: dict[str, tuple[str, Any]] = {
    "bomb in one line": ("x.csv.gz", BOMB),
    "bomb of lines": ("x.csv.gz", LONG_BOMB),
    "bomb of labels": ("labels.txt.gz", LONG_BOMB),
    "bomb.mtx.gz": ("x.mtx.gz", gzip.compress(COORDINATE) + BOMB),
    "mtx of 10^18": ("x.mtx", COORDINATE + b"1000000000 1000000000 1\n1 1 1\n"),
    "mtx of many entries": ("x.mtx", COORDINATE + b"9 9 999999999999\n1 1 1\n"),
    "full mtx of 10^10": ("x.mtx", b"%%MatrixMarket matrix array real general\n99999 99999\n1\n"),
    "mtx, fractional place": ("x.mtx", COORDINATE + b"2 2 1\n1.5 1 1\n"),
    "mtx, negative place": ("x.mtx", COORDINATE + b"2 2 1\n-1 1 1\n"),
    "mtx, place zero": ("x.mtx", COORDINATE + b"2 2 1\n0 1 1\n"),
    "mtx, beyond 64 bits": ("x.mtx", COORDINATE + b"2 2 1\n99999999999999999999 1 1\n"),
    "mtx, complex": ("x.mtx", COORDINATE.replace(b"real", b"complex") + b"1 1 1\n1 1 1 1\n"),
    "npy of 80 GB": ("x.npy", _header("(100000, 100000)") + b"\0" * 64),
    "npy of no bytes a row": ("x.npy", _header("(1000000000000, 0)")),
    "npy of zero width": ("x.npy", _header("(1000000, 1000000)", "|V0")),
    "npy of objects": ("x.npy", _header("(2, 2)", "|O") + b"cos\nsystem\n(S'true'\ntR."),
    "npz of 80 GB": ("x.npz", lambda: packed([("S.npy", _header("(100000, 100000)"))])),
    "coo of 10^18": ("x.npz", lambda: _sizes("coo", [10**9, 10**9], [0], [0])),
    "coo beyond": ("x.npz", lambda: _sizes("coo", [2, 2], [5], [0])),
    "csc of 10^9 rows": ("x.npz", lambda: _sizes("csc", [10**9, 2], [10**9 - 1], [0, 1, 1])),
    "csr of 10^9 columns": ("x.npz", lambda: _sizes("csr", [2, 10**9], [10**9 - 1], [0, 1, 1])),
    "csr of negative shape": ("x.npz", lambda: _sizes("csr", [-2, 2], [0], [0, 1, 1])),
    "csr, far index": ("x.npz", lambda: _sizes("csr", [2, 2], [2**31 - 1], [0, 1, 1])),
    "csr, indptr down": ("x.npz", lambda: _sizes("csr", [2, 2], [0, 1], [0, 5, 2])),
    "csv, one cell": ("x.csv", b"a" * 300_000),
    "csv, open quote": ("x.csv", b'"1,2\n3,4\n' * 50_000),
    "csv of NUL": ("x.csv", b"\0" * 1000),
    "csv, wide then narrow": ("x.csv", b"1," * 50_000 + b"1\n1\n"),
    "csv in latin1": ("x.csv", "id,é,ü\né,1,2\nü,2,1\n".encode("latin1")),
    "csv in utf16": ("x.csv", "1,2\n3,4\n".encode("utf16")),
    "labels in latin1": ("labels.csv", "é\n".encode("latin1") * N),
    "labels of escapes": ("labels.csv", b"\x1b[31mred\n" * N),
    "mat of text": ("x.mat", b"MATLAB 5.0 MAT-file" + b" " * 105 + b"\x00\x01IM" + b"\xff" * 64),
    "mat of one byte": ("x.mat", b"\0"),
    "mat v4 of 10^18": ("x.mat", np.array([0, 10**9, 10**9, 0, 2], "<i4").tobytes() + b"S\0"),
    "zip of nothing": ("x.npz", lambda: packed([])),
    "zip in a zip": ("x.npz", lambda: packed([("S.npy", packed([("S.npy", b"")]))])),
}
