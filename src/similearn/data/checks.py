"""The one place where NaN and infinite entries are named, and numbers, labels and seeds checked."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from similearn.data.chunks import map_chunks
from similearn.data.values import KINDS, Floats, Indices, Values, as_array
from similearn.errors import InputError, InputTypeError

_ENTRIES_AT_ONCE = 1 << 18
_LARGEST = 2**63 - 1
ROUNDING = 1e-10
"""What is below zero by no more than so much of the largest is zero, but for rounding."""
SINGLE_ROUNDING = 16.0 * float(np.finfo(np.float32).eps)
"""The same of single precision, in which embeddings are compared."""
_MISSING = {"NoneType": "None", "NAType": "NA", "NaTType": "NaT"}  # pandas is not imported


def require_finite(
    values: Values, name: str = "X", *, n_jobs: int | None = None, remedy: str | None = None
) -> None:
    """Raise an `InputError` that names the first NaN or infinite entry, if there is one.

    Parameters
    ----------
    values : (m, n) array, (m,) array or CSR
        Of a sparse block only the stored entries are looked at.
    name : what the message calls it.
    n_jobs : threads.
    remedy : what to do about it; by default what one does about a block

    Notes
    -----
    One sum over the block, without temporary arrays of its size: O(entries).
    """
    entries = values.data if sparse.issparse(values) else np.asarray(values)
    if entries.dtype.kind not in "fc":
        return
    sums = map_chunks(lambda rows: _sum(entries[rows]), len(entries), row_bytes=1, n_jobs=n_jobs)
    if np.isfinite(sums).all():
        return
    n_bad, first = _count_not_finite(entries)
    if n_bad == 0:  # large finite entries whose sum overflows
        return
    found = entries.ravel()[first]
    what = "NaN" if np.isnan(found) else "infinity"
    others = f"; the first of {n_bad} NaN or infinite entries" if n_bad > 1 else ""
    raise InputError(
        f"{name} contains {what} at {_place(values, first)} (counting from 0{others}). "
        f"{remedy or _what_to_do(values, what)}"
    )


def below_zero(values: Values, largest: float = 0.0) -> float:
    """The least entry if it is negative by more than rounding, which 1 - cosine brings; else zero.

    That of single precision, in which embeddings are usually compared.

    Parameters
    ----------
    values : (m, n) array or CSR, whose stored entries are looked at
    largest : of the training block, where these are queries: rounding is measured by the larger
    """
    entries = values.data if sparse.issparse(values) else np.asarray(values)
    least = float(entries.min(initial=0.0))
    if least >= 0.0:
        return 0.0
    return least if least < -SINGLE_ROUNDING * max(largest, float(entries.max())) else 0.0


def refuse_below_zero(
    values: Values, largest: float = 0.0, told: str = "There are negative dissimilarities"
) -> None:
    """Raise an `InputError` if dissimilarities are `below_zero`."""
    least = below_zero(values, largest)
    if least < 0.0:
        raise InputError(
            f"{told} (the smallest is {least:g}); expected 0 or more. If large means near, these "
            "are similarities. If only their order and differences count, subtract the smallest."
        )


def require_integer(
    name: str, value: Any, *, low: int = 1, high: int | None = None, high_means: str = ""
) -> int:
    """Return the value if it is an integer within [low, high], and within 64 bits."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        kind = type(value).__name__
        raise InputTypeError(f"{name}={value!r} must be an integer, got {kind}.")
    value = int(value)
    if abs(value) > _LARGEST:  # Python refuses to print some of these
        raise InputError(f"{name} is an integer beyond 64 bits; expected at most 2**63 - 1.")
    if value < low:
        raise InputError(f"{name}={value} is too small; expected at least {low}.")
    if high is not None and value > high:
        raise InputError(f"{name}={value} is larger than {high}, the {high_means}; lower {name}.")
    return value


def number_array(name: str, values: Any, expected: str) -> Floats:
    """Return numbers of any shape as float64; a sentence says what is expected of others."""
    try:
        array = as_array(values, name)
        if array.dtype.kind == "c":
            raise TypeError
        with np.errstate(over="ignore"):  # what becomes infinite is refused by whoever needs to
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError) and "ragged" not in str(error):
            raise
        raise InputError(
            f"{name} cannot be read as numbers (its type is {type(values).__name__}); expected "
            f"{expected}."
        ) from None


def require_choice(name: str, value: Any, choices: Any) -> Any:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name}={value!r} is unknown; expected one of {known}.")
    return value


def require_kind(kind: Any) -> None:
    """Raise an `InputError` unless kind is one of the two."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"kind={kind!r} is unknown; expected 'similarity' or 'dissimilarity'.")


def require_flag(name: str, value: Any) -> bool:
    """Return the value if it is true or false, or 1 or 0."""
    if isinstance(value, bool | np.bool_) or (is_number(value) and value in (0, 1)):
        return bool(value)
    raise InputTypeError(f"{name}={value!r} must be True or False.")


def is_number(value: Any) -> bool:
    """Whether a value is a number as arrays hold them: no truth value, no fraction of Python."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def require_number(
    name: str, value: Any, *, low: float = -np.inf, high: float = np.inf, expected: str
) -> float:
    """Return the value as a finite float if it is a number within [low, high]."""
    if not is_number(value):
        kind = type(value).__name__
        raise InputTypeError(f"{name}={value!r} must be a number, got {kind}; expected {expected}.")
    try:
        number = float(value)
    except OverflowError:  # an integer that Python may refuse to print
        raise InputError(f"{name} is an integer beyond 1e308; expected {expected}.") from None
    if not (np.isfinite(number) and low <= number <= high):
        raise InputError(f"{name}={value!r} is out of range; expected {expected}.")
    return number


