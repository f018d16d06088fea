"""Imports point one way, and files stay small."""

import ast
import sys
from pathlib import Path

import pytest

import similearn

ROOT = Path(similearn.__file__).parent
LAYERS = [
    "version",
    "errors",
    "numerics",
    "data",
    "similarities",
    "estimators",
    "selection",
    "experiments",
    "cli",
    "__init__",
]
FILES = sorted(ROOT.rglob("*.py"))
ARRAYS = {"numpy", "scipy", "numba", "llvmlite", "similearn"}
NUMERICS_MAY_IMPORT = ARRAYS | sys.stdlib_module_names
MOST_LINES = 400


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


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_point_inward(file):
    here = LAYERS.index(file.relative_to(ROOT).with_suffix("").parts[0])
    for module, line in imported(ast.parse(file.read_text())):
        if module.split(".")[0] == "similearn":
            told = f"{file}:{line} imports {module}"
            assert layer(module) <= here, told


@pytest.mark.parametrize("file", sorted((ROOT / "numerics").rglob("*.py")), ids=lambda f: f.name)
def test_numerics_knows_arrays_only(file):
    for module, line in imported(ast.parse(file.read_text())):
        told = f"{file}:{line} imports {module}"
        assert module.split(".")[0] in NUMERICS_MAY_IMPORT, told


def test_files_stay_small():
    long = {f.name: n for f in FILES if (n := len(f.read_text().splitlines())) > MOST_LINES}
    assert not long


def test_public_names_exist():
    for name in similearn.__all__:
        assert getattr(similearn, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = similearn.nonsense
    assert "Pairwise" in dir(similearn)
