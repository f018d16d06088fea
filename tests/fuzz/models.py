"""Model files by mutation, and crafted ones: loading runs nothing, and every index is checked."""

import csv
import io
import re
import sys
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from similearn import Pairwise
from similearn.experiments.models import fit_model, load_model, save_model
from similearn.experiments.predictions import write_predictions
from similearn.experiments.registry import get_method
from tests.fuzz.drawing import Draw
from tests.fuzz.mutations import damaged, member, other_json, packed
from tests.fuzz.outcomes import BrokenPromise, require_finite

METHODS = (
    *("knn", "kri-knn", "svm-clip", "svm-knn", "sda", "local-sda", "mixture-sda", "psvm"),
    *(
        "dboost",
        "dboost-tree",
        "pair-vote",
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
    block = problem()[0]
    queries = Pairwise(block.values[:5], block.kind, same_samples=False)
    write_predictions(model, queries, Path("labels.csv"))
    _judge(Path("labels.csv").read_bytes())


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
    "encrypted": _encrypted,
    "renamed": _renamed,
    "renamed again": _renamed,
}
