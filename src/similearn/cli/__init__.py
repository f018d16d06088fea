"""The command line, ``similearn``."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

INTERRUPTED, TERMINATED = 130, 143  # the shell's codes for Ctrl-C and SIGTERM
# Importing makes many objects and no garbage: to look for it after every 700 took a tenth of the
# time until a command begins.
_OBJECTS_BETWEEN_COLLECTIONS = 200_000


class Terminated(SystemExit):
    """SIGTERM came: files are tidied up and workers ended as after Ctrl-C, then we exit."""

    def __init__(self, *_: Any) -> None:
        super().__init__(TERMINATED)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 well, 2 for what the user can mend, 130 interrupted."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        _settle_streams()
        signal.signal(signal.SIGTERM, _terminate)
        code = _run(arguments)
    except KeyboardInterrupt:  # while modules are still being imported
        sys.stderr.write("Error: Interrupted.\n")
        code = INTERRUPTED
    # Before it ends, the interpreter would look for garbage among all that was imported: a sixth of
    # the time of a short command.
    gc.freeze()
    sys.exit(code)


def _settle_streams() -> None:
    """Let every text be printed, whatever the locale, and be lost where a stream is closed."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # otherwise the first file that is opened would take its place
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _terminate(*_: Any) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: tidying up takes a moment
    raise Terminated


def _run(arguments: Sequence[str] | None) -> int:
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        sys.stderr.write(
            f"Error: the command line needs {error.name}, which is not installed: "
            "pip install 'similearn[cli]'.\n"
        )
        return 2
    from similearn.cli.app import run

    return run(arguments)
