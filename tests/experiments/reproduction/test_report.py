from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

from similearn.experiments.reproduction.pages.show import (
    as_markdown,
    as_text,
    counted,
    grid_as_markdown,
)
from similearn.experiments.reproduction.pages.table_report import report, standard_error
from similearn.experiments.reproduction.plan import Column, Row
from similearn.experiments.reproduction.published.printed import Cell
from tests.experiments.reproduction.tiny import TinyPlan, absent, small, tiny_plan


def record(method, split, error, **changes):
    fields = {
        "key": f"{method}{split}",
        "table": "tiny",
        "problem": "small",
        "method": method,
        "split": split,
        "error": error,
        "log_loss": 0.5,
        "brier": None,
        "fit_seconds": 1.0,
        "predict_seconds": 0.5,
        "n_test": 50,
    }
    return fields | changes


def records(errors, method="knn"):
    return [record(method, split, error) for split, error in enumerate(errors)]


def cell_of(plan, found, method="knn"):
    return next(c for c in report(plan, found).cells if c.row.method.name == method)


def test_the_difference_is_in_standard_errors_of_both_means():
    errors = np.array([0.1, 0.2, 0.3, 0.4])
    cell = cell_of(tiny_plan(), records(errors))
    sd = 100 * errors.std(ddof=1)
    expected = (25 - 20) / sqrt(sd**2 / 4 + 8.0**2 / 20)
    assert cell.mean == pytest.approx(25) and cell.sd == pytest.approx(sd)
    assert cell.standard_errors == pytest.approx(expected)
    assert cell.verdict == "agrees" and cell.n == 4
    assert cell.log_loss == 0.5 and cell.brier is None and cell.seconds == 1.5


@pytest.mark.parametrize(
    "errors, verdict", [([0.2, 0.21], "agrees"), ([0.5, 0.51], "higher"), ([0.0, 0.01], "lower")]
)
def test_verdicts(errors, verdict):
    assert cell_of(tiny_plan(), records(errors)).verdict == verdict


def test_one_partition_has_the_standard_error_of_a_share():
    assert standard_error(None, 1, 20.0, 400) == pytest.approx(100 * sqrt(0.2 * 0.8 / 400))
    assert standard_error(3.0, 9, 20.0, 400) == pytest.approx(1.0)


def test_no_spread_at_all_agrees_only_where_equal():
    table = tiny_plan().table

    class Exact(TinyPlan):
        @property
        def table(self):
            return replace(table, cells={("Small", "k-NN"): Cell(0.0, 0.0)})

    plan = tiny_plan()
    exact = Exact("tiny", plan.columns, plan.rows)
    assert cell_of(exact, records([0.0, 0.0])).verdict == "agrees"
    away = cell_of(exact, records([0.1, 0.1]))
    assert away.standard_errors == inf and away.verdict == "higher"


def test_accuracies_are_compared_as_accuracies():
    table = tiny_plan().table
    printed = {("Small", "k-NN"): Cell(0.80, 0.08)}

    class Accuracy(TinyPlan):
        @property
        def table(self):
            return replace(table, measure="accuracy", cells=printed)

    plan = tiny_plan()
    cell = cell_of(Accuracy("tiny", plan.columns, plan.rows), records([0.1, 0.2, 0.3, 0.4]))
    error = cell_of(plan, records([0.1, 0.2, 0.3, 0.4]))
    assert cell.mean == pytest.approx(0.75) and cell.sd == pytest.approx(error.sd / 100)
    assert cell.standard_errors == pytest.approx(-error.standard_errors)


def test_bold_is_the_papers_methods_not_significantly_worse():
    plan = tiny_plan()
    other = Row("", replace(plan.rows[0].method, name="other"))
    plan = TinyPlan("tiny", plan.columns, (*plan.rows, other))
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.1, 0.3, size=20)
    found = [
        *records(errors),
        *records(errors + 0.1, "affinity-knn"),
        *records(errors - 0.05, "other"),
    ]
    bold = {cell.row.method.name: cell.bold for cell in report(plan, found).cells}
    assert bold == {"knn": True, "affinity-knn": False, "other": False}


def test_too_few_partitions_make_bold_the_lowest_alone():
    found = [*records([0.2, 0.2]), *records([0.3, 0.2], "affinity-knn")]
    bold = {cell.row.method.name: cell.bold for cell in report(tiny_plan(), found).cells}
    assert bold == {"knn": True, "affinity-knn": False}


def test_readings_answer_to_the_printed_cell_but_are_told_apart():
    plan = tiny_plan()
    reading = Column("small", "Small", small, reading="shuffled")
    plan = TinyPlan("tiny", (reading, Column("absent", "Absent", absent)), plan.rows)
    found = report(plan, records([0.2, 0.2, 0.1]))
    assert found.cells[0].paper.mean == 20.0 and not found.cells[0].as_printed
    assert "Small [1]" in as_text(found) and "[1] shuffled." in as_text(found)
    assert [column.key for column in found.columns_without_results] == ["absent"]


def test_what_is_shown():
    found = report(
        tiny_plan(), [*records([0.2, 0.3, 0.25]), record("affinity-knn", 0, 0, failure="refused")]
    )
    text = as_text(found)
    assert "20.00 (8.00)" in text and "25.00 (5.00)" in text and "agrees" in text
    assert "affinity-knn failed: refused" in text
    assert "Without results: Absent" in text
    grid = grid_as_markdown(found)
    assert "| k-NN | 20.00 = **25.00** |" in grid and "| affinity | failed |" in grid
    assert "| k-NN | 20.00 (8.00) | **25.00 (5.00)** |" in as_markdown(found)
    assert counted(found.cells) == "1 of 1 cells agree, ours is lower in 0 and higher in 0"
