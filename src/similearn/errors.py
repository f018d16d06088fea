"""Exceptions and warnings: every one of ours is a `SimilearnError` or a `SimilearnWarning`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class SimilearnError(Exception):
    """Base of all errors raised on purpose by similearn."""


class InputError(SimilearnError, ValueError):
    """A value, shape or kind that cannot be used; the message says what to do next."""


class InputTypeError(SimilearnError, TypeError):
    """Something that is not numbers, a block or labels at all."""


class FileError(SimilearnError, ValueError):
    """A file that cannot be read; the message names the file and the place in it."""


class MissingDataError(FileError):
    """A data set is not in the folder where it was looked for; the message says which file."""


class MissingExtraError(SimilearnError, ImportError):
    """An optional dependency is not installed; the message names the extra."""


class SimilearnWarning(UserWarning):
    """Base of all warnings given by similearn."""


class KindWarning(SimilearnWarning):
    """A similarity looks like a dissimilarity, or the other way round."""


class AsymmetryWarning(SimilearnWarning):
    """The training block is asymmetric and the reverse direction of a query is unknown."""


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
