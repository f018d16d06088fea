import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from similearn.errors import MissingDataError
from similearn.experiments.comparisons.runner import run_units
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.uci import UCI_SETS, tuning_folds
from similearn.experiments.reproduction.columns.usps import Digits, read_digits
from similearn.experiments.reproduction.plan import loaded
from similearn.experiments.reproduction.plans.dboost import PLANS, TABLE_2
from tests.experiments.data import quick_units

FIGURES = PLANS[1:]
COLUMNS = {column.key: column for column in TABLE_2.columns}


def write_table(folder, name, X, y, header):
    path = folder / "features" / f"{name}.csv.gz"
    path.parent.mkdir(exist_ok=True)
    lines = [",".join([*header, "label"])]
    for row, label in zip(X, y, strict=True):
        lines.append(",".join(["" if np.isnan(cell) else f"{cell:.17g}" for cell in row] + [label]))
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def two_clouds(n=40, d=3):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], n // 2)
    return rng.normal(size=(n, d)) + 3.0 * (y == "b")[:, None], y


def make_folder(tmp_path, name, X, y, header=None):
    header = header or [f"x{i}" for i in range(X.shape[1])]
    write_table(tmp_path, name, X, y, header)
    return DataFolder(tmp_path)


def test_every_row_runs(tmp_path):
    data = make_folder(tmp_path, "iris", *two_clouds())
    problems, missing = loaded(TABLE_2, data, only=["iris-standardized", "wine"])
    assert set(missing) == {"wine"}
    records = run_units(quick_units(TABLE_2, problems, n_splits=1))
    assert len(records) == len(TABLE_2.rows)
    assert all("failure" not in record for record in records)
    assert max(record["error"] for record in records) <= 0.25


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_rows_and_columns_answer_to_the_printed_table(plan):
    table = plan.table
    assert {row.printed for row in plan.rows} == set(table.rows)
    of_record = [column.printed for column in plan.columns if not column.reading]
    assert of_record == list(table.columns)
    assert len({row.method.name for row in plan.rows}) == len(plan.rows)
    assert len({column.key for column in plan.columns}) == len(plan.columns)


@pytest.mark.parametrize(
    ("column", "row", "mean", "sd"),
    [
        ("Balance", "NN", 21.4, 3.4),
        ("Hepatitis", "RQNC", 18.3, 0.8),
        ("Letter", "LSVM", 6.1, 0.2),
        ("Wine", "DBoost", 2.2, 2.3),
        ("WPBC", "RLNC", 29.4, 5.2),
    ],
)
def test_printed_cells(column, row, mean, sd):
    cell = TABLE_2.table.cells[column, row]
    assert (cell.mean, cell.sd) == (mean, sd)


def test_printed_averages():
    """The table's last line: what was typed adds up."""
    table = TABLE_2.table
    averages = [
        np.mean([table.cells[column, row].mean for column in table.columns]) for row in table.rows
    ]
    assert_allclose(averages, [19.3, 17.8, 18.2, 13.8, 11.6], atol=0.05)


def test_folds_partition_the_rows_and_standard_scores_see_training_rows_only(tmp_path):
    X, y = two_clouds()
    data = make_folder(tmp_path, "iris", X * [1.0, 10.0, 100.0], y)
    raw, scored = (COLUMNS[key].load(data) for key in ("iris", "iris-standardized"))
    splits = [scored.split(0, number) for number in range(5)]
    assert sum(len(split.y_test) for split in splits) == len(y)
    plain, split = raw.split(0, 0), splits[0]
    # The same rows are recognized by their raw distances.
    D = cdist(X * [1.0, 10.0, 100.0], X * [1.0, 10.0, 100.0])
    train = [int(np.argmin(np.abs(np.sort(D, 1) - row).sum(1))) for row in sorted_rows(plain, D)]
    assert len(set(train)) == len(train) == 32
    A = X[train]
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    assert_allclose(split.train.values, cdist(A, A), atol=1e-9)


def sorted_rows(split, D):
    """Rows of D, sorted, of the training samples: training and test distances together."""
    both = np.concatenate([split.train.values, split.test.values])
    assert both.shape[0] == len(D)
    return np.sort(both.T, axis=1)


