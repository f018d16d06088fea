"""Exceptions and warnings: every one of ours is a `SimilearnError` or a `SimilearnWarning`."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LONGEST_WORD, _LONGEST_SENTENCE = 300, 1200
# All but tab and new line, the marks that turn the direction of writing, and halves of
# characters, which stand for bytes of names that are not UTF-8 and cannot be encoded.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NUMPY_SCALAR = re.compile(r"\bnp\.(?:(?:str_|[a-z]+\d+)\(([^()]*)\)|(True|False)_)")
_ADDRESS = re.compile(r"<([^<>]*?)(?: object)? at 0x[0-9a-fA-F]+>")
_LONG_WORD = re.compile(rf"(\S{{100}})\S{{{_LONGEST_WORD - 150},}}(\S{{50}})")


def without_controls(text: str) -> str:
    """Return a text whose control characters are spelled out, all but tabs and new lines."""
    return _CONTROL.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def readable(message: str) -> str:
    """Return a message that a terminal can be shown, whatever labels or names it quotes.

    Control characters are spelled out, NumPy's scalars lose their type and objects their
    address, and long words and messages are shortened in the middle.
    """
    text = _NUMPY_SCALAR.sub(r"\1\2", without_controls(message))
    text = _LONG_WORD.sub(r"\1...\2", _ADDRESS.sub(r"<\1>", text))
    if len(text) <= _LONGEST_SENTENCE:
        return text
    half = _LONGEST_SENTENCE // 2
    return f"{text[:half]} ... {text[-half:]}"


class SimilearnError(Exception):
    """Base of all errors raised on purpose by similearn; their messages are `readable`."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(readable(a) if isinstance(a, str) else a for a in arguments))


class InputError(SimilearnError, ValueError):
    """A value, shape or kind that cannot be used; the message says what to do next."""


class InputTypeError(SimilearnError, TypeError):
    """Something that is not numbers, a block or labels at all."""


class InputIndexError(InputError, IndexError):
    """Rows or columns that a block does not have."""


class FileError(SimilearnError, ValueError):
    """A file that cannot be read; the message names the file and the place in it."""


class WorkerError(SimilearnError, RuntimeError):
    """A process at work for us was ended from outside; the message says how to go on."""


class MissingDataError(FileError):
    """A data set is not in the folder where it was looked for; the message says which file."""


class MissingColumnError(FileError):
    """A table that has no column of the name that was asked for."""


class NoNumbersError(FileError):
    """A matrix that holds words, and so may be a table of objects."""


class MissingExtraError(SimilearnError, ImportError):
    """An optional dependency is not installed; the message names the extra."""


class SimilearnWarning(UserWarning):
    """Base of all warnings given by similearn; their messages are `readable`."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(readable(a) if isinstance(a, str) else a for a in arguments))


class KindWarning(SimilearnWarning):
    """A similarity looks like a dissimilarity, or the other way round."""


class AsymmetryWarning(SimilearnWarning):
    """The training block is asymmetric and the reverse direction of a query is unknown."""


class RenamedWarning(SimilearnWarning, FutureWarning):
    """An old name was used that a later release will not know; the message has the new one."""


class ApproximationWarning(SimilearnWarning):
    """Too many of the true nearest neighbours are missing from a table that is not exact."""


class ConvergenceWarning(SimilearnWarning):
    """An iterative solver stopped before its tolerance was reached."""


Told = list[tuple[type[Warning], str]]

_gathering: ContextVar[Told | None] = ContextVar("gathering", default=None)


def warn(message: str, category: type[Warning], *, stacklevel: int = 1) -> None:
    """Warn as `warnings.warn` does, unless the caller runs within `gathered_warnings`."""
    told = _gathering.get()
    if told is None:
        warnings.warn(message, category, stacklevel=stacklevel + 1)
    else:
        told.append((category, message))


@contextmanager
def gathered_warnings(told: Told) -> Iterator[None]:
    """Append our warnings to `told` instead of giving them, so that many fits can warn once.

    It holds for the calling thread and for the chunks that it starts; the standard
    `warnings.catch_warnings` changes the state of all threads instead.
    """
    token = _gathering.set(told)
    try:
        yield
    finally:
        _gathering.reset(token)
