"""Work on a real Dask cluster of processes gives the bits of one machine, also if workers die."""

import json
import os
import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import similearn
from benchmarks.names import make_names
from similearn import (
    NeighborsClassifier,
    PairwiseSimilarity,
    PathSearchCV,
    neighbor_table,
)
from similearn.data.lazy import table_building, tile_search
from similearn.data.spread import clusters
from similearn.errors import InputError, WorkerError
from similearn.estimators.probabilities.calibrated import stratified_folds
from similearn.selection.auto.inputs import ONLY
from similearn.selection.auto.named_blocks import Blocks
from similearn.selection.auto.portfolio import Member
from similearn.selection.auto.trying import Clock, all_tried

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


def gap_and_pause(seconds=0.0):
    """A dissimilarity of names, and what it waits in each call: a list of one number to change."""
    pause = [seconds]

    def gap(a, b):
        if pause[0]:
            time.sleep(pause[0])
        return abs(len(a) - len(b)) + (a[0] != b[0])

    return gap, pause


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
    told = {"kind": "dissimilarity", "symmetric": True}
    gap, pause = gap_and_pause()
    alone = neighbor_table(NAMES[:130], 4, gap, **told)
    pause[0] = 0.0003
    victim = next(iter(client.run(os.getpid).values()))
    threading.Timer(0.5, os.kill, (victim, signal.SIGKILL)).start()
    with similearn.on(client):
        there = neighbor_table(NAMES[:130], 4, gap, **told)
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


def test_folds_and_members_have_the_same_bits(client):
    block, y = PairwiseSimilarity("levenshtein").fit_transform(NAMES[:60]), Y[:60]
    search = PathSearchCV(
        NeighborsClassifier(), {"n_neighbors": [1, 3, 7]}, cv=3, keep_out_of_fold=True
    )
    members = [
        Member(
            name, lambda kind, name=name: NeighborsClassifier(weights=name), {"n_neighbors": [5]}
        )
        for name in ("affinity", "kri")
    ]
    folds, blocks = stratified_folds(y), Blocks({ONLY: block})

    def tried():
        stages = {ONLY: [members[:1], members[1:]]}
        clock = Clock(None)
        return [t.held_out for t in all_tried(blocks, y, stages, folds, seed=0, clock=clock)]

    expected, alone = tried(), clone(search).fit(block, y)
    scatter, sent = client.scatter, []
    client.scatter = lambda *what, **options: (sent.append(what), scatter(*what, **options))[1]
    try:
        with similearn.on(client):
            found, there = tried(), search.fit(block, y)
    finally:
        client.scatter = scatter
    assert len(sent) == 2  # once for all stages, once for the search
    assert_array_equal(found, expected)
    assert_array_equal(there.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    assert_array_equal(there.oof_proba_, alone.oof_proba_)


def test_a_scheduler_that_goes_away_is_a_sentence_and_what_is_done_is_kept(monkeypatch, tmp_path):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "_SECONDS_WITHOUT_SCHEDULER", 0.5)
    monkeypatch.setattr(clusters, "_SECONDS_BETWEEN_LOOKS", 0.2)
    path, told = tmp_path / "names.npz", {"kind": "dissimilarity", "symmetric": True}
    enter = table_building._Work.enter

    gap, pause = gap_and_pause(0.0001)

    def entering(work, *found):
        if work.done.sum() == 2:
            threading.Thread(target=cluster.close).start()
        return enter(work, *found)

    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    cluster = distributed.LocalCluster(**options, dashboard_address=None)
    with distributed.Client(cluster) as client, monkeypatch.context() as patch:
        patch.setattr(table_building._Work, "enter", entering)
        gone = pytest.raises(WorkerError, match="scheduler of the cluster went away")
        with similearn.on(client), gone:
            neighbor_table(NAMES[:130], 4, gap, path=path, **told)
    with np.load(f"{path}.part") as kept:
        assert 3 <= kept["done"].sum() < len(kept["done"])
    pause[0] = 0.0
    alone = neighbor_table(NAMES[:130], 4, gap, **told)
    later = neighbor_table(NAMES[:130], 4, gap, path=path, **told)
    assert_array_equal(later.values, alone.values)


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
