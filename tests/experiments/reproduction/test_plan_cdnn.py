"""CDNN Experiments 1 and 2: the printed numbers, and that every row runs on made-up data."""

import csv
import gzip
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.experiments.comparisons.runner import run_unit
from similearn.experiments.registry import input_of, kind_of
from similearn.experiments.reproduction.columns import protein_fold
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.protein_fold import (
    FEATURES,
    GROUPS,
    SCORES,
    polynomial,
    random_cut,
    scores_cut,
)
from similearn.experiments.reproduction.plan import loaded, units_of
from similearn.experiments.reproduction.plans import cdnn
from similearn.experiments.reproduction.plans.cdnn import _MISPRINTED, _PRINTED, PLANS

CYLINDER, PROTEIN = PLANS
N_TRAIN, N_TEST, N_CLASSES = 24, 18, 3
FEW = {"combiner__ridge": (1.0,), "machine__C": (1.0, 10.0)}  # grids that take little time


def records_of(plan, problems):
    """Run every row once, with small grids."""
    units = units_of(plan, problems, n_splits=1)
    small = [replace(u.method, grid={name: FEW[name] for name in u.method.grid}) for u in units]
    return [run_unit(replace(u, method=m)) for u, m in zip(units, small, strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Proteins of three folds: every group tells them apart, with noise."""
    path = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(N_TRAIN) % N_CLASSES, np.arange(N_TEST) % N_CLASSES]) + 1
    groups = {g: np.eye(4)[y][:, 1:] + 0.3 * rng.normal(size=(len(y), 3)) for g in FEATURES}
    (path / "features").mkdir()
    (path / "similarity").mkdir()
    header = [f"{group}_{i}" for group in FEATURES for i in range(3)] + ["label"]
    for half, rows in (("train", slice(0, N_TRAIN)), ("test", slice(N_TRAIN, None))):
        file = path / "features" / f"protein-fold-{half}.csv.gz"
        with gzip.open(file, "wt", encoding="utf-8", newline="") as out:
            table = np.hstack([groups[g][rows] for g in FEATURES])
            csv.writer(out).writerows(
                [header, *([*row, label] for row, label in zip(table, y[rows], strict=True))]
            )
    for matrix in SCORES:
        points = groups["composition"] + 0.1 * rng.normal(size=(len(y), 3))
        S = np.rint(100 * np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2)))
        np.savez(
            path / "similarity" / f"protein-fold-sw-{matrix}.npz",
            S_train=S[:N_TRAIN, :N_TRAIN],
            S_test=S[N_TRAIN:, :N_TRAIN],
            y_train=y[:N_TRAIN],
            y_test=y[N_TRAIN:],
            kind="similarity",
        )
    return DataFolder(path)


@pytest.fixture(scope="module")
def problem(folder):
    return loaded(PROTEIN, folder)[0]["protein-fold"]


@pytest.fixture
def two_tuning_folds(monkeypatch):
    """Enough to choose between the points of such grids."""
    for module in (cdnn, protein_fold):
        monkeypatch.setattr(module, "TUNING_FOLDS", 2)


def test_printed_numbers():
    errors, shares = CYLINDER.table.cells, PROTEIN.table.cells
    assert errors["Cylinder", "Δ1"].mean == 25.6 and errors["Cylinder", "Δ4"].sd == 6.4
    assert errors["Cylinder", "Pythagorean"].mean == 19.8
    assert errors["Cylinder", "CDNN"].mean == 12.5 and errors["Cylinder", "CDNN"].sd == 3.3
    assert shares["Protein fold", "L14"].mean == 0.361
    assert shares["Protein fold", "SWblosum62"].sd == 0.033
    assert shares["Protein fold", "Pythagorean"].mean == 0.416
    assert shares["Protein fold", "CDNN"].mean == 0.457


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_every_printed_row_is_answered_once_without_a_reading(plan):
    table = plan.table
    answered = [row.printed for row in plan.rows if not row.reading and row.printed]
    assert sorted(answered) == sorted(table.rows)
    assert {row.printed for row in plan.rows} - {""} <= set(table.rows)
    names = [row.method.name for row in plan.rows]
    assert len(set(names)) == len(names)


def test_inferred_names_are_a_rearrangement():
    assert sorted(_MISPRINTED.values()) == sorted(_PRINTED[group] for group in _MISPRINTED)
    assert all(_PRINTED[group] != name for group, name in _MISPRINTED.items())


def test_every_row_runs_on_the_cylinder(two_tuning_folds):
    problems, missing = loaded(CYLINDER, None)
    assert not missing
    records = records_of(CYLINDER, problems)
    assert [record["method"] for record in records] == [r.method.name for r in CYLINDER.rows]
    errors = {record["method"]: record["error"] for record in records}
    assert all(0 <= error < 0.55 for error in errors.values())
    assert errors["pythagorean"] < errors["1nn-x3"]
    chosen = {record["method"]: record["parameters"] for record in records}
    assert "ridge" in chosen["cdnn"] and not chosen["pythagorean"]


def test_every_row_runs_on_proteins(folder, two_tuning_folds):
    problems, missing = loaded(PROTEIN, folder)
    assert not missing
    records = records_of(PROTEIN, problems)
    assert not [record["failure"] for record in records if "failure" in record]
    assert {record["problem"] for record in records} == {c.key for c in PROTEIN.columns}
    of_printed = {r["method"] for r in records if r["problem"] == "protein-fold"}
    assert of_printed == {row.method.name for row in PROTEIN.rows}
    assert all(r["error"] < 0.5 for r in records if not r["method"].startswith("1nn-"))


def test_proteins_are_missed_by_name(tmp_path):
    _, missing = loaded(PROTEIN, DataFolder(tmp_path))
    assert set(missing) == {column.key for column in PROTEIN.columns}
    assert "protein-fold-train.csv.gz" in missing["protein-fold"]


def test_random_split_and_folds(problem):
    split = problem.split(0, 3)
    assert list(split.train) == list(GROUPS)
    assert split.train.shape == (N_TRAIN, N_TRAIN) and split.test.shape == (N_TEST, N_TRAIN)
    assert len(split.folds) == 5
    held_out = np.concatenate([out for _, out in split.folds])
    assert sorted(held_out) == list(range(N_TRAIN))
    again, other = problem.split(0, 3), problem.split(0, 4)
    assert_allclose(again.test["l30"].values, split.test["l30"].values)
    assert not np.allclose(other.test["l30"].values, split.test["l30"].values)


def test_standardized_by_training_proteins_alone(problem):
    groups, y, n_train = problem.read()
    wide = {name: 7.0 * table + 3.0 for name, table in groups.items()}
    here = random_cut((groups, y, n_train), 0, 0, standardize=True)
    there = random_cut((wide, y, n_train), 0, 0, standardize=True)
    for name in GROUPS:
        assert_allclose(there.test[name].values, here.test[name].values, atol=1e-9)
        # Squared distances of standardized features average 2 a feature.
        mean = (here.train[name].values ** 2).mean()
        varying = np.count_nonzero(np.ptp(groups[name], axis=0) > 0)
        assert_allclose(mean, 2.0 * varying, rtol=1e-9)


def test_scores_are_similarities_of_original_training_proteins(problem):
    groups, y, n_train = whole = problem.read()
    split = scores_cut(whole, 0, 0)
    assert split.train.shape == (19, 19) and len(split.y_test) == N_TEST
    scores = groups["sw-pam50"]
    farthest = split.test["sw-pam50"].values.max()
    assert 0 < farthest <= scores.max() - scores[n_train:].min()
    assert split.train["sw-pam50"].is_symmetric
    assert len(y) == N_TRAIN + N_TEST


def test_polynomial_distance_is_that_of_its_features():
    A = np.random.default_rng(0).normal(size=(4, 3))

    def features(x):
        pairs = [x[i] * x[j] for i in range(3) for j in range(3)]
        return np.array([1.0, *(np.sqrt(2.0) * x), *pairs])

    F = np.stack([features(x) for x in A])
    expected = np.linalg.norm(F[:, None] - F[None], axis=2)
    assert_allclose(polynomial(A, A), expected, atol=1e-6)


def test_sources_without_pairs_pass_through(problem):
    split = problem.split(0, 0)
    method = PROTEIN.rows[0].method
    assert input_of(method, split.train) is split.train
    assert kind_of(split.train) == "features"
