"""What became of a case.

Allowed are answers ("ok") and sentences: errors of `similearn.errors`, and of other people
only what scikit-learn's contract documents: `NotFittedError`, `InvalidParameterError` (of
`PathSearchCV`, which is a `GridSearchCV`), the `KeyError` of a mapping, and of warnings the
`DataConversionWarning` that it asks for where labels are a column. Everything else is a
failure with a signature: the outcome, the type, and the deepest place in similearn.

SciPy and scikit-learn are imported where they are asked about, so that a child that dies of its
first case has not imported them for nothing.
"""

import re
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import similearn
from similearn.errors import SimilearnError, SimilearnWarning

FINE = ("ok", "sentence")
INTERNAL = (
    ArithmeticError,  # ZeroDivisionError, OverflowError, FloatingPointError
    AssertionError,
    AttributeError,
    LookupError,  # IndexError, KeyError
    NameError,
    np.linalg.LinAlgError,
    RuntimeError,  # RecursionError, NotImplementedError
)
OURS = Path(similearn.__file__).parent
LONGEST_SENTENCE = 1500
_UNREADABLE = re.compile(r"np\.(?:str_|[a-z]+\d+)\(|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Outcome:
    """A name, a signature that equal failures share, and the message."""

    name: str
    signature: str = ""
    message: str = ""

    @property
    def fine(self) -> bool:
        return self.name in FINE


class BrokenPromise(Exception):
    """An answer that may not be given: `outcome` says what is wrong, `where` who gave it."""

    def __init__(self, outcome: str, where: str, message: str = "") -> None:
        super().__init__(message)
        self.outcome, self.where = outcome, where


def outcome_of(play: Callable[[], str | None], show: bool = False) -> Outcome:
    """Run a case, which may name its outcome, and judge it; with `show`, print the traceback."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome = Outcome(play() or "ok")
        except BrokenPromise as broken:
            outcome = Outcome(broken.outcome, f"{broken.outcome}: {broken.where}", str(broken))
        except (Exception, SystemExit) as error:
            if show:
                traceback.print_exception(error)
            outcome = _of_error(error)
    return outcome if not outcome.fine else _of_warnings(caught) or outcome


def is_sentence(error: BaseException) -> bool:
    """Whether an error is one that a user may see."""
    if isinstance(error, SimilearnError | MemoryError):  # the latter leaves no room to import
        return isinstance(error, SimilearnError)
    from sklearn.exceptions import NotFittedError
    from sklearn.utils._param_validation import InvalidParameterError

    if isinstance(error, NotFittedError):
        return True
    if isinstance(error, InvalidParameterError):
        return "parameter of PathSearchCV" in str(error)
    return isinstance(error, KeyError) and "no source named" in str(error)


def require_readable(text: str, where: str) -> None:
    """Refuse sentences that nobody can read, or that speak to the terminal."""
    found = _UNREADABLE.search(text)
    if found or not text or len(text) > LONGEST_SENTENCE:
        why = f"{found[0]!r}" if found else f"{len(text)} characters"
        raise BrokenPromise("unreadable", where, f"{why} in {text[:300]!r}")


def require_finite(values: Any, where: str, *, minus_infinity: bool = False) -> None:
    """Refuse NaN and infinities in an answer."""
    from scipy import sparse

    entries = values.data if sparse.issparse(values) else np.asarray(values)
    if entries.dtype.kind not in "fc":
        return
    bad = ~np.isfinite(entries)
    if minus_infinity:
        bad &= entries != -np.inf
    if bad.any():
        text = f"{bad.sum()} of {bad.size}, such as {entries[bad][0]}"
        raise BrokenPromise("nan", where, text)


def require_probabilities(values: Any, where: str) -> None:
    """Refuse rows that are no probabilities."""
    require_finite(values, where)
    array = np.asarray(values)
    if (array < 0).any() or (array > 1).any() or (abs(array.sum(axis=-1) - 1) > 1e-9).any():
        raise BrokenPromise("probabilities", where, f"{array.min()} to {array.max()}")


def _of_error(error: BaseException) -> Outcome:
    text = str(error)
    place = f"{type(error).__name__} at {_deepest_place(error)}"
    if is_sentence(error):
        try:
            require_readable(text, place)
        except BrokenPromise as broken:
            return Outcome("unreadable", f"unreadable: {place}", str(broken))
        return Outcome("sentence", place, text)
    if isinstance(error, MemoryError):
        name = "memory"
    else:
        known = isinstance(error, INTERNAL) or type(error).__module__.startswith("numba")
        name = "internal" if known else "foreign"
    return Outcome(name, f"{name}: {place}", text[:500])


def _deepest_place(error: BaseException) -> str:
    ours = [
        f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(OURS))
    ]
    if not ours:
        return "no place of ours"
    return f"{Path(ours[-1].filename).relative_to(OURS)}:{ours[-1].name}"


def _of_warnings(caught: list[warnings.WarningMessage]) -> Outcome | None:
    for warning in caught:
        text = str(warning.message)
        ours = issubclass(warning.category, SimilearnWarning)
        deprecated = issubclass(warning.category, FutureWarning) and "removed in 0.3" in text
        if ours or deprecated or _is_unseen(warning.category):
            continue
        place = "/".join(Path(warning.filename).parts[-2:])
        signature = f"warning: {warning.category.__name__} at {place}"
        return Outcome("warning", signature, f"line {warning.lineno}: {text[:300]}")
    return None


def _is_unseen(category: type[Warning]) -> bool:
    from sklearn.exceptions import DataConversionWarning

    return issubclass(category, (DataConversionWarning, ResourceWarning))
