"""What the commands print: tables, findings, progress, paths."""

import logging
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderHook
from rich.markup import escape
from rich.padding import Padding
from rich.segment import Segment

from similearn.cli import INTERRUPTED, TERMINATED, Terminated
from similearn.cli.shell_words import in_shell_words
from similearn.errors import SimilearnError, SimilearnWarning, readable, without_controls
from similearn.version import __version__

MENDABLE = 2  # what the user can mend
FAULT = 1  # of ours


class _Spelled:
    """What is printed, with control characters of labels, names and files spelled out."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.inner, options):
            text = segment.text if segment.control else without_controls(segment.text)
            yield Segment(text, segment.style, segment.control)


class _SpellOut(RenderHook):
    """No escape sequence reaches the terminal but those of our own colours."""

    def process_renderables(self, renderables: list[Any]) -> list[Any]:
        return [_Spelled(renderable) for renderable in renderables]


def _console(**options: Any) -> Console:
    made = Console(highlight=False, **options)
    made.push_render_hook(_SpellOut())
    return made


console = _console()
messages = _console(stderr=True)


@dataclass
class End:
    """How a command ended."""

    code: int = 0


@contextmanager
def ends_as_sentences() -> Iterator[End]:
    """Turn every way in which a command can end into an exit code and at most one sentence."""
    end = End()
    try:
        yield end
        sys.stdout.flush()
    except SimilearnError as error:
        end.code = _told(error, MENDABLE)
    except Terminated:
        end.code = _told("Ended from outside.", TERMINATED)
    except SystemExit as done:
        end.code = done.code if isinstance(done.code, int) else int(done.code is not None)
        end.code = 0 if isinstance(done.__context__, BrokenPipeError) else end.code
        # Typer makes an exit of Ctrl-C, without a word.
        if isinstance(getattr(done.__context__, "__cause__", None), KeyboardInterrupt):
            _told("Interrupted.", INTERRUPTED)
    except KeyboardInterrupt:
        end.code = _told("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        pass  # whoever reads our output has seen enough
    except OSError as error:
        from similearn.data.files.outputs import why_not

        place = f"{error.filename}: " if error.filename else ""
        end.code = _told(f"{place}{why_not(error)}.", MENDABLE)
    except MemoryError:
        end.code = _told("There is not enough memory for this.", MENDABLE)
    except Exception as error:
        end.code = _told(_logged(error), FAULT)
    _settle_output()


def _told(error: BaseException | str, code: int) -> int:
    with suppress(OSError):
        print_error(error)
    return code


def _logged(error: Exception) -> str:
    """Write the traceback where it can be found, and say where."""
    told = readable(f"{type(error).__name__}: {error}").replace("\n", " ").rstrip(".")
    try:
        number, path = tempfile.mkstemp(prefix="similearn-", suffix=".log")
        with open(number, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"similearn {__version__}, Python {sys.version}\n{sys.argv}\n\n")
            log.writelines(traceback.format_exception(error))
    except OSError:
        path = "nowhere, as no temporary file can be written"
    return (
        f"similearn met a fault of its own ({told}). The details are in {path}: please report it "
        "to the developers with that file."
    )


def _settle_output() -> None:
    """Keep what cannot be flushed any more from being told again when Python ends."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_done(told: str, output: Path) -> None:
    """Say what was done and written; on standard error where the output is standard output."""
    _beside(output).print(escape(told), soft_wrap=True)
    if _beside(output) is console:
        print_paths([output])


def print_text(told: Any, output: Path | None = None) -> None:
    """Print lines as they are; on standard error where the output is standard output."""
    _beside(output).print(escape(str(told)), soft_wrap=True, highlight=False)


def _beside(output: Path | None) -> Console:
    """Where to speak: on standard error if the output itself goes to standard output."""
    from similearn.data.files.outputs import is_stdout

    return messages if output is not None and is_stdout(output) else console


_warned: set[str] = set()
"""What was printed as a warning since the command began, and is not to be said again."""


def print_notes(notes: Sequence[str], output: Path | None = None) -> None:
    """Say what was decided without being asked."""
    for told in map(in_shell_words, notes):
        if told not in _warned:
            print_text(told, output)


