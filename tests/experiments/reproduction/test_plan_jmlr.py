import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn.data import Pairwise
from similearn.errors import InputError
from similearn.experiments.comparisons.runner import run_unit
from similearn.experiments.registry import get_method
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.plan import loaded
from similearn.experiments.reproduction.plans.jmlr import PLANS
from similearn.experiments.reproduction.published.printed import published
from tests.experiments.data import quick_units
from tests.experiments.reproduction.tiny import write_data

TABLE_3, TABLE_4 = PLANS


@pytest.mark.parametrize(
    ("table", "column", "row", "mean", "sd"),
    [
        ("jmlr-3", "Amazon-47", "P-SVM", 70.12, 8.82),
        ("jmlr-3", "Caltech-101", "KRR k-NN (pinv)", 29.90, 0.44),
        ("jmlr-3", "Mirex", "SVM-similarities as features (linear)", 55.54, 2.52),
        ("jmlr-3", "Protein", "k-NN", 29.88, 9.96),
        ("jmlr-3", "Protein RBF", "SVM-similarities as features (RBF)", 2.44, 2.60),
        ("jmlr-3", "Voting", "Local SDA", 6.38, 2.07),
        ("jmlr-4", "Amazon", "SVM flip", 84.27, None),
        ("jmlr-4", "Patrol", "KRI shift", 13.23, None),
        ("jmlr-4", "Protein", "SVM-KNN flip", 1.74, None),
        ("jmlr-4", "Voting", "KRR pinv", 5.52, None),
    ],
)
def test_printed_numbers(table, column, row, mean, sd):
    cell = published(table).cells[column, row]
    assert (cell.mean, cell.sd) == (mean, sd)


def test_every_cell_is_there():
    assert len(published("jmlr-3").cells) == 9 * 10
    assert len(published("jmlr-4").cells) == 5 * 13


def test_grids_are_those_of_table_2():
    sizes = {row.printed: np.prod([len(v) for v in row.method.grid.values()]) for row in _ours()}
    assert sizes == {
        "k-NN": 19,
        "affinity k-NN": 19,
        "KRI k-NN (clip)": 19 * 9,
        "KRR k-NN (pinv)": 19 * 5,
        "Local SDA": 19,
        "SVM-KNN (clip)": 19 * 9,
        "SVM-similarities as kernel (clip)": 9,
        "SVM-similarities as features (linear)": 9,
        "SVM-similarities as features (RBF)": 5 * 7,
        "P-SVM": 6 * 5,
    }


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_every_row_runs(plan, tmp_path, two_folds):
    problems, missing = loaded(
        plan, DataFolder(write_data(tmp_path, ["protein"])), only=["protein", "patrol"]
    )
    assert list(problems) == ["protein"] and "patrol.npz" in missing["patrol"]
    for unit in quick_units(plan, problems, n_splits=1):
        record = run_unit(unit)
        assert "failure" not in record and record["error"] <= 0.75, record


def test_protein_rbf_measures_rows_over_the_whole_data_set(tmp_path):
    data = DataFolder(write_data(tmp_path, ["protein"]))
    block, _ = data.read_block("protein")
    problems, _ = loaded(TABLE_3, data, only=["protein", "protein-rbf", "protein-rbf-mean"])
    plain, rbf, mean = (problem.split(0, 0) for problem in problems.values())
    assert_array_equal(plain.y_train, rbf.y_train)
    rows = [_row_of(block.values, plain.train.values[i]) for i in (0, 1)]
    distance = np.square(block.values[rows[0]] - block.values[rows[1]]).sum()
    assert_allclose(rbf.train.values[0, 1], np.exp(-distance))
    assert_allclose(mean.train.values[0, 1], np.exp(-distance / 40))


def test_partitions_of_the_file_are_used(tmp_path):
    partitions = np.zeros((1, 40))
    partitions[0, 30:] = 1
    data = DataFolder(write_data(tmp_path, ["voting"]))
    block, y = data.read_block("voting")
    arrays = {"S": block.values, "y": y, "kind": block.kind, "partitions": partitions}
    np.savez(data.similarity("voting"), **arrays)
    (problem,) = loaded(TABLE_3, data, only=["voting"])[0].values()
    split = problem.split(0, 0)
    assert_array_equal(split.test.values, block.values[30:, :30])
    assert_array_equal(split.y_test, y[30:])
    with pytest.raises(InputError, match="brings 1"):
        problem.split(0, 1)


def test_true_protein_leaves_the_collected_class_out(tmp_path):
    folder = tmp_path / "similarity"
    folder.mkdir()
    y = np.repeat([1, 2, 3, 4, 5], 8)
    D = 2.0 * np.abs(np.arange(40)[:, None] - np.arange(40))
    np.savez(folder / "protein-hofmann-buhmann-226.npz", S=D, y=y, kind="dissimilarity")
    (problem,) = loaded(TABLE_3, DataFolder(tmp_path), only=["protein-true"])[0].values()
    split = problem.split(0, 0)
    assert split.train.kind == "similarity" and len(split.y_train) + len(split.y_test) == 32
    assert "5" not in split.y_train.astype(str)
    assert_allclose(split.test.values.max(), 1 - 2 / 62)  # 62: the largest of classes 1-4


def test_strict_voting_needs_no_file_and_knows_no_test_label(tmp_path):
    (problem,) = loaded(TABLE_4, DataFolder(tmp_path), only=["voting-strict"])[0].values()
    whole = problem.read()
    before = problem.cut(whole, 0, 0)
    train, test = len(before.y_train), len(before.y_test)
    assert (train, test) == (348, 87) and before.train.kind == before.test.kind == "similarity"
    order = np.random.default_rng([0, 0, 0]).permutation(435)
    whole.y = whole.y.copy()
    whole.y[order[:87]] = "democrat"
    after = problem.cut(whole, 0, 0)
    assert_array_equal(before.train.values, after.train.values)
    assert_array_equal(before.test.values, after.test.values)


@pytest.mark.parametrize("name", ["features-linear-svm", "features-rbf-svm"])
def test_machines_on_features_take_dissimilarities_too(name):
    estimator = get_method(name).build("dissimilarity")
    D = np.abs(np.arange(8.0)[:, None] - np.arange(8))
    block = Pairwise(D, "dissimilarity")
    assert_array_equal(estimator.fit(block, [0] * 4 + [1] * 4).predict(block), [0] * 4 + [1] * 4)


def _ours():
    return [row for row in TABLE_3.rows if row.printed and not row.reading]


def _row_of(values, cut):
    """Position of the row that holds all these values."""
    return next(i for i, row in enumerate(values) if np.isin(cut, row).all())


def test_the_gaussian_svm_has_gamma_as_printed():
    (row,) = [r for r in TABLE_3.rows if r.printed == "SVM-similarities as features (RBF)"]
    assert row.method.name == "features-rbf-svm"  # the stored results are under this name
    assert row.method.grid["rows__gamma"] == tuple(10.0**-e for e in range(-1, 6))
    assert row.method.build("similarity")["rows"].gamma == 1.0
