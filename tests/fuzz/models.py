"""Model files by mutation, and crafted ones: loading runs nothing, and every index is checked."""

import csv
import io
import re
import sys
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

from similearn import (
    NeighborsClassifier,
    Pairwise,
    PairwiseSimilarity,
    SimilarityClassifier,
    Sources,
)
from similearn.experiments.models import Model, fit_model, load_model, save_model
from similearn.experiments.predictions import write_predictions
from similearn.experiments.registry import get_method
from similearn.similarities import Levenshtein, Quantized, TverskyContrast
from similearn.version import __version__
from tests.fuzz.drawing import Draw
from tests.fuzz.mutations import damaged, member, other_json, packed
from tests.fuzz.outcomes import BrokenPromise, require_finite, require_probabilities

# Models of objects and of several sources: how they compare, and what they were fitted to.
WORDS = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "motto"] * 3
SETS = [{"fly", "sing"}, {"fly"}, {"sing", 3}, {"swim"}, {"dive"}, {1}, {2, "x"}, {"fly", 1}] * 3
OF_OBJECTS: dict[str, tuple[Any, Any]] = {
    "of words": ("levenshtein", WORDS),
    "of sets": (TverskyContrast(theta=2.0, weights={"fly": 2.0, 3: 0.5}), SETS),
    "of rows": ("seuclidean", np.random.default_rng(0).random((24, 3))),
    "of csr": ("tversky_ratio", sparse.csr_array(np.eye(24, 5))),
    "of categories": ("value_difference", np.array([["y", "n"], ["n", 2]] * 12, dtype=object)),
    "of series": ("dynamic_time_warping", [np.arange(3.0 + i % 4) for i in range(24)]),
    "of documents": ("tfidf_cosine", [f"{a} {b}" for a in ("to", "be") for b in WORDS[:12]]),
    "of levels": (Quantized(Levenshtein(normalized=True), n_levels=4), WORDS),
}
METHODS = (
    *OF_OBJECTS,
    *OF_OBJECTS,
    "auto of words",
    "auto of sources",
    *("knn", "kri-knn", "svm-clip", "svm-knn", "sda", "local-sda", "mixture-sda", "psvm"),
    *(
        "dboost",
        "dboost-tree",
        "pair-vote",
        "proximity-forest",
        "features-boosting",
        "features-rbf-svm",
        "fusion",
        "auto",
    ),
    *("lp-machine", "robust-svm", "local-bda", "fused-knn", "pseudo-euclidean-lda", "rbf-sim-knn"),
)
N = 24
# Names that a file may give: none of them may be imported, let alone be called.
NAMES = (
    *("os.system", "builtins.eval", "similearn.cli.__main__.main", "antigravity.fly"),
    *("similearn.experiments.models.load_model", "similearn.NeighborsClassifier", "numpy.load"),
    *("similearn.data.pairwise.Pairwise", "sklearn.svm._classes.SVC", "numpy.ndarray"),
    *("similearn.estimators.sda.global_sda.SDAClassifier", "joblib.load", "list", "type", "x"),
    *("NeighborsClassifier", "SDAClassifier", "LocalSVC", "Pipeline", "SVC", "Pairwise", "schema"),
)
FORBIDDEN = ("similearn.cli.__main__", "antigravity")


def play(d: Draw) -> None:
    """Damage a model, load it, and label samples with it."""
    name = d.pick(METHODS)
    d.tell(name)
    content = model_bytes(name)
    content = d.named(CRAFTED, content) if d.chance(0.1) else damaged(d, content, _changed)
    Path("model").write_bytes(content)
    known = set(sys.modules)
    d.tell("load_model")
    try:
        model = load_model("model")
    finally:
        ran = [name for name in FORBIDDEN if name in sys.modules and name not in known]
        if ran:
            raise BrokenPromise("ran", f"load_model imported {ran[0]}")
    d.tell("predict")
    if name.split(" ", 1)[0] in ("of", "auto") and " " in name:
        _ask(model, name)
        return
    block = problem()[0]
    queries = Pairwise(block.values[:5], block.kind, same_samples=False)
    write_predictions(model, queries, Path("labels.csv"))
    _judge(Path("labels.csv").read_bytes())


def _ask(model: Model, name: str) -> None:
    """Let a model of objects label some of them."""
    queries = _sources() if "sources" in name else OF_OBJECTS.get(name, (0, WORDS))[1]
    queries = queries[np.ix_([0, 5], range(24))] if "sources" in name else queries[:3]
    model.estimator.predict(queries)
    require_probabilities(model.estimator.predict_proba(queries), f"model {name}")


def _sources() -> Sources:
    rows = np.random.default_rng(0).random((24, 2))
    return Sources({"gap": Pairwise(abs(rows[:, :1] - rows[:, 0]), "dissimilarity"), "rows": rows})


