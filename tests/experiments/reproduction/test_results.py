import os
import signal
import subprocess
import sys
import time

import pytest

from similearn.cli.app import run
from similearn.errors import FileError, InputError
from similearn.experiments.comparisons.runner import run_units, shard_of
from similearn.experiments.comparisons.store import ResultStore
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.plan import loaded, units_of
from similearn.experiments.reproduction.results import (
    merge,
    pack,
    packed_path,
    results_path,
    stored_records,
)
from tests.experiments.reproduction.tiny import tiny_plan, without_times, write_data

SPLITS = 3


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    plan = tiny_plan()
    problems, missing = loaded(plan, DataFolder(tmp_path_factory.mktemp("data")))
    assert list(missing) == ["absent"] and "absent.npz" in missing["absent"]
    return units_of(plan, problems, n_splits=SPLITS)


@pytest.fixture(scope="module")
def whole(units, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    run_units(units, store=ResultStore(results_path(folder, "tiny")))
    return without_times(stored_records(folder, "tiny"))


def test_shards_merge_to_what_one_run_gives(units, whole, tmp_path):
    for shard in ("3/3", "1/3", "2/3"):
        path = results_path(tmp_path, "tiny", shard)
        run_units(shard_of(units, shard), store=ResultStore(path))
    assert without_times(stored_records(tmp_path, "tiny")) == whole
    merged = merge(tmp_path, "tiny")
    assert merged == results_path(tmp_path, "tiny")
    assert without_times(ResultStore(merged).read().values()) == whole
    before = merged.read_bytes()
    assert merge(tmp_path, "tiny").read_bytes() == before


def test_shards_are_disjoint_and_complete(units):
    parts = [shard_of(units, f"{i}/4") for i in range(1, 5)]
    keys = [unit.key for part in parts for unit in part]
    assert sorted(keys) == sorted(unit.key for unit in units)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/5"])
def test_bad_shards_are_refused(units, shard):
    with pytest.raises(InputError, match="shard"):
        shard_of(units, shard)


def test_merging_takes_other_files_but_not_of_other_tables(units, whole, tmp_path):
    elsewhere = tmp_path / "elsewhere.jsonl"
    run_units(units, store=ResultStore(elsewhere))
    merge(tmp_path / "here", "tiny", [elsewhere])
    assert without_times(stored_records(tmp_path / "here", "tiny")) == whole
    with pytest.raises(FileError, match="'tiny', not of 'other'"):
        merge(tmp_path / "here", "other", [elsewhere])
    with pytest.raises(FileError, match="not there"):
        merge(tmp_path / "here", "tiny", [tmp_path / "nowhere.jsonl"])


RECORD = {
    **{"table": "tiny", "problem": "p", "method": "m", "seed": 0, "split": 0, "error": 0.5},
    **{"log_loss": None, "brier": None, "parameters": {}, "converted": False},
    **{"fit_seconds": 0.1, "predict_seconds": 0.1},
}


def test_a_failure_is_kept_only_until_something_succeeds(tmp_path):
    record = {"key": "a", **RECORD}
    for shard, failure in (("1/2", {}), ("2/2", {"failure": "no"})):
        store = ResultStore(results_path(tmp_path, "tiny", shard))
        with store.open():
            store.append(record | failure)
    assert stored_records(tmp_path, "tiny") == [record]


def test_two_processes_give_the_same(units, whole, tmp_path):
    run_units(units, store=ResultStore(results_path(tmp_path, "tiny")), n_jobs=2)
    assert without_times(stored_records(tmp_path, "tiny")) == whole


def test_killed_work_goes_on_where_it_stopped(tmp_path):
    data = write_data(tmp_path / "data", ["aural-sonar"])
    arguments = ["reproduce", "jmlr-3", "--data", str(data), "--datasets", "aural-sonar"]
    arguments += ["--splits", "5", "--methods", "knn,affinity-knn"]
    killed, unharmed = tmp_path / "killed", tmp_path / "unharmed"
    path = results_path(killed, "jmlr-3")
    command = [sys.executable, "-m", "similearn.cli", *arguments, "-o", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and (not path.exists() or path.read_bytes().count(b"\n") < 2):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = ResultStore(path).read()
    assert 2 <= len(done)
    with open(path, "ab") as file:
        file.write(b'{"key": "torn')
    for folder in (killed, unharmed):
        assert run([*arguments, "-o", str(folder)]) == 0
    resumed = stored_records(killed, "jmlr-3")
    assert len(resumed) == 10
    assert [r for r in resumed if r["key"] in done] == sorted(
        done.values(), key=lambda r: (r["problem"], r["method"], r["split"])
    )
    assert without_times(resumed) == without_times(stored_records(unharmed, "jmlr-3"))


def test_packed_results_are_results(units, whole, tmp_path):
    run_units(units, store=ResultStore(results_path(tmp_path, "tiny")))
    path = pack(tmp_path, "tiny", tmp_path / "packed")
    again = pack(tmp_path, "tiny", tmp_path / "again")
    assert path.read_bytes() == again.read_bytes()
    assert without_times(stored_records(tmp_path / "packed", "tiny")) == whole
    merge(tmp_path / "packed", "tiny")
    store = ResultStore(results_path(tmp_path / "packed", "tiny"))
    done = []
    run_units(units, store=store, progress=lambda *news: done.append(news))
    assert not done


def test_a_result_that_was_made_again_replaces_the_old_one(tmp_path):
    """A method that changed names its results otherwise: the old one must not be counted too."""
    with (store := ResultStore(results_path(tmp_path, "tiny"))).open():
        store.append({"key": "old", **RECORD})
        store.append({"key": "other", **RECORD, "seed": 1})
    pack(tmp_path, "tiny", tmp_path)
    with (store := ResultStore(results_path(tmp_path, "tiny"))).open():
        store.append({"key": "new", **RECORD})
    assert {r["key"] for r in stored_records(tmp_path, "tiny")} == {"new", "other"}
    merge(tmp_path, "tiny")
    assert {r["key"] for r in stored_records(tmp_path, "tiny")} == {"new", "other"}


def test_damaged_packed_results_are_an_error(tmp_path):
    packed_path(tmp_path, "tiny").write_bytes(b"no gzip")
    with pytest.raises(FileError, match="packed results"):
        stored_records(tmp_path, "tiny")
