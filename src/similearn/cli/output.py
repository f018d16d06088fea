"""What the commands print: tables, findings, progress, paths."""

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from similearn.errors import SimilearnWarning

INTERRUPTED = 130  # the shell's code for Ctrl-C

console = Console(highlight=False)
messages = Console(stderr=True, highlight=False)


def print_error(error: BaseException) -> None:
    """Print one red sentence."""
    messages.print(f"[bold red]Error:[/] {escape(str(error))}", soft_wrap=True)


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Print each of our warnings as one yellow sentence, without the line of code.

    What the library logs is printed as it is: that it compiles, for instance.
    """
    shown = warnings.showwarning
    log, handler = logging.getLogger("similearn"), _Printed()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, SimilearnWarning):
            messages.print(f"[yellow]Warning:[/] {escape(str(message))}", soft_wrap=True)
        else:
            shown(message, category, *place, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("default", SimilearnWarning)
        warnings.showwarning = show
        log.addHandler(handler)
        try:
            yield
        finally:
            log.removeHandler(handler)


class _Printed(logging.Handler):
    """Prints what is logged on standard error, above the progress bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        messages.print(escape(record.getMessage()), soft_wrap=True)


@contextmanager
def kept_when_interrupted(path: Path, again: str) -> Iterator[None]:
    """Let Ctrl-C end the command with a sentence that says how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        messages.print(
            f"Interrupted. What is done is kept in {path}: give {again} again to go on.",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED) from None


def print_table(table: Any) -> None:
    """Print a comparison; bold is the best and what is not significantly worse."""
    from similearn.experiments.comparisons.tables import HEADER, LEFT, cells

    shown = RichTable(title=escape(table.problem), title_justify="left", box=None, pad_edge=False)
    for i, name in enumerate(HEADER):
        shown.add_column(name, justify="left" if i in LEFT else "right", no_wrap=i == 0)
    for row in table.rows:
        shown.add_row(*map(escape, cells(row)), style="bold" if row.mark else None)
    console.print()
    console.print(shown)
    console.print()
    for note in table.notes:
        console.print(f"[dim]{escape(note)}[/]")


def print_findings(findings: Sequence[Any]) -> None:
    """Print a diagnosis: what was found in bold, the advice below it."""
    for finding in findings:
        console.print(f"[bold]{escape(finding.name)}:[/] {escape(finding.value)}")
        console.print(Padding(f"[dim]{escape(finding.advice)}[/]", (0, 0, 0, 4)))
    console.print()


def print_paths(paths: Sequence[Path]) -> None:
    """Say what was written, one path per line so that it can be copied."""
    for path in paths:
        console.print(f"Wrote {escape(str(path))}", soft_wrap=True)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, Any], None]]:
    """Give a function that moves the bar, to be called as a comparison's `progress`."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=messages) as bar:
        task = bar.add_task(escape(what), total=None)

        def advance(done: int, total: int, record: Any) -> None:
            told = f"{what}: {record['method']}, split {record['split'] + 1}"
            bar.update(task, completed=done, total=total, description=escape(told))

        yield advance
