"""Imports point one way, and files stay small."""

import ast
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import similearn

ROOT = Path(similearn.__file__).parent
LAYERS = [
    "version",
    "errors",
    "upward",
    "lazily",
    "numerics",
    "data",
    "similarities",
    "estimators",
    "selection",
    "experiments",
    "report",
    "plots",
    "cli",
    "__init__",
    "__main__",
]
FILES = sorted(ROOT.rglob("*.py"))
ARRAYS = {"numpy", "scipy", "numba", "llvmlite", "similearn"}
NUMERICS_MAY_IMPORT = ARRAYS | sys.stdlib_module_names
MOST_LINES = 400
MOST_FILES_PER_ROOM = 12
# Modules of one name in rooms of different names: they must be about the same thing.
SAME_SUBJECT = {
    "cdnn": "the numerics, the estimator, and the plan of its paper's tables",
    "dboost": "the estimator, and the plan of its paper's tables",
    "diagnosis": "the numbers, and what is told of them",
    "pseudo_euclidean": "the coordinates, and the transformer that gives them",
    "spectrum": "the modifications, and the transformer that applies them",
}


@cache  # several tests look at every file
def parsed(file):
    return ast.parse(file.read_text())


def imported(tree):
    """Every module that a file imports, at its top or inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield node.module, node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno


def layer(module):
    parts = module.split(".")
    return LAYERS.index(parts[1] if len(parts) > 1 else "__init__")


def imports_of(files):
    """Every import of the files, and how to tell of it."""
    for file in files:
        for module, line in imported(parsed(file)):
            yield file, module, f"{file}:{line} imports {module}"


def test_imports_point_inward():
    outward = [
        told
        for file, module, told in imports_of(FILES)
        if module.split(".")[0] == "similearn"
        and layer(module) > LAYERS.index(file.relative_to(ROOT).with_suffix("").parts[0])
    ]
    assert not outward


def test_numerics_knows_arrays_only():
    others = [
        told
        for _, module, told in imports_of((ROOT / "numerics").rglob("*.py"))
        if module.split(".")[0] not in NUMERICS_MAY_IMPORT
    ]
    assert not others


def test_files_stay_small():
    long = {f.name: n for f in FILES if (n := len(f.read_text().splitlines())) > MOST_LINES}
    assert not long


def test_one_word_leads_to_one_subject():
    rooms = defaultdict(set)
    for file in FILES:
        if file.stem not in {"__init__", "__main__"}:
            rooms[file.stem].add(file.parent.name)
    shared = {name for name, homes in rooms.items() if len(homes) > 1}
    assert shared == set(SAME_SUBJECT)


def test_no_module_is_shadowed_by_what_it_defines():
    """`package.name` must not be a module before, and a function after, its first import."""
    shadowing = [
        str(file.relative_to(ROOT))
        for file in FILES
        for node in parsed(file).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == file.stem
    ]
    assert not shadowing


def test_rooms_stay_small():
    sizes = Counter(file.parent.relative_to(ROOT) for file in FILES if file.stem != "__init__")
    assert max(sizes.values()) <= MOST_FILES_PER_ROOM, sizes.most_common(3)


def test_public_names_exist():
    for name in similearn.__all__:
        assert getattr(similearn, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = similearn.nonsense
    assert "Pairwise" in dir(similearn)
