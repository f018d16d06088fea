"""Sets and rivals of the evidence, on made-up data."""

import csv
import gzip
import warnings

import numpy as np
import pytest

from similearn.cli.app import run
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.runner import Unit, run_unit
from similearn.experiments.comparisons.store import line_of
from similearn.experiments.evidence.results_by_set import units_of
from similearn.experiments.evidence.rivals import RIVALS
from similearn.experiments.evidence.sets import FEW, SETS, _few_rows, few
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.results import stored_records
from similearn.selection.auto import portfolio
from tests.experiments.data import small_problem
from tests.experiments.evidence.made_up import results
from tests.experiments.reproduction.tiny import write_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = write_data(tmp_path_factory.mktemp("data"), ["aural-sonar", "voting"])
    rng = np.random.default_rng(0)
    write_table(path, "iris", rng.normal(size=(60, 4)), np.arange(60) % 3)
    write_table(path, "balance-scale", rng.normal(size=(400, 4)), np.arange(400) % 2)
    S, y = rng.integers(10, 99, size=(50, 30)), np.arange(50) % 4
    arrays = {"S_train": S[:30], "S_test": S[30:], "y_train": y[:30], "y_test": y[30:]}
    np.savez(path / "similarity" / "protein-fold-sw-pam50.npz", **arrays)
    return path


def write_table(path, name, X, y):
    (path / "features").mkdir(exist_ok=True)
    with gzip.open(path / "features" / f"{name}.csv.gz", "wt", newline="") as out:
        rows = ([*x, label] for x, label in zip(X, y, strict=True))
        csv.writer(out).writerows([[*(f"f{i}" for i in range(X.shape[1])), "label"], *rows])


def split_of(folder, key, number):
    problem = next(one for one in SETS if one.key == key).load(DataFolder(folder))
    assert problem.name == key
    return problem.split(0, number)


def test_there_are_30_sets_in_two_halves():
    assert len({one.key for one in SETS}) == 30
    assert sum(one.chosen_on for one in SETS) == 16


@pytest.mark.parametrize(
    ("key", "kind", "shape"),
    [
        ("aural-sonar", "similarity", (8, 32)),
        ("iris", "dissimilarity", (12, 48)),
        ("balance", "dissimilarity", (100, FEW)),
        ("protein-fold-pam50", "similarity", (20, 24)),
    ],
)
def test_partitions_are_blocks_that_differ(folder, key, kind, shape):
    splits = [split_of(folder, key, number) for number in (0, 1, 7, 0)]
    for split in splits:
        assert split.test.shape == shape and split.test.kind == split.train.kind == kind
        assert len(split.y_train) == shape[1] and len(split.y_test) == shape[0]
    values = [split.train.values for split in splits]
    assert np.array_equal(values[0], values[3])
    assert not np.array_equal(values[0], values[1]) and not np.array_equal(values[0], values[2])


def test_few_samples_keep_the_shares_of_classes():
    y = np.repeat(["a", "b"], [800, 200])
    train, test = few(y, 0, 1)
    assert len(train) == FEW and len(test) == 2 * FEW and not set(train) & set(test)
    assert np.mean(y[train] == "b") == pytest.approx(0.2)


class Given:
    name = fingerprint = "given"

    def __init__(self, split):
        self.one = split

    def split(self, seed, number):
        return self.one


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: rival.name)
def test_rivals_learn(rival, kind):
    block, y = small_problem(n=120, n_classes=2, kind=kind)
    train, test = np.arange(120) % 3 > 0, np.arange(120) % 3 == 0
    blocks = [
        block[np.ix_(rows, np.flatnonzero(train))] for rows in map(np.flatnonzero, (train, test))
    ]
    split = Split(blocks[0], y[train], blocks[1], y[test])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run_unit(Unit(Given(split), rival, 0, 0))
    assert "failure" not in result
    assert result["error"] < 0.35 and result["log_loss"] < 2.0
    assert result["parameters"]


def test_the_command_runs_what_is_missing(folder, tmp_path, capsys):
    out, kept = tmp_path / "out", tmp_path / "kept"
    words = ["--data", folder, "--datasets", "aural-sonar,hayes", "--splits", 2, "-o", out]
    words += ["--methods", "knn,sklearn-knn"]
    assert reproduce(*words, "--pack", kept) == 0
    told = capsys.readouterr()
    assert "Missing: hayes" in told.err and "no results of the default" in told.out
    assert len(stored_records(kept, "auto")) == 4
    assert reproduce(*words) == 0
    assert len((out / "auto.jsonl").read_text().splitlines()) == 4
    assert reproduce(*words, "--again") == 0
    assert len((out / "auto.jsonl").read_text().splitlines()) == 8
    assert len(stored_records(out, "auto")) == 4
    assert reproduce("-o", tmp_path / "elsewhere", "--merge", out / "auto.jsonl") == 0
    assert len(stored_records(tmp_path / "elsewhere", "auto")) == 4
    assert reproduce("-o", out, "--printed") != 0
    assert "--printed goes with tables of papers, which auto is not" in capsys.readouterr().err


def test_the_command_reports_what_is_stored(tmp_path, capsys):
    page = tmp_path / "auto.md"
    lines = b"".join(map(line_of, results(["voting", "iris"], worse_on=["voting"])))
    (tmp_path / "auto.jsonl").write_bytes(lines)
    assert reproduce("-o", tmp_path, "--document", page) == 0
    assert "no      error not significantly larger" in capsys.readouterr().out
    assert "# How the default stands" in page.read_text("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "nothing"],
        ["--again", "--shard", "1/2"],
        ["--data", ".", "--datasets", "moon"],
        ["--data", ".", "--datasets", "iris"],
        ["--data", "nowhere"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_run_is_a_sentence(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert reproduce(*words) == 2
    assert "Error:" in capsys.readouterr().err


def test_unknown_methods_are_named(folder, tmp_path, capsys):
    words = ["--data", folder, "--datasets", "iris", "--methods", "moon", "-o", tmp_path]
    assert reproduce(*words) == 2
    assert "no method 'moon'" in capsys.readouterr().err


def reproduce(*words):
    return run(["reproduce", "auto", *map(str, words)])


def test_missing_values_of_a_large_set_are_filled_by_training_means():
    X = np.random.default_rng(0).normal(size=(700, 2))
    X[::50, 0] = np.nan
    split = _few_rows((X, np.arange(700) % 2), 0, 0)
    assert split.train.shape == (300, 300)
    assert np.isfinite(split.train.values).all() and np.isfinite(split.test.values).all()


def test_quick_methods_come_first_and_sets_are_completed_one_by_one():
    problems = [Given(None), Given(None)]
    units = units_of(problems, 2, ["lp-machine", "sklearn-knn", "knn"], seed=0)
    assert [unit.method.name for unit in units[:3]] == ["knn", "sklearn-knn", "lp-machine"]
    assert all(unit.problem is problems[0] for unit in units[:6])
    assert [unit.split for unit in units[:6]] == [0, 0, 0, 1, 1, 1]


def test_results_of_the_default_are_named_by_its_portfolio(monkeypatch):
    (unit,) = units_of([Given(None)], 1, ["auto"], seed=0)
    before = unit.key
    monkeypatch.setattr(portfolio, "PORTFOLIO", portfolio.PORTFOLIO[:-3])
    assert unit.key != before
