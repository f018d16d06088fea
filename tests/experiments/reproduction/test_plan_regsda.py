import pytest

from similearn.experiments.comparisons.runner import run_unit
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.plan import loaded
from similearn.experiments.reproduction.plans.regsda import PLANS
from similearn.experiments.reproduction.published.printed import published
from tests.experiments.data import quick_units
from tests.experiments.reproduction.tiny import write_data

(PLAN,) = PLANS


@pytest.mark.parametrize(
    ("column", "row", "mean", "sd"),
    [
        ("Amazon", "Local SDA (joint-regularized)", 8.95, 5.79),
        ("Aural Sonar", "Local SDA (marginal-regularized)", 12.00, 6.20),
        ("Patrol", "SVM w/ flipped spectrum", 47.29, 5.90),
        ("Voting", "Local SDA (mean constraint-regularized)", 5.06, 1.83),
    ],
)
def test_printed_numbers(column, row, mean, sd):
    cell = published("regsda-1").cells[column, row]
    assert (cell.mean, cell.sd) == (mean, sd)


def test_every_cell_is_there():
    assert len(published("regsda-1").cells) == 4 * 11


def test_every_row_runs(tmp_path, two_folds):
    data = DataFolder(write_data(tmp_path, ["aural-sonar"]))
    problems, missing = loaded(PLAN, data, only=["aural-sonar", "amazon"])
    assert list(problems) == ["aural-sonar"] and "amazon.npz" in missing["amazon"]
    for unit in quick_units(PLAN, problems, n_splits=1):
        record = run_unit(unit)
        assert "failure" not in record and record["error"] <= 0.75, record
