"""The one chunking loop: bounded memory, threads, the order of rows kept."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from numbers import Integral
from typing import Any, TypeVar

from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.utils import gen_even_slices

from similearn.errors import InputError, InputTypeError

Result = TypeVar("Result")

_MOST_THREADS = 256


def n_threads(n_jobs: Any) -> int:
    """How many threads `n_jobs` means, with joblib's meaning; none is started here."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool)):
        raise InputTypeError(
            f"n_jobs={n_jobs!r} must be an integer or None, got {type(n_jobs).__name__}."
        )
    if n_jobs == 0:
        raise InputError("n_jobs=0 means no thread at all; expected 1 or more, -1 for all cores.")
    return int(min(effective_n_jobs(n_jobs), _MOST_THREADS))


def map_chunks(
    function: Callable[[slice], Result],
    n_rows: int,
    *,
    row_bytes: int,
    n_jobs: int | None = None,
) -> list[Result]:
    """Call `function` on consecutive slices of the rows and return its results in order.

    Parameters
    ----------
    function : called with a slice of rows. It should release the interpreter lock.
    n_rows : how many rows there are; with none, `function` sees one empty slice.
    row_bytes : temporary memory that one row needs. The chunks under way together stay
        within scikit-learn's ``working_memory``.
    n_jobs : threads, with joblib's meaning (None is one, -1 is all cores).
    """
    threads = min(n_threads(n_jobs), max(n_rows, 1))
    allowed = get_config()["working_memory"] * 2**20
    rows_at_once = max(int(allowed // (max(row_bytes, 1) * threads)), 1)
    n_chunks = max(-(-n_rows // rows_at_once), threads)
    if n_chunks == 1:
        return [function(slice(0, n_rows))]
    slices = list(gen_even_slices(n_rows, n_chunks, n_samples=n_rows))
    if threads == 1:
        return [function(rows) for rows in slices]
    contexts = [copy_context() for _ in slices]  # whoever gathers warnings gets those of threads
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda own, rows: own.run(function, rows), contexts, slices))
