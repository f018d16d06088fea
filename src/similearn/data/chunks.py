"""The one chunking loop: bounded memory, threads, the order of rows kept; tasks in any order."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from itertools import islice
from numbers import Integral
from typing import Any, TypeVar

from joblib import Parallel, cpu_count, delayed, effective_n_jobs
from sklearn import get_config
from sklearn.utils import gen_even_slices

from similearn.data.spread.clusters import active_cluster
from similearn.errors import InputError, InputTypeError

Result = TypeVar("Result")

_MOST_THREADS = 256
_ENOUGH_BYTES = 256 * 2**20  # under way together: larger chunks gain no time


def n_threads(n_jobs: Any) -> int:
    """How many threads `n_jobs` means, with joblib's meaning; none is started here."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool)):
        raise InputTypeError(
            f"n_jobs={n_jobs!r} must be an integer or None, got {type(n_jobs).__name__}."
        )
    if n_jobs == 0:
        raise InputError("n_jobs=0 means no thread at all; expected 1 or more, -1 for all cores.")
    return int(min(effective_n_jobs(n_jobs), _MOST_THREADS))


def n_workers(n_jobs: Any) -> int | None:
    """`n_jobs` for joblib: None leaves it to whoever calls us; beyond a few per core none helps."""
    return None if n_jobs is None else min(n_threads(n_jobs), 4 * cpu_count())


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
        within scikit-learn's ``working_memory``, and within 256 MiB, since more gains nothing.
    n_jobs : threads, with joblib's meaning (None is one, -1 is all cores).
    """
    threads = min(n_threads(n_jobs), n_rows) if n_rows > 1 else 1
    allowed = min(get_config()["working_memory"] * 2**20, _ENOUGH_BYTES)
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


def run_tasks(
    function: Callable[..., Result],
    shared: Any,
    tasks: Iterable[tuple[Any, ...]],
    *,
    n_jobs: int | None = None,
    in_threads: bool = True,
) -> Iterator[tuple[int, Result]]:
    """Call ``function(shared, *task)`` for every task; yield its number and result, as they end.

    Parameters
    ----------
    function : of the top level of a module, so that processes can call it
    shared : what all tasks need, such as the objects
    tasks : what is small and differs; taken one by one, shortly before they start
    n_jobs : workers, with joblib's meaning
    in_threads : whether threads can share the work; processes do it if not

    Notes
    -----
    At most two tasks per worker are under way or wait to be fetched, so that memory is bounded.
    Within ``similearn.on`` the workers are those of a cluster.
    """
    workers, cluster = n_threads(n_jobs), active_cluster()
    if cluster is not None:
        yield from cluster.run(function, shared, tasks)
    elif workers == 1:
        for number, task in enumerate(tasks):
            yield number, function(shared, *task)
    elif in_threads:
        with ThreadPoolExecutor(workers) as pool:
            yield from _as_they_end(partial(pool.submit, function, shared), tasks, workers)
    else:
        calls = (
            delayed(_numbered)(number, function, shared, *task) for number, task in enumerate(tasks)
        )
        options = {"return_as": "generator_unordered", "pre_dispatch": "2*n_jobs"}
        yield from Parallel(workers, prefer="processes", **options)(calls)


def _as_they_end(
    submit: Callable[..., "Future[Result]"], tasks: Iterable[tuple[Any, ...]], workers: int
) -> Iterator[tuple[int, Result]]:
    """Keep two tasks per worker under way; yield results as they end."""
    waiting: dict[Future[Result], int] = {}
    numbered = enumerate(tasks)
    try:
        while True:
            for number, task in islice(numbered, 2 * workers - len(waiting)):
                waiting[submit(*task)] = number
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    finally:
        for future in waiting:
            future.cancel()


def _numbered(number: int, function: Callable[..., Result], *arguments: Any) -> tuple[int, Result]:
    return number, function(*arguments)