def as_labels(y: Any) -> Any:
    """Return labels as an array of numbers, truth values, words or other objects.

    Numbers of another byte order, words of NumPy's newer type, and numbers that came as
    objects get the plain types that everything further on knows. None, sparse matrices and the
    number of axes are left for others to judge.

    Raises
    ------
    InputError
        If y is one word, or a label is missing.
    """
    if y is None or sparse.issparse(y) or _is_plain(y):
        return y
    if isinstance(y, str | bytes):
        raise InputTypeError("y is a string; expected the label of each training sample.")
    labels = as_array(y, "y")
    if labels.dtype.kind == "T":
        labels = labels.astype(object)
    if labels.dtype.kind == "U" and isinstance(y, list | tuple):
        _refuse_missing(np.array(y, dtype=object))  # NumPy made the word "nan" of it
    if labels.dtype.kind == "O" or (labels.dtype.kind == "f" and np.isnan(labels).any()):
        _refuse_missing(labels)
    if labels.dtype.kind == "O":
        labels = _plain_objects(labels)
    return labels if labels.dtype.isnative else labels.astype(labels.dtype.newbyteorder("="))


def distinct_labels(y: Any, n: int) -> tuple[Any, Any, Any]:
    """Return the distinct of n labels, sorted; the position of each in them; and their counts."""
    labels = as_labels(y)
    if np.shape(labels) != (n,):
        raise InputError(
            f"y has shape {np.shape(labels)}, but X has {n} samples; expected one label for each."
        )
    try:
        return np.unique(labels, return_inverse=True, return_counts=True)
    except TypeError:
        raise InputError(
            "y holds labels of several types; expected all of one type. Make them all strings."
        ) from None


def _is_plain(y: Any) -> bool:
    return type(y) is np.ndarray and y.dtype.kind in "biuU" and y.dtype.isnative


def _refuse_missing(labels: Any) -> None:
    for place, label in enumerate(labels.ravel()):
        name = type(label).__name__
        if name in _MISSING or (isinstance(label, float | np.floating) and label != label):
            told = _MISSING.get(name, "NaN")
            raise InputError(
                f"y holds {told} at position {place} (counting from 0); expected a label for every "
                "sample. Leave those out."
            )


def _plain_objects(labels: Any) -> Any:
    """Objects that are all numbers as an array of these; words stay, as they may be long."""
    kinds = {type(label) for label in labels.ravel()}
    numbers = kinds and all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds)
    return np.array(labels.tolist()).reshape(labels.shape) if numbers else labels


def require_random_state(random_state: Any) -> Any:
    """Return NumPy's RandomState for a seed, as scikit-learn reads it."""
    try:
        return check_random_state(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"random_state={random_state!r} cannot seed random numbers; expected None, an integer "
            "from 0 to 2**32 - 1, or a numpy.random.RandomState."
        ) from None


def _sum(entries: Any) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sum(entries))


def _count_not_finite(entries: Any) -> tuple[int, int]:
    """How many entries are not finite, and the flat position of the first."""
    flat, n_bad, first = entries.ravel(), 0, -1
    for start in range(0, flat.size, _ENTRIES_AT_ONCE):
        bad: Indices = np.flatnonzero(~np.isfinite(flat[start : start + _ENTRIES_AT_ONCE]))
        if n_bad == 0 and bad.size:
            first = start + int(bad[0])
        n_bad += bad.size
    return n_bad, first


def _place(values: Values, position: int) -> str:
    if sparse.issparse(values):
        row = int(np.searchsorted(values.indptr, position, side="right")) - 1
        return f"row {row}, column {values.indices[position]}"
    if np.ndim(values) == 1:
        return f"position {position}"
    row, column = divmod(position, np.shape(values)[1])
    return f"row {row}, column {column}"


def _what_to_do(values: Values, what: str) -> str:
    if not sparse.issparse(values) and np.ndim(values) == 1:
        return "Fill it in before."
    if what == "infinity":
        return "Put a finite number there; or NaN, if nothing is known, which can be filled in."
    leave_out = "missing='zero' where it is read as a similarity, missing='unknown' as a "
    if sparse.issparse(values):
        return f"Leave such entries out: {leave_out}dissimilarity."
    return (
        "Fill such entries in by similearn.convert.fill_missing, or by missing='fill' where a file "
        f"is read; or leave them out of a sparse block: {leave_out}dissimilarity."
    )


def require_seeds(random_state: Any) -> np.random.SeedSequence:
    """Return the seeds that `random_state` means: None, an integer or a source of numbers."""
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if random_state is None or (whole and random_state >= 0):
        return np.random.SeedSequence(None if random_state is None else int(random_state))
    return np.random.SeedSequence(int(require_random_state(random_state).randint(2**31)))


def require_generator(random_state: Any) -> np.random.Generator:
    """Return the generator that `random_state` means."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"random_state={random_state!r} cannot seed random numbers; expected None, an integer "
            "from 0 on, or a numpy.random.Generator."
        ) from None
