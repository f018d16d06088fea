"""The one progress bar: only for work that takes long, and only where somebody looks."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from similearn.errors import InputError

Show: TypeAlias = Literal["auto"] | bool

SECONDS_BEFORE_SHOWING = 2.0
SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress(
    total: int, description: str, *, show: Show = "auto"
) -> Iterator[Callable[[int], None]]:
    """Yield a function ``advance(count)``, to be called as work is done.

    Parameters
    ----------
    total : how much there is to do.
    description : what is being done.
    show : {"auto", True, False}
        "auto" draws a bar once the work has taken two seconds, if rich is installed and
        standard error is a terminal. True falls back to a plain line every ten seconds
        where there can be no bar. False shows nothing.

    Examples
    --------
    >>> from similearn.data.progress_bar import progress
    >>> with progress(3, "Comparing", show=False) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    if not isinstance(show, bool) and not (isinstance(show, str) and show == "auto"):
        raise InputError(f"progress={show!r}; expected 'auto', True or False.")
    drawing = sys.stderr.isatty() and find_spec("rich") is not None
    if show is False or (show == "auto" and not drawing):
        yield lambda count: None
        return
    reporter = (_Bar if drawing else _Lines)(total, description)
    try:
        yield reporter.advance
    finally:
        reporter.close()


class _Reporter:
    """Counts, and leaves the telling to its subclass once the work takes long."""

    def __init__(self, total: int, description: str) -> None:
        self.total, self.description, self.done = total, description, 0
        self.last_told = time.monotonic()
        self.lock = threading.Lock()

    def advance(self, count: int) -> None:
        with self.lock:
            self.done += count
            now = time.monotonic()
            if now - self.last_told >= self.wait():
                self.last_told = now
                self.tell()

    def wait(self) -> float:
        raise NotImplementedError

    def tell(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass


class _Bar(_Reporter):
    bar: Any = None

    def wait(self) -> float:
        return SECONDS_BEFORE_SHOWING if self.bar is None else 0.1

    def tell(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, TimeElapsedColumn, TimeRemainingColumn

        if self.bar is None:
            self.bar = Progress(
                *Progress.get_default_columns()[:-1],
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self.task = self.bar.add_task(self.description, total=self.total)
            self.bar.start()
        self.bar.update(self.task, completed=self.done)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


class _Lines(_Reporter):
    def wait(self) -> float:
        return SECONDS_BETWEEN_LINES

    def tell(self) -> None:
        share = f"{self.done / max(self.total, 1):.0%}"
        print(f"{self.description}: {self.done} of {self.total} ({share})", file=sys.stderr)