def _of_objects(name: str) -> Model:
    """A model of objects, or of several sources."""
    y = np.array(["a", "b", "c", "d"] * 6)
    if name == "auto of sources":
        made: Any = SimilarityClassifier(effort="quick", progress=False).fit(_sources(), y)
    elif name == "auto of words":
        made = SimilarityClassifier(similarity="levenshtein", effort="quick", progress=False).fit(
            WORDS, y
        )
    else:
        function, objects = OF_OBJECTS[name]
        compare = PairwiseSimilarity(function, progress=False)
        made = make_pipeline(compare, NeighborsClassifier(3)).fit(objects, y)
    when = "2026-01-01T00:00:00+00:00"
    kind = None if "sources" in name else "dissimilarity"
    return Model(made, "auto", {}, kind, made.classes_.tolist(), 24, None, __version__, when)


def _judge(predictions: bytes) -> None:
    """Refuse predictions that are no text, or no finite numbers after the label."""
    try:
        rows = list(csv.reader(predictions.decode().splitlines()))[1:]
        numbers = np.array([row[1:] for row in rows], dtype=float)
    except ValueError as error:
        raise BrokenPromise("unreadable", "predictions of a model", str(error)) from error
    require_finite(numbers, "predictions of a model")


@cache
def problem() -> tuple[Pairwise, np.ndarray]:
    """A block and labels of three classes."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    X = rng.standard_normal((N, 3)) + 2 * np.eye(3)[y]
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    return Pairwise(1 - distances / 9, "similarity"), np.array(["blue", "green", "red"])[y]


@cache
def model_bytes(name: str) -> bytes:
    """The undamaged file of a method, with one value of each parameter."""
    if " " in name:
        save_model(_of_objects(name), "undamaged")
        return Path("undamaged").read_bytes()
    method = get_method(name)
    method = replace(method, grid={key: values[1:2] for key, values in method.grid.items()})
    model = replace(fit_model(method, *problem()), created="2026-01-01T00:00:00+00:00")
    save_model(model, "undamaged")
    return Path("undamaged").read_bytes()


def _changed(d: Draw, name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        return other_json(d, content, NAMES)
    return member(d, name, content)


DOCUMENT = "model.json"


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _with_document(content: bytes, document: bytes) -> bytes:
    """The archive with another document."""
    return packed(list((_members(content) | {DOCUMENT: document}).items()))


def _renamed(d: Draw, content: bytes) -> bytes:
    """One class gets another name, among them names of what must not be run."""
    text = _members(content)[DOCUMENT].decode()
    name = d.pick(NAMES)
    d.tell(name)
    return _with_document(content, re.sub(r'"class": "\w+"', f'"class": "{name}"', text).encode())


def _encrypted(d: Draw, content: bytes) -> bytes:
    return content.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )


def _arrays(content: bytes, shape: bytes, kind: bytes | None = None) -> bytes:
    """All arrays announce another shape, or another type."""
    members = _members(content)
    for name, part in members.items():
        if name.endswith(".npy"):
            part = re.sub(rb"\([\d, ]*\)", shape, part, count=1)
            if kind is not None:
                part = re.sub(rb"'descr': '[^']*'", b"'descr': '" + kind + b"'", part, count=1)
            members[name] = part
    return packed(list(members.items()))


CRAFTED = {
    "not a zip": lambda d, content: b"hello",
    "empty": lambda d, content: b"",
    "empty zip": lambda d, content: packed([]),
    "older format": lambda d, content: packed([("schema.json", b"{}")]),
    "nested lists": lambda d, content: _with_document(content, b"[" * 100_000 + b"]" * 100_000),
    "nested dicts": lambda d, content: _with_document(
        content, b'{"a":' * 5000 + b"1" + b"}" * 5000
    ),
    "a list": lambda d, content: _with_document(content, b"[]"),
    "a number": lambda d, content: _with_document(content, b"1"),
    "no fields": lambda d, content: _with_document(content, b"{}"),
    "bomb": lambda d, content: packed([(DOCUMENT, b" " * 300_000_000)]),
    "names that lead elsewhere": lambda d, content: packed(
        [(f"../../{name}", part) for name, part in _members(content).items()]
    ),
    "links elsewhere": lambda d, content: _with_document(
        content, re.sub(rb'"array": "\d+"', b'"array": "../../x"', _members(content)[DOCUMENT])
    ),
    "twice": lambda d, content: packed(list(_members(content).items()) * 2),
    "huge arrays": lambda d, content: _arrays(content, b"(1000000000, 1000000000)"),
    "negative arrays": lambda d, content: _arrays(content, b"(-1, 5)"),
    "arrays of objects": lambda d, content: _arrays(content, b"(1,)", b"|O"),
    "long number": lambda d, content: _with_document(
        content, _members(content)[DOCUMENT].replace(b"24", b"9" * 5000)
    ),
    "not UTF-8": lambda d, content: _with_document(content, b'{"format": "\xff"}'),
    "encrypted": _encrypted,
    "renamed": _renamed,
    "renamed again": _renamed,
}
