"""Reports as text for a terminal and as Markdown."""

from collections import Counter
from collections.abc import Sequence
from math import isinf

from similearn.experiments.reproduction.plan import Column
from similearn.experiments.reproduction.published import Cell
from similearn.experiments.reproduction.report import Report, ReportedCell
from similearn.experiments.tables import ABSENT, markdown_line

HEADER = ("Method", "Paper", "Ours", "Difference", "", "Log-loss", "Brier", "Time s")
LEFT = (0, 4)  # columns of words
_NOT_IN_PAPER = "not in the paper"


def column_title(column: Column) -> str:
    """Name a data set and its reading."""
    return (column.printed or column.key) + (f" ({column.reading})" if column.reading else "")


def row_title(cell: ReportedCell) -> str:
    """Name a method and its reading."""
    row = cell.row
    title = row.printed or f"{row.method.name} ({_NOT_IN_PAPER})"
    return title + (f" ({row.reading})" if row.reading else "")


def texts(cell: ReportedCell, fraction: bool) -> tuple[str, ...]:
    """Return the texts of a cell, in the order of `HEADER`."""
    if cell.mean is None:
        return (row_title(cell), _paper(cell.paper, fraction), "failed", *[ABSENT] * 5)
    return (
        row_title(cell),
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
    fraction = report.table.measure == "accuracy"
    parts = [f"{report.table.source}: {report.table.title}\n"]
    for column in report.columns:
        cells = report.of_column(column)
        lines = [HEADER, *(texts(cell, fraction) for cell in cells)]
        marks = [" ", *("*" if cell.bold else " " for cell in cells)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
        aligned = (
            f"{mark} " + "  ".join(map(_aligned, range(len(HEADER)), line, widths)).rstrip()
            for mark, line in zip(marks, lines, strict=True)
        )
        parts.append(f"{column_title(column)}\n" + "\n".join(aligned) + "\n")
    return "\n".join([*parts, *notes(report)]) + "\n"


def as_markdown(report: Report) -> str:
    """All data sets, one below the other."""
    fraction = report.table.measure == "accuracy"
    parts = []
    for column in report.columns:
        lines = [markdown_line(HEADER), "|---|--:|--:|--:|:--|--:|--:|--:|"]
        for cell in report.of_column(column):
            words = list(texts(cell, fraction))
            if cell.bold:
                words[2] = f"**{words[2]}**"
            lines.append(markdown_line(words))
        parts.append(f"### {column_title(column)}\n\n" + "\n".join(lines) + "\n")
    return "\n".join([*parts, *(f"- {note}" for note in notes(report)), ""])


def grid_as_markdown(report: Report) -> str:
    """The table as the paper prints it, in every cell the paper's number and ours."""
    fraction = report.table.measure == "accuracy"
    columns = report.columns
    rows = list(dict.fromkeys(cell.row for cell in report.cells))
    found = {(cell.row.method.name, cell.column.key): cell for cell in report.cells}
    lines = [
        markdown_line(["", *map(column_title, columns)]),
        markdown_line(["---", *["---"] * len(columns)]),
    ]
    for row in rows:
        cells = [found.get((row.method.name, column.key)) for column in columns]
        title = next(row_title(cell) for cell in cells if cell is not None)
        lines.append(markdown_line([title, *(_brief(cell, fraction) for cell in cells)]))
    return "\n".join(lines) + "\n"


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
    failed = {cell.failure: cell for cell in report.cells if cell.failure}
    told += [f"{row_title(cell)} failed: {failure}" for failure, cell in failed.items()]
    names = [column_title(column) for column in report.columns_without_results]
    if names:
        told.append(f"Without results: {', '.join(names)}.")
    return told


def counted(cells: Sequence[ReportedCell]) -> str:
    """Say how many of the cells that the paper prints agree."""
    told = [cell for cell in cells if cell.verdict]
    count = Counter(cell.verdict for cell in told)
    return (
        f"{count['agrees']} of {len(told)} cells agree, ours is lower in {count['lower']} and "
        f"higher in {count['higher']}"
    )


def _brief(cell: ReportedCell | None, fraction: bool) -> str:
    if cell is None:
        return ""
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
