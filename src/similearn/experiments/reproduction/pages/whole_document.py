"""The document of the reproduction, made from stored results alone."""

from collections.abc import Sequence
from pathlib import Path

from similearn.experiments.reproduction.pages.picture import ours_against_papers
from similearn.experiments.reproduction.pages.show import (
    as_markdown,
    counted,
    grid_as_markdown,
    without_results,
)
from similearn.experiments.reproduction.pages.table_report import Report, report
from similearn.experiments.reproduction.plan import plans
from similearn.experiments.reproduction.published.printed import PublishedTable
from similearn.experiments.reproduction.results import stored_records

PICTURE = "ours-against-papers.png"


def write_document(path: Path, results: Path) -> list[Path]:
    """Write the document, a page of details for each table, and the picture.

    Parameters
    ----------
    path : of the document, such as ``docs/reproduction.md``. Details and the picture are in
        a folder of the same name beside it, and so may be findings: files
        ``findings/TABLE.md``, and ``findings/introduction.md``, written by people, which
        are taken over as they are.
    results : the folder of stored results

    Returns
    -------
    paths : of all files written
    """
    folder = path.with_suffix("")
    reports = stored_reports(results)
    written = {path: document(reports, folder)}
    written |= {folder / f"{r.table.name}.md": details(r) for r in reports if r.cells}
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in written.items():
        file.write_text(text, encoding="utf-8")
    return [*written, ours_against_papers(reports, folder / PICTURE)]


def stored_reports(results: Path) -> list[Report]:
    """Reports of all tables, from stored results."""
    return [report(plan, stored_records(results, plan.name)) for plan in plans()]


def document(reports: Sequence[Report], folder: Path) -> str:
    """Text of the document: a section a table, the paper's number and ours in each cell."""
    name = folder.name
    printed = [cell for r in reports for cell in r.cells if cell.as_printed]
    parts = [
        "# The papers' tables, reproduced",
        "<!-- Made by `similearn reproduce --document`; edit the findings, not this file. -->",
        f"![Our errors against the papers']({name}/{PICTURE})",
        f"Of all that is printed: {counted(printed)}. In every cell: the paper's number, then "
        "ours; `=` where they agree within two standard errors of the difference, `↓` where "
        "ours is lower, `↑` where it is higher; bold where ours is lowest of the paper's "
        "methods or not significantly worse. Numbers alone are not in the paper.",
        findings_of(folder, "introduction"),
        *(_section(r, folder) for r in reports),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def details(found: Report) -> str:
    """Text of a table's page: every cell with log-loss, Brier score and time."""
    table = found.table
    return "\n\n".join(
        [
            f"# {table.source}: {table.title}",
            f"Protocol of the paper: {table.protocol.strip()}",
            f"All of it took {_duration(found.seconds)} on one core.",
            as_markdown(found).strip() + "\n",
        ]
    )


def _section(found: Report, folder: Path) -> str:
    table = found.table
    heading = f"## {table.source}: {table.title}"
    if not found.cells:
        return f"{heading}\n\nNot run: no results are stored for `{table.name}`."
    printed = [cell for cell in found.cells if cell.as_printed and cell.verdict]
    count = f"{counted(printed)}. " if printed else "The paper prints no numbers here. "
    missing = without_results(found)
    parts = [
        heading,
        f"{count}{_duration(found.seconds)} on one core; "
        f"[every cell with log-loss, Brier score and time]({folder.name}/{table.name}.md).",
        grid_as_markdown(found),
        _claims(table),
        f"Not run, for want of the data or of time: {', '.join(missing)}." if missing else "",
        findings_of(folder, table.name),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _claims(table: PublishedTable) -> str:
    """What the text says of a figure whose numbers are not printed."""
    lines = [f"- {claim}" for claim in table.claims]
    return "\n".join(["What the paper says of it:", "", *lines]) if lines else ""


def findings_of(folder: Path, name: str) -> str:
    """What people wrote about a table; empty if nothing."""
    path = folder / "findings" / f"{name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