def test_missing_values_are_filled_or_left_out(tmp_path):
    X, y = two_clouds()
    X[3, 1] = X[30, 0] = np.nan
    data = make_folder(tmp_path, "hepatitis", X, y)
    filled = COLUMNS["hepatitis"].load(data).split(0, 0)
    complete = COLUMNS["hepatitis-complete"].load(data).split(0, 0)
    assert len(filled.y_train) + len(filled.y_test) == 40
    assert len(complete.y_train) + len(complete.y_test) == 38
    assert np.isfinite(filled.train.values).all()
    assert np.isfinite(filled.test.values).all()


def test_classes_are_merged_and_columns_chosen(tmp_path):
    X, y = two_clouds()
    labels = np.where(y == "a", "0", np.resize(["1", "2", "3", "4"], len(y)))
    data = make_folder(tmp_path, "heart-cleveland", X, labels)
    assert set(COLUMNS["cleveland"].load(data).split(0, 0).y_train) == {"0", "1-4"}
    echo = next(chosen for chosen in UCI_SETS if chosen.key == "echo")
    wide = np.column_stack([np.tile(X, 3)[:, :8], np.full(len(X), np.nan)])
    labels = np.where(np.arange(len(y)) == 5, "", y)
    data = make_folder(tmp_path, "echocardiogram", wide, labels, [*echo.columns, "other"])
    split = COLUMNS["echo"].load(data).split(0, 0)
    assert len(split.y_train) + len(split.y_test) == 39


def test_parameters_are_chosen_on_a_share_of_many_rows():
    y = np.repeat(["a", "b"], [1500, 700])
    folds = tuning_folds(y, 0)
    held_out = np.concatenate([out for _, out in folds])
    assert len(held_out) == len(set(held_out)) == 1000
    assert all(len(set(train) & set(out)) == 0 for train, out in folds)


def test_a_missing_half_is_told(tmp_path):
    data = make_folder(tmp_path, "monk1-train", *two_clouds())
    with pytest.raises(MissingDataError, match=r"monk1-test\.csv\.gz"):
        COLUMNS["monk1"].load(data)


def digits_folder(tmp_path, n_train=40, n_test=20):
    """Bars of 6 x 6 pixels, upright or lying, and a little grey."""
    rng = np.random.default_rng(1)
    for name, n in (("usps-train", n_train), ("usps-test", n_test)):
        y = np.resize(["0", "1"], n)
        images = rng.uniform(-1.0, -0.6, size=(n, 6, 6))
        for image, label, place in zip(images, y, rng.integers(1, 5, n), strict=True):
            (image if label == "0" else image.T)[place] += 1.5
        X = images.reshape(n, -1)
        write_table(tmp_path, name, X, y, [f"p{i}" for i in range(36)])
    return DataFolder(tmp_path)


@pytest.mark.parametrize("plan", FIGURES, ids=lambda plan: plan.name)
def test_every_row_of_the_figures_runs(plan, tmp_path):
    data = digits_folder(tmp_path)
    last = [column.key for column in plan.columns][-2:]
    problems, missing = loaded(plan, data, only=last)
    assert not missing
    records = run_units(quick_units(plan, problems))
    assert len(records) == 2 * len(plan.rows)
    assert all("failure" not in record for record in records)
    assert all(record["n_test"] == 20 for record in records)


def test_figures_print_no_numbers_but_claims():
    assert all(not plan.table.cells and plan.table.claims for plan in FIGURES)


def test_digits_are_noisy_few_and_quantized(tmp_path):
    data = digits_folder(tmp_path)
    plain, noisy = read_digits(data, Digits()), read_digits(data, Digits(noise=0.5))
    assert noisy.train.values.mean() > plain.train.values.mean()
    assert_allclose(noisy.train.values, read_digits(data, Digits(noise=0.5)).train.values)
    few = read_digits(data, Digits(n_train=10))
    assert few.test.shape == (20, 10)
    assert sorted(few.y_train) == ["0"] * 5 + ["1"] * 5
    levels = read_digits(data, Digits(n_levels=3)).test.values
    assert set(np.unique(levels)) <= {0.0, 1.0, 2.0}
    assert Digits("fuzzy").similarity().low == -1.0
