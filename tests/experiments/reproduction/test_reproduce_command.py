"""A small table from end to end, as it is typed."""

import numpy as np
import pytest

from similearn.cli.app import run
from similearn.experiments.comparisons.store import ResultStore
from similearn.experiments.reproduction.results import packed_path, results_path, stored_records
from tests.experiments.reproduction.tiny import without_times, write_data

METHODS = ["--methods", "knn,affinity-knn"]


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data", ["aural-sonar", "voting"])


def reproduce(*arguments):
    return run(["reproduce", *map(str, arguments)])


def test_a_table_is_run_reported_and_reported_again(data, tmp_path, capsys):
    out = tmp_path / "out"
    wanted = ["jmlr-3", "--data", data, "--datasets", "aural-sonar,voting,patrol", *METHODS]
    assert reproduce(*wanted, "--splits", 2, "-o", out, "--pack", tmp_path / "packed") == 0
    told = capsys.readouterr()
    assert "Missing: patrol" in told.err and "patrol.npz" in told.err
    for text in ("JMLR Table 3", "Aural Sonar", "Voting", "17.00 (7.65)", "5.86 (1.78)"):
        assert text in told.out
    records = stored_records(out, "jmlr-3")
    assert len(records) == 8
    assert {r["problem"] for r in records} == {"aural-sonar", "voting"}
    assert all(np.isfinite(r["brier"]) and "fit_seconds" in r for r in records)
    assert without_times(stored_records(tmp_path / "packed", "jmlr-3")) == without_times(records)
    assert reproduce("jmlr-3", "-o", out) == 0
    again = capsys.readouterr().out
    assert again.splitlines()[1:] == told.out.splitlines()[1 : len(again.splitlines())]


def test_shards_are_taken_together(data, tmp_path):
    wanted = ["jmlr-3", "--data", data, "--datasets", "voting", *METHODS, "--splits", 2]
    for shard in ("1/2", "2/2"):
        assert reproduce(*wanted, "-o", tmp_path / "shards", "--shard", shard) == 0
    assert not results_path(tmp_path / "shards", "jmlr-3").exists()
    assert reproduce(*wanted, "-o", tmp_path / "whole") == 0
    whole = without_times(stored_records(tmp_path / "whole", "jmlr-3"))
    assert without_times(stored_records(tmp_path / "shards", "jmlr-3")) == whole
    first = results_path(tmp_path / "shards", "jmlr-3", "1/2")
    second = results_path(tmp_path / "shards", "jmlr-3", "2/2")
    assert reproduce("jmlr-3", "-o", tmp_path / "new", "--merge", first, "--merge", second) == 0
    merged = ResultStore(results_path(tmp_path / "new", "jmlr-3")).read()
    assert without_times(merged.values()) == whole


def test_a_shard_leaves_out_what_is_stored_beside_it(data, tmp_path):
    """Packed results, and those of shards that were cut otherwise, are not made again."""
    wanted = ["jmlr-3", "--data", data, "--datasets", "voting", *METHODS, "--splits"]
    out = tmp_path / "out"
    assert reproduce(*wanted, 1, "-o", tmp_path / "first", "--pack", out) == 0
    packed = {record["key"] for record in stored_records(out, "jmlr-3")}
    assert reproduce(*wanted, 2, "-o", out, "--shard", "1/2") == 0
    half = ResultStore(results_path(out, "jmlr-3", "1/2")).read()
    assert reproduce(*wanted, 2, "-o", out, "--shard", "1/1") == 0
    rest = ResultStore(results_path(out, "jmlr-3", "1/1")).read()
    assert half and rest and not (packed & set(half) or (packed | set(half)) & set(rest))


def test_every_table_is_listed_with_what_is_missing(data, capsys):
    assert reproduce("--list") == 0
    told = capsys.readouterr().out
    for name in ("jmlr-3", "jmlr-4", "regsda-1", "fusing-1", "fusing-2", "dboost-2", "cdnn-1"):
        assert name in told
    assert reproduce("--list", "--data", data) == 0
    assert "missing: amazon-47" in capsys.readouterr().out
    assert reproduce("cdnn-1", "--list") == 0
    told = capsys.readouterr().out
    assert "cdnn-1" in told and "jmlr-3" not in told


def test_only_what_is_printed(data, tmp_path):
    printed, others = "local-sda,svm-shift", "local-sda-single,krein-svm"
    wanted = ["regsda-1", "--data", data, "--datasets", "aural-sonar", "--splits", 1]
    wanted += ["--printed", "-o", tmp_path, "--methods"]
    assert reproduce(*wanted, printed) == 0
    methods = {r["method"] for r in stored_records(tmp_path, "regsda-1")}
    assert methods == set(printed.split(","))
    for name in others.split(","):
        assert reproduce(*wanted, name) == 2


def test_all_tables_of_which_there_are_results(data, tmp_path, capsys):
    for table in ("jmlr-3", "regsda-1"):
        wanted = [table, "--data", data, "--datasets", "voting", "--methods", "knn"]
        assert reproduce(*wanted, "--splits", 1, "-o", tmp_path) == 0
    capsys.readouterr()
    assert reproduce("all", "-o", tmp_path) == 0
    told = capsys.readouterr().out
    assert "JMLR Table 3" in told and "RegSDA Table I" in told and "Fusing" not in told


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([], "Say which table"),
        (["jmlr-9"], "No published table is named 'jmlr-9'"),
        (["jmlr-3", "-o", "nowhere"], "--data DIR"),
        (["jmlr-3", "--data", "nowhere"], "is not a folder"),
        (["jmlr-3", "--data", ".", "--datasets", "patrol"], "None of the data sets"),
        (["jmlr-3", "--data", ".", "--datasets", "mars"], "no data set 'mars'"),
        (["jmlr-3", "--data", ".", "--datasets", ","], "--datasets is empty"),
        (["all", "--data", ".", "--methods", "knn"], "go with one table"),
    ],
)
def test_what_the_user_can_mend_is_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert reproduce(*arguments) == 2
    assert sentence in capsys.readouterr().err.replace("\n", " ")


def test_unknown_methods_and_bad_shards_are_named(data, capsys):
    wanted = ["jmlr-3", "--data", data, "--datasets", "voting"]
    assert reproduce(*wanted, "--methods", "psychic") == 2
    assert "no method 'psychic'" in capsys.readouterr().err.replace("\n", " ")
    assert reproduce(*wanted, *METHODS, "--shard", "3/2") == 2
    assert "shard" in capsys.readouterr().err


def test_the_document_is_written_from_stored_results(data, tmp_path, capsys):
    out = tmp_path / "out"
    wanted = ["jmlr-3", "--data", data, "--datasets", "voting", *METHODS, "--splits", 2]
    assert reproduce(*wanted, "-o", out, "--pack", tmp_path / "results") == 0
    assert packed_path(tmp_path / "results", "jmlr-3").exists()
    page = tmp_path / "docs" / "reproduction.md"
    page.parent.mkdir()
    assert reproduce("--document", page, "-o", tmp_path / "results") == 0
    assert "JMLR Table 3" in page.read_text(encoding="utf-8")
    assert (page.parent / "reproduction" / "jmlr-3.md").exists()
    assert (page.parent / "reproduction" / "ours-against-papers.png").exists()
