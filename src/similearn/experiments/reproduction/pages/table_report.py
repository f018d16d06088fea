"""Ours against the paper's: means, differences in standard errors, what agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from similearn.experiments.comparisons.statistics import fewest_splits, not_significantly_worse
from similearn.experiments.comparisons.store import Record
from similearn.experiments.comparisons.tables import paired_errors
from similearn.experiments.reproduction.plan import Column, Plan, Row
from similearn.experiments.reproduction.published.printed import Cell, PublishedTable

AGREES = 2.0  # standard errors of the difference


@dataclass(frozen=True)
class ReportedCell:
    """One cell of a table: ours, and the paper's if it has one.

    Parameters
    ----------
    column, row : of the plan
    paper : the printed cell, or None
    mean, sd : ours, in the measure of the table; the sd is over partitions, with n - 1, and
        None where there is one only
    n : partitions
    standard_errors : (ours - paper's) / standard error of that difference; None without a
        printed number
    bold : lowest error, or not significantly larger, among the paper's methods as printed
    log_loss, brier, seconds : means over partitions; seconds are for choosing parameters,
        fitting and predicting
    failure : why there is no result, if there is none
    """

    column: Column
    row: Row
    paper: Cell | None
    mean: float | None
    sd: float | None
    n: int
    standard_errors: float | None
    bold: bool
    log_loss: float | None
    brier: float | None
    seconds: float | None
    failure: str | None = None

    @property
    def verdict(self) -> str:
        """Whether ours "agrees", is "lower" or "higher"; empty where there is no telling."""
        if self.standard_errors is None:
            return ""
        if abs(self.standard_errors) <= AGREES:
            return "agrees"
        return "lower" if self.standard_errors < 0 else "higher"

    @property
    def as_printed(self) -> bool:
        """Whether data and method are what the paper says, rather than another reading."""
        return bool(self.column.printed and self.row.printed) and not (
            self.column.reading or self.row.reading
        )


@dataclass(frozen=True)
class Report:
    """All cells of a table that have results, in the order of the plan."""

    table: PublishedTable
    cells: tuple[ReportedCell, ...]
    columns_without_results: tuple[Column, ...]

    def of_column(self, column: Column) -> list[ReportedCell]:
        """Cells of one data set."""
        return [cell for cell in self.cells if cell.column is column]

    @property
    def columns(self) -> list[Column]:
        """Data sets with results."""
        return list(dict.fromkeys(cell.column for cell in self.cells))

    @property
    def seconds(self) -> float:
        """Time of all units together, on one core."""
        return sum((cell.seconds or 0.0) * cell.n for cell in self.cells)


def report(plan: Plan, records: Sequence[Record]) -> Report:
    """Set the results of a table against its printed numbers; nothing is computed again.

    Parameters
    ----------
    plan : of the table
    records : its stored results
    """
    by_cell: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        place = by_cell.setdefault((record["problem"], record["method"]), {})
        if record["split"] not in place or "failure" not in record:
            place[record["split"]] = record
    cells = []
    for column in plan.columns:
        groups = {
            row: list(by_cell[column.key, row.method.name].values())
            for row in plan.rows
            if (column.key, row.method.name) in by_cell
        }
        bold = _bold(groups)
        cells += [_cell(plan.table, column, row, g, row in bold) for row, g in groups.items()]
    with_results = {cell.column for cell in cells}
    without = tuple(column for column in plan.columns if column not in with_results)
    return Report(plan.table, tuple(cells), without)


def standard_error(sd: float | None, n: int, mean: float, n_test: float) -> float:
    """Standard error of a mean over n partitions.

    With one partition only, that of a share of `n_test` independent test samples, in the
    unit of `sd`, percent: √(p (100 - p) / n_test).
    """
    if sd is not None and n > 1:
        return sd / sqrt(n)
    return sqrt(max(mean * (100.0 - mean), 0.0) / n_test)


def _bold(groups: dict[Row, list[Record]]) -> set[Row]:
    """Rows of the paper that the papers would print in bold."""
    done = {
        row.method.name: [r for r in group if "failure" not in r]
        for row, group in groups.items()
        if row.printed and not row.reading
    }
    errors = paired_errors(done)
    close = not_significantly_worse(errors)
    if any(len(e) < fewest_splits() for e in errors.values()):
        # The test could find nothing: the lowest alone stands out.
        close = {name: p for name, p in close.items() if _is_lowest(name, errors)}
    return {row for row in groups if row.method.name in close}


def _is_lowest(name: str, errors: dict[str, Any]) -> bool:
    return bool(np.mean(errors[name]) <= min(np.mean(e) for e in errors.values()))


def _cell(
    table: PublishedTable, column: Column, row: Row, group: list[Record], bold: bool
) -> ReportedCell:
    done = [record for record in group if "failure" not in record]
    failure = next((record["failure"] for record in group if "failure" in record), None)
    paper = table.cells.get((column.printed, row.printed))
    if not done:
        return ReportedCell(
            column, row, paper, None, None, 0, None, False, None, None, None, failure
        )
    percent = 100 * np.array([record["error"] for record in done])
    n_test = float(np.mean([record["n_test"] for record in done]))
    mean, sd = float(percent.mean()), float(percent.std(ddof=1)) if len(done) > 1 else None
    away = None if paper is None else _standard_errors(table, paper, mean, sd, len(done), n_test)
    fraction = table.measure == "accuracy"
    return ReportedCell(
        column=column,
        row=row,
        paper=paper,
        mean=1 - mean / 100 if fraction else mean,
        sd=sd / 100 if fraction and sd is not None else sd,
        n=len(done),
        standard_errors=-away if fraction and away is not None else away,
        bold=bold,
        log_loss=_mean(done, "log_loss"),
        brier=_mean(done, "brier"),
        seconds=_mean(done, "fit_seconds") + _mean(done, "predict_seconds"),
        failure=failure,
    )


def _standard_errors(
    table: PublishedTable, paper: Cell, mean: float, sd: float | None, n: int, n_test: float
) -> float:
    """(ours - paper's error) in standard errors; a sd that is not printed is taken as ours."""
    fraction = table.measure == "accuracy"
    printed = 100 * (1 - paper.mean) if fraction else paper.mean
    printed_sd = sd if paper.sd is None else paper.sd * (100 if fraction else 1)
    ours = standard_error(sd, n, mean, n_test)
    theirs = standard_error(printed_sd, table.splits, printed, n_test)
    both = sqrt(ours**2 + theirs**2)
    difference = mean - printed
    if both == 0:
        return 0.0 if difference == 0 else inf if difference > 0 else -inf
    return difference / both


def _mean(records: list[Record], name: str):
    values = [record[name] for record in records if record.get(name) is not None]
    return float(np.mean(values)) if values else None
