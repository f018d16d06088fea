"""Model files by mutation, and crafted ones: loading runs nothing, and every index is checked."""

import csv
import json
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
    *("dboost", "dboost-tree", "pair-vote", "features-boosting", "features-rbf-svm", "fusion"),
    *("lp-machine", "robust-svm", "local-bda", "fused-knn", "pseudo-euclidean-lda", "rbf-sim-knn"),
)
N = 24
# Names that a file may give: none of them may be imported, let alone be called.
NAMES = (
    *("os.system", "builtins.eval", "similearn.cli.__main__.main", "antigravity.fly"),
    *("similearn.experiments.models.load_model", "similearn.NeighborsClassifier", "numpy.load"),
    *("similearn.data.pairwise.Pairwise", "sklearn.svm._classes.SVC", "numpy.ndarray"),
    *("similearn.estimators.sda.global_sda.SDAClassifier", "joblib.load", "list", "type", "x"),
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
    with zipfile.ZipFile("undamaged") as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    return packed(_renumbered(members))


def _renumbered(members: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Members are named by addresses in memory; the same case needs the same names."""
    schema = dict(members)["schema.json"].decode()
    for i, address in enumerate(dict.fromkeys(re.findall(r"\d{12,}", schema))):
        schema = schema.replace(address, str(i))
        members = [(name.replace(address, str(i)), content) for name, content in members]
    return [(n, schema.encode() if n == "schema.json" else content) for n, content in members]


def _changed(d: Draw, name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        return other_json(d, content, NAMES)
    return member(d, name, content)


def _with_schema(content: bytes, schema: bytes) -> bytes:
    """The archive with another schema."""
    Path("archive").write_bytes(content)
    with zipfile.ZipFile("archive") as archive:
        members = [(n, archive.read(n)) for n in archive.namelist() if n != "schema.json"]
    return packed([("schema.json", schema), *members])


def _schema(content: bytes) -> dict:
    Path("archive").write_bytes(content)
    with zipfile.ZipFile("archive") as archive:
        return json.loads(archive.read("schema.json"))


def _renamed(d: Draw, content: bytes) -> bytes:
    """Every class of ours gets another name."""
    schema = json.dumps(_schema(content))
    module, _, name = d.pick(NAMES).rpartition(".")
    schema = schema.replace('"__class__": "NeighborsClassifier"', f'"__class__": "{name}"')
    return _with_schema(content, schema.replace("similearn.", f"{module}.").encode())


def _encrypted(d: Draw, content: bytes) -> bytes:
    return content.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )


CRAFTED = {
    "not a zip": lambda d, content: b"hello",
    "empty": lambda d, content: b"",
    "empty zip": lambda d, content: packed([]),
    "nested lists": lambda d, content: _with_schema(content, b"[" * 100_000 + b"]" * 100_000),
    "nested dicts": lambda d, content: _with_schema(content, b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "a list": lambda d, content: _with_schema(content, b"[]"),
    "a number": lambda d, content: _with_schema(content, b"1"),
    "no fields": lambda d, content: _with_schema(content, b"{}"),
    "bomb": lambda d, content: packed([("schema.json", b" " * 300_000_000)]),
    "encrypted": _encrypted,
    "renamed": _renamed,
    "renamed again": _renamed,
}
