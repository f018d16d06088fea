"""Work on a real Dask cluster of processes gives the bits of one machine, also if workers die."""

import json
import os
import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import similearn
from benchmarks.names import make_names
from similearn import NeighborsClassifier, PairwiseSimilarity, neighbor_table
from similearn.data.lazy import table_building, tile_search
from similearn.data.spread import clusters
from similearn.errors import InputError, WorkerError

NAMES, Y = make_names(260)


@pytest.fixture(autouse=True)
def several_tasks(monkeypatch):
    monkeypatch.setattr(table_building, "_FEWEST_FAST_ROWS", 64)
    monkeypatch.setattr(tile_search, "_PAIRS_OF_A_TASK", 6000)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_tables_and_lazy_blocks_have_the_same_bits(client):
    alone = neighbor_table(NAMES, 7, "levenshtein")
    compare = PairwiseSimilarity("levenshtein", lazy=True)
    model = NeighborsClassifier(5, weights="kri").fit(compare.fit_transform(NAMES[:200]), Y[:200])
    expected = model.predict_proba(compare.transform(NAMES[200:]))
    with similearn.on(client):
        there = neighbor_table(NAMES, 7, "levenshtein")
        found = model.predict_proba(compare.transform(NAMES[200:]))
    assert clusters.active_cluster() is None
    assert_array_equal(there.neighbors, alone.neighbors)
    assert_array_equal(there.values, alone.values)
    assert_array_equal(found, expected)


def test_a_fault_of_a_function_is_told_as_at_home(client):
    def broken(a, b):
        return np.nan

    with similearn.on(client), pytest.raises(InputError, match="broken returned nan for objects"):
        neighbor_table(NAMES[:50], 3, broken, kind="similarity", symmetric=True)


def test_a_killed_worker_costs_its_tasks_only(client):
    def slow_gap(a, b):
        time.sleep(0.0003)
        return abs(len(a) - len(b)) + (a[0] != b[0])

    told = {"kind": "dissimilarity", "symmetric": True}
    alone = neighbor_table(NAMES[:130], 4, slow_gap, **told)
    victim = next(iter(client.run(os.getpid).values()))
    threading.Timer(0.5, os.kill, (victim, signal.SIGKILL)).start()
    with similearn.on(client):
        there = neighbor_table(NAMES[:130], 4, slow_gap, **told)
    assert victim not in client.run(os.getpid).values()
    assert_array_equal(there.neighbors, alone.neighbors)
    assert_array_equal(there.values, alone.values)


def test_units_of_a_comparison(client, tmp_path):
    """`similearn compare --cluster ADDRESS` gives the errors of one machine."""
    pytest.importorskip("typer")
    from similearn.cli.app import run

    block = PairwiseSimilarity("levenshtein").fit_transform(NAMES[:60])
    np.savez(tmp_path / "d.npz", S=block.values, y=Y[:60], kind="dissimilarity")
    file, plan = str(tmp_path / "d.npz"), ["--methods", "knn", "--splits", "2"]
    errors = []
    for name, more in (("there", ["--cluster", client.scheduler.address]), ("here", [])):
        assert run(["compare", file, *plan, *more, "-o", str(tmp_path / name)]) == 0
        lines = (tmp_path / name / "results.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        errors.append(sorted((r["split"], r["error"]) for r in records if "error" in r))
    assert errors[0] == errors[1] and len(errors[0]) == 2
    assert run(["compare", file, *plan, "--cluster", "local:0", "-o", str(tmp_path / "x")]) == 2


def test_what_is_no_cluster_is_refused():
    pytest.importorskip("distributed")
    for wrong, told in [
        ("local:0", "from 1 to 1024"),
        ("local:many", "from 1 to 1024"),
        (None, "is no cluster"),
        (True, "is no cluster"),
    ]:
        with pytest.raises(InputError, match=told), similearn.on(wrong):
            pass
    with pytest.raises(WorkerError, match="No scheduler answers"), similearn.on("nonsense://x"):
        pass
