"""Reports as text for a terminal and as Markdown."""

from collections import Counter
from collections.abc import Sequence
from math import isinf

from similearn.experiments.comparisons.tables import ABSENT, markdown_line
from similearn.experiments.reproduction.pages.table_report import Report, ReportedCell
from similearn.experiments.reproduction.plan import Column, Row
from similearn.experiments.reproduction.published.printed import Cell

HEADER = ("Method", "Paper", "Ours", "Difference", "", "Log-loss", "Brier", "Time s")
LEFT = (0, 4)  # columns of words
_NOT_IN_PAPER = "not in the paper"


class Footnotes:
    """Readings of a report, numbered in the order in which they appear."""

    def __init__(self, report: Report) -> None:
        readings = [part.reading for cell in report.cells for part in (cell.column, cell.row)]
        self.numbers = {r: i for i, r in enumerate(filter(None, dict.fromkeys(readings)), 1)}

    def title(self, part: Column | Row) -> str:
        """Name a data set or a method, with the number of its reading."""
        title = part.printed or f"{part.name} ({_NOT_IN_PAPER})"
        return f"{title} [{self.numbers[part.reading]}]" if part.reading else title

    def lines(self) -> list[str]:
        """What the numbers stand for."""
        return [f"[{number}] {reading}." for reading, number in self.numbers.items()]


def texts(cell: ReportedCell, title: str, fraction: bool) -> tuple[str, ...]:
    """Return the texts of a cell, in the order of `HEADER`."""
    if cell.mean is None:
        return (title, _paper(cell.paper, fraction), "failed", *[ABSENT] * 5)
    return (
        title,
        _paper(cell.paper, fraction),
        _number(cell.mean, cell.sd, fraction),
        _away(cell),
        cell.verdict,
        ABSENT if cell.log_loss is None else f"{cell.log_loss:.3f}",
        ABSENT if cell.brier is None else f"{cell.brier:.3f}",
        ABSENT if cell.seconds is None else f"{cell.seconds:.2g}",
    )


def as_text(report: Report) -> str:
    """All data sets, one below the other, columns aligned with spaces."""
    fraction, footnotes = report.table.measure == "accuracy", Footnotes(report)
    parts = [f"{report.table.source}: {report.table.title}\n"]
    for column in report.columns:
        cells = report.of_column(column)
        lines = [HEADER, *(texts(c, footnotes.title(c.row), fraction) for c in cells)]
        marks = [" ", *("*" if cell.bold else " " for cell in cells)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
        aligned = (
            f"{mark} " + "  ".join(map(_aligned, range(len(HEADER)), line, widths)).rstrip()
            for mark, line in zip(marks, lines, strict=True)
        )
        parts.append(f"{footnotes.title(column)}\n" + "\n".join(aligned) + "\n")
    return "\n".join([*parts, *footnotes.lines(), *notes(report)]) + "\n"


def as_markdown(report: Report) -> str:
    """All data sets, one below the other."""
    fraction, footnotes = report.table.measure == "accuracy", Footnotes(report)
    parts = []
    for column in report.columns:
        lines = [markdown_line(HEADER), "|---|--:|--:|--:|:--|--:|--:|--:|"]
        for cell in report.of_column(column):
            words = list(texts(cell, footnotes.title(cell.row), fraction))
            if cell.bold:
                words[2] = f"**{words[2]}**"
            lines.append(markdown_line(words))
        parts.append(f"## {footnotes.title(column)}\n\n" + "\n".join(lines) + "\n")
    return "\n".join([*parts, *(f"- {note}" for note in [*footnotes.lines(), *notes(report)]), ""])


def grid_as_markdown(report: Report) -> str:
    """The table as the paper prints it, in every cell the paper's number and ours.

    Whatever there is more of, data sets or methods, runs down the side.
    """
    fraction, footnotes = report.table.measure == "accuracy", Footnotes(report)
    found = {frozenset((c.row, c.column)): _brief(c, fraction) for c in report.cells}
    down: list[Column | Row] = list(dict.fromkeys(cell.row for cell in report.cells))
    across: list[Column | Row] = list(report.columns)
    if len(across) > len(down):
        down, across = across, down
    lines = [
        markdown_line(["", *map(footnotes.title, across)]),
        markdown_line(["---", *["---"] * len(across)]),
    ]
    for side in down:
        briefs = [found.get(frozenset((side, top)), "") for top in across]
        lines.append(markdown_line([footnotes.title(side), *briefs]))
    return "\n".join([*lines, "", *(f"- {line}" for line in footnotes.lines())]) + "\n"


def notes(report: Report) -> list[str]:
    """What has to be said below a report."""
    unit = "Accuracy" if report.table.measure == "accuracy" else "Error in percent"
    told = [
        f"{unit}: mean (standard deviation) over partitions. Difference: ours minus the "
        "paper's, in standard errors of that difference; two or less agrees.",
        "In bold or with a star: lowest error of the paper's methods, or not significantly "
        "worse (one-sided Wilcoxon signed-rank test, 0.05).",
    ]
    if any(cell.n == 1 for cell in report.cells):
        told.append("With one partition, standard errors are those of a share of test samples.")
    if any(cell.paper is not None and cell.paper.sd is None for cell in report.cells):
        told.append("Where the paper prints no standard deviation, ours stands for it.")
    most = max((cell.n for cell in report.cells), default=0)
    fewer = [f"{c.row.name} on {c.column.name} ({c.n})" for c in report.cells if 0 < c.n < most]
    if fewer:
        told.append(f"Over fewer than {most} partitions: {', '.join(fewer)}.")
    failed = {cell.failure: cell for cell in report.cells if cell.failure}
    told += [f"{cell.row.method.name} failed: {failure}" for failure, cell in failed.items()]
    names = without_results(report)
    if names:
        told.append(f"Without results: {', '.join(names)}.")
    return told


def without_results(report: Report) -> list[str]:
    """Data sets of the paper of which no reading has results."""
    with_results = {column.printed for column in report.columns}
    absent = (column.printed for column in report.columns_without_results)
    return [name for name in dict.fromkeys(absent) if name and name not in with_results]


def counted(cells: Sequence[ReportedCell]) -> str:
    """Say how many of the cells that the paper prints agree."""
    told = [cell for cell in cells if cell.verdict]
    count = Counter(cell.verdict for cell in told)
    return (
        f"{count['agrees']} of {len(told)} cells agree, ours is lower in {count['lower']} and "
        f"higher in {count['higher']}"
    )


def _brief(cell: ReportedCell, fraction: bool) -> str:
    if cell.mean is None:
        return "failed"
    digits = 3 if fraction else 2
    ours = f"{cell.mean:.{digits}f}"
    ours = f"**{ours}**" if cell.bold else ours
    if cell.paper is None:
        return ours
    sign = {"agrees": "=", "lower": "↓", "higher": "↑"}[cell.verdict]
    return f"{cell.paper.mean:.{digits}f} {sign} {ours}"


def _paper(paper: Cell | None, fraction: bool) -> str:
    return ABSENT if paper is None else _number(paper.mean, paper.sd, fraction)


def _number(mean: float, sd: float | None, fraction: bool) -> str:
    digits = 3 if fraction else 2
    return f"{mean:.{digits}f}" + ("" if sd is None else f" ({sd:.{digits}f})")


def _away(cell: ReportedCell) -> str:
    away = cell.standard_errors
    return ABSENT if away is None or isinf(away) else f"{away:+.1f}"


def _aligned(place: int, text: str, width: int) -> str:
    return text.ljust(width) if place in LEFT else text.rjust(width)