def print_error(error: BaseException | str) -> None:
    """Print one red sentence."""
    messages.print(f"[bold red]Error:[/] {escape(in_shell_words(str(error)))}", soft_wrap=True)


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Print each warning, ours or not, once and as one yellow sentence, without the line of code.

    What the library logs is printed as it is: that it compiles, for instance.
    """
    _warned.clear()
    log, handler = logging.getLogger("similearn"), _Printed()

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        told = in_shell_words(str(message))
        if not issubclass(category, SimilearnWarning):
            told = f"{' '.join(told.split())} ({category.__name__})"
        if told not in _warned:
            messages.print(f"[yellow]Warning:[/] {escape(told)}", soft_wrap=True)
            _warned.add(told)

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
    """Let Ctrl-C and SIGTERM end the command with a sentence that says how to go on."""
    try:
        yield
    except (KeyboardInterrupt, Terminated) as end:
        messages.print(
            f"Interrupted. What is done is kept in {path}: give {again} again to go on.",
            markup=False,
            soft_wrap=True,
        )
        code = TERMINATED if isinstance(end, Terminated) else INTERRUPTED
        raise typer.Exit(code) from None


def print_table(table: Any, path: Path) -> None:
    """Print a comparison; bold is the best and what is not significantly worse.

    Columns for which there is no room are left out, the least important ones first; the file at
    `path` has them all.
    """
    from similearn.experiments.comparisons.tables import DISPENSABLE, header

    titles, left_out = list(header(table.by)), []
    shown = _rich_table(table, titles)
    for name in DISPENSABLE:
        if _width_of(shown) <= console.width:
            break
        if name in titles[2:]:  # what orders the rows stays
            titles.remove(name)
            left_out.append(name)
            shown = _rich_table(table, titles)
    console.print()
    console.print(shown)
    console.print()
    for note in table.notes:
        console.print(f"[dim]{escape(note)}[/]")
    if left_out:
        told = ", ".join(f"“{name}”" for name in left_out)
        print_text(f"There is no room here for {told}: the whole table is in {path}.")


def _rich_table(table: Any, titles: Sequence[str]) -> Any:
    from rich.table import Table as RichTable

    from similearn.experiments.comparisons.tables import LEFT, cells, header

    shown = RichTable(title=escape(table.problem), title_justify="left", box=None, pad_edge=False)
    for i, name in enumerate(titles):
        shown.add_column(name, justify="left" if name in LEFT else "right", no_wrap=i == 0)
    for row in table.rows:
        texts = dict(zip(header(table.by), cells(row, table.by), strict=True))
        style = "bold" if row.mark else None
        shown.add_row(*(escape(texts[name]) for name in titles), style=style)
    return shown


def _width_of(shown: Any) -> int:
    """How many columns of characters it takes to show everything in one line each."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=10_000), shown).maximum


def print_listing(rows: Iterable[tuple[str, str, str, str]]) -> None:
    """Print headings, and under each names, what they are and more, at any width."""
    heading = None
    for group, name, summary, more in rows:
        if group != heading:
            console.print(
                f"[bold]{escape(group)}[/]" if heading is None else f"\n[bold]{escape(group)}[/]"
            )
            heading = group
        console.print(f"  [cyan]{escape(name)}[/]")
        console.print(Padding(escape(summary), (0, 0, 0, 6)))
        console.print(Padding(f"[dim]{escape(more)}[/]", (0, 0, 0, 6)))


def print_findings(findings: Sequence[Any]) -> None:
    """Print a diagnosis: what was found in bold, the advice below it."""
    for finding in findings:
        console.print(f"[bold]{escape(finding.name)}:[/] {escape(finding.value)}")
        advice = escape(in_shell_words(finding.advice))
        console.print(Padding(f"[dim]{advice}[/]", (0, 0, 0, 4)))
    console.print()


def print_paths(paths: Sequence[Path]) -> None:
    """Say what was written, one path per line so that it can be copied."""
    for path in paths:
        console.print(f"Wrote {escape(str(path))}", soft_wrap=True)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, Any], None]]:
    """Give a function that moves the bar, to be called as a comparison's `progress`."""
    from rich import progress as rich_progress

    columns = (
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeRemainingColumn(),
    )
    with rich_progress.Progress(*columns, console=messages) as bar:
        task = bar.add_task(escape(without_controls(what)), total=None)

        def advance(done: int, total: int, record: Any) -> None:
            told = f"{what}: {record['method']}, split {record['split'] + 1}"
            bar.update(
                task, completed=done, total=total, description=escape(without_controls(told))
            )

        yield advance
