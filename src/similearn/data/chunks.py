"""The one chunking loop: bounded memory, threads, the order of rows kept."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.utils import gen_even_slices

Result = TypeVar("Result")


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
    n_threads = min(effective_n_jobs(n_jobs), max(n_rows, 1))
    allowed = get_config()["working_memory"] * 2**20
    rows_at_once = max(int(allowed // (max(row_bytes, 1) * n_threads)), 1)
    n_chunks = max(-(-n_rows // rows_at_once), n_threads)
    slices = list(gen_even_slices(n_rows, n_chunks, n_samples=n_rows)) if n_rows else [slice(0, 0)]
    if n_threads == 1:
        return [function(rows) for rows in slices]
    contexts = [copy_context() for _ in slices]  # whoever gathers warnings gets those of threads
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda own, rows: own.run(function, rows), contexts, slices))
