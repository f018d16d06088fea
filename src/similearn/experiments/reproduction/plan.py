"""Plans: which problem stands for each column of a published table, which method for each row.

A paper is a module of `similearn.experiments.reproduction.plans` with a tuple ``PLANS``;
naming it in `_PAPERS` is all that the command line and the document need.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from similearn.errors import InputError, MissingDataError
from similearn.experiments.comparisons.problems import Problem
from similearn.experiments.comparisons.runner import Unit
from similearn.experiments.registry import Method
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.published.printed import PublishedTable, published

_PAPERS = ("jmlr", "regsda", "fusing", "dboost", "cdnn")


@dataclass(frozen=True, eq=False)
class Column:
    """A data set, as one reading of the paper has it.

    Parameters
    ----------
    key : the name of the problem in stored results, such as "protein-true"
    printed : the column of the published table it answers to; empty if none
    load : makes the problem, whose ``name`` is `key`; raises `MissingDataError` if the data
        are not in the folder. Called once; it should read no more than it must.
    reading : what differs from the printed protocol or data; empty for what the paper says
    """

    key: str
    printed: str
    load: Callable[[DataFolder], Problem]
    reading: str = ""

    @property
    def name(self) -> str:
        """What tells it apart from the other columns."""
        return self.key


@dataclass(frozen=True, eq=False)
class Row:
    """A method, as one reading of the paper has it.

    Parameters
    ----------
    printed : the row of the published table it answers to; empty for a comparison that the
        paper does not have
    method : its ``name`` tells the rows of a plan apart in stored results
    reading : what differs from the method as the paper describes it
    """

    printed: str
    method: Method
    reading: str = ""

    @property
    def name(self) -> str:
        """What tells it apart from the other rows."""
        return self.method.name


@dataclass(frozen=True)
class Plan:
    """What is run for one published table.

    Parameters
    ----------
    name : of the published table
    columns, rows : every row is run on every column, unless `applies` says no
    splits : how many partitions at most; None for as many as are asked for
    applies : whether a row is run on a column
    """

    name: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    splits: int | None = None
    applies: Callable[[Column, Row], bool] = field(default=lambda column, row: True)

    @property
    def table(self) -> PublishedTable:
        """The printed numbers."""
        return published(self.name)

    def as_printed(self) -> "Plan":
        """Only what the paper prints, as it says: no other readings and no comparisons."""

        def kept(parts: Any) -> list[Any]:
            return [part for part in parts if part.printed and not part.reading]

        return replace(self, columns=kept(self.columns), rows=kept(self.rows))


def plans() -> list[Plan]:
    """All plans, paper by paper."""
    modules = (import_module(f"similearn.experiments.reproduction.plans.{p}") for p in _PAPERS)
    return [plan for module in modules for plan in module.PLANS]


def get_plan(name: str) -> Plan:
    """Find a plan by the name of its table."""
    known = {plan.name: plan for plan in plans()}
    if name not in known:
        raise InputError(
            f"No published table is named {name!r}. There are {', '.join(known)}; "
            "`similearn reproduce --list` says what they are."
        )
    return known[name]


def loaded(plan: Plan, data: DataFolder, only: Sequence[str] | None = None) -> Any:
    """Load the problems of a plan.

    Parameters
    ----------
    plan, data : the table and the folder of data sets
    only : keys of the columns wanted; None for all

    Returns
    -------
    problems : by column key, for those whose data are there
    missing : by column key, the sentence that says which file is not there
    """
    problems: dict[str, Problem] = {}
    missing: dict[str, str] = {}
    for column in _chosen(plan.columns, only, lambda c: c.key, "data set"):
        try:
            problems[column.key] = column.load(data)
        except MissingDataError as error:
            missing[column.key] = str(error)
    return problems, missing


def units_of(
    plan: Plan,
    problems: dict[str, Problem],
    *,
    n_splits: int | None = None,
    methods: Sequence[str] | None = None,
    seed: int = 0,
) -> list[Unit]:
    """List the units of work of a table: every partition of every row on every column.

    Parameters
    ----------
    plan, problems : see `loaded`
    n_splits : how many partitions, at most as many as the plan has; None for the paper's
    methods : names of the rows' methods wanted; None for all
    seed : which partitions are drawn
    """
    rows = _chosen(plan.rows, methods, lambda r: r.method.name, "method")
    count = n_splits or plan.table.splits
    count = count if plan.splits is None else min(count, plan.splits)
    return [
        Unit(problems[column.key], row.method, seed, split, plan.name)
        for column in plan.columns
        for split in range(count)
        for row in rows
        if column.key in problems and plan.applies(column, row)
    ]


def _chosen(
    items: Any, names: Sequence[str] | None, name_of: Callable[[Any], str], what: str
) -> Any:
    """Return the items with these names; all without names."""
    if names is None:
        return items
    known = {name_of(item): item for item in items}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"This table has no {what} {unknown[0]!r}. It has {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(names)]
