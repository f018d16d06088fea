"""The benchmarks leave nothing public out."""

import json
import sys
import tempfile

import numpy as np
import pytest

from benchmarks import bench_cold, near_rows, scale_rows  # noqa: F401
from benchmarks.harness import Result, save
from similearn import Pairwise
from similearn.numerics.compiling import Compiled, as_input
from similearn.numerics.neighbors import topk

# What fits many models, for seconds; other rows are of the same forms of data.
SLOW = {"the default", "CDNN"}


def test_every_public_estimator_has_a_compile_budget():
    assert {cold.name for cold in bench_cold.COLD.values()} == bench_cold.public_estimators()
    forms = {cold.form for label, cold in bench_cold.COLD.items() if label not in SLOW}
    for label in SLOW:  # what is left out below can be made, of data that others are made of
        cold = bench_cold.COLD[label]
        assert type(cold.build()).__name__ == cold.name and cold.form in forms


@pytest.mark.parametrize(
    "label",
    [
        pytest.param(label, marks=pytest.mark.exhaustive if label in SLOW else ())
        for label in bench_cold.COLD
    ],
)
def test_the_first_call_can_be_measured(label):
    first, second = bench_cold.first_and_second_call(label, n=40)
    assert first > 0 and second > 0


@pytest.mark.parametrize("row", sorted(set(scale_rows.ROWS) - scale_rows.IN_PROCESSES))
def test_every_row_of_the_table_of_scale_runs(row, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert scale_rows.ROWS[row](scale_rows.SMALLEST)["cpu"] >= 0


LAYOUTS = {
    "read-only": as_input,
    "columns first": np.asfortranarray,
    "every second": lambda values: np.repeat(values, 2, axis=1)[:, ::2],
}


def in_layout(data, changed):
    if isinstance(data, Pairwise):
        return Pairwise(changed(data.values), data.kind)
    return changed(data)


@pytest.mark.parametrize(
    "label", ["k-NN, uniform", "SDA", "local SDA, regularized", "DBoost", "local BDA"]
)
def test_another_layout_of_the_same_input_compiles_nothing(label, monkeypatch):
    monkeypatch.setattr(topk, "ENTRIES_BY_NUMPY", 0)  # machine code from the first row on
    cold = bench_cold.COLD[label]
    training, queries, y = bench_cold.make_data()
    training, queries = getattr(training, cold.form), getattr(queries, cold.form)
    expected = cold.build().fit(training, y).predict(queries)
    before = signatures()
    assert before > 0
    for changed in LAYOUTS.values():
        block, asked = in_layout(training, changed), in_layout(queries, changed)
        assert list(cold.build().fit(block, y).predict(asked)) == list(expected)
    assert signatures() == before


def signatures():
    """How many types of arguments all our compiled functions have been compiled for."""
    modules = [m for name, m in sys.modules.items() if name.startswith("similearn.numerics")]
    functions = {id(f): f for m in modules for f in vars(m).values() if isinstance(f, Compiled)}
    made = [one for function in functions.values() for one in function._made.values()]
    return sum(len(one.signatures) for one in made)


def test_results_of_other_benchmarks_stay_in_the_file(tmp_path):
    path = tmp_path / "benchmarks.json"
    first, again = Result("a, once", 2.0, 4.0, bar=3.0), Result("a, again", 1.0, 4.0, bar=3.0)
    save({"a": [first], "b": [Result("b", 1.0, 1.0)]}, path)
    save({"a": [again]}, path)
    rows = {row["benchmark"]: row for row in json.loads(path.read_text())["results"]}
    assert [rows["a"]["name"], rows["a"]["kept"], rows["b"]["name"]] == ["a, again", True, "b"]
