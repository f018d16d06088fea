"""All pairs of objects: once per pair if symmetric, in chunks, by threads or processes."""

import sys
from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import gen_even_slices

from similearn.data.checks import require_finite
from similearn.data.chunks import map_chunks, n_threads
from similearn.data.progress_bar import Show, progress
from similearn.errors import InputError
from similearn.similarities.shell.objects import count
from similearn.similarities.shell.similarity import Similarity

_PANEL_ROWS = 256
_TASKS_PER_WORKER = 16
_TEMPORARIES = 4  # arrays of the size of the result that a matrix form may need at once


def evaluate_square(
    similarity: Similarity, objects: Any, *, n_jobs: int | None = None, show: Show = "auto"
) -> np.ndarray:
    """Return ψ(i, j) of all pairs of n objects, shape (n, n).

    A symmetric function is evaluated n(n+1)/2 times, an asymmetric one n² times.

    Parameters
    ----------
    similarity : fitted, if it is learned.
    objects : a sequence of objects, rows of an array, or CSR.
    n_jobs, show : as for `evaluate_block`

    Examples
    --------
    >>> from similearn.similarities import evaluate_square, get_similarity
    >>> gap = get_similarity(lambda a, b: abs(a - b), kind="dissimilarity", symmetric=True)
    >>> evaluate_square(gap, [1, 2, 4])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    roles = ("object", "object")
    if not similarity.symmetric:
        return evaluate_block(similarity, objects, objects, n_jobs=n_jobs, show=show, roles=roles)
    n = count(objects)
    values = np.empty((n, n))
    with progress(n * (n + 1) // 2, _told(similarity), show=show) as advance:
        if similarity.has_matrix:
            _fill_panels(similarity, similarity.prepare(objects), values, n_jobs, advance)
        else:
            pairs = _Pairs(similarity, objects, objects, roles, upper=True)
            for i, row in pairs.rows(n_jobs, advance):
                values[i, i:] = row
                values[i:, i] = row
    require_finite(values, f"The block of {name_of(similarity)}")
    return values


def evaluate_block(
    similarity: Similarity,
    A: Any,
    B: Any,
    *,
    n_jobs: int | None = None,
    show: Show = "auto",
    roles: tuple[str, str] = ("query", "reference"),
) -> np.ndarray:
    """Return ψ(a, b) of m objects A with n objects B, shape (m, n).

    Parameters
    ----------
    similarity : fitted, if it is learned.
    A, B : sequences of objects, rows of an array, or CSR.
    n_jobs : int, optional
        Threads for functions that release the interpreter lock, processes for others.
    show : {"auto", True, False}
        The progress bar, see `similearn.data.progress_bar`.
    roles : what messages call an object of A and one of B.

    Examples
    --------
    >>> from similearn.similarities import Euclidean, evaluate_block
    >>> evaluate_block(Euclidean(), [[0.0, 0.0]], [[3.0, 4.0], [0.0, 1.0]])
    array([[5., 1.]])
    """
    m, n = count(A), count(B)
    values = np.empty((m, n))

    with progress(m * n, _told(similarity), show=show) as advance:
        if similarity.has_matrix:
            _fill_stretches(similarity, A, B, values, n_jobs, advance)
        else:
            for i, row in _Pairs(similarity, A, B, roles).rows(n_jobs, advance):
                values[i] = row
    require_finite(values, f"The block of {name_of(similarity)}")
    return values


def _fill_stretches(
    similarity: Similarity,
    A: Any,
    B: Any,
    values: np.ndarray,
    n_jobs: int | None,
    advance: Callable[[int], None],
) -> None:
    """Fill stretches of rows by the matrix form."""
    a = similarity.prepare(A)
    b = a if B is A else similarity.prepare(B)
    m, n = values.shape

    def fill(rows: slice) -> None:
        values[rows] = similarity.matrix(a[rows], b)
        advance(values[rows].size)

    n_workers = min(n_threads(n_jobs), m)
    if similarity.releases_lock or n_workers < 2:
        map_chunks(fill, m, row_bytes=8 * n * _TEMPORARIES, n_jobs=n_jobs)
        return
    stretches = list(gen_even_slices(m, min(m, n_workers * _TASKS_PER_WORKER)))
    pairs = ((a[rows], b) for rows in stretches)
    for rows, found in zip(stretches, _in_processes(similarity, pairs, n_jobs), strict=True):
        values[rows] = found
        advance(found.size)


def _fill_panels(
    similarity: Similarity,
    objects: Any,
    values: np.ndarray,
    n_jobs: int | None,
    advance: Callable[[int], None],
) -> None:
    """Fill panels of rows right of the diagonal by the matrix form, and mirror them."""
    n = len(values)
    n_workers = min(n_threads(n_jobs), n)
    in_processes = n_workers > 1 and not similarity.releases_lock
    height = -(-n // (n_workers * _TASKS_PER_WORKER)) if in_processes else _PANEL_ROWS
    panels = _evened([slice(start, start + height) for start in range(0, n, height)])

    def store(rows: slice, panel: np.ndarray) -> None:
        k = len(panel)
        below = np.tril_indices(k, -1)  # exact symmetry, whatever the rounding
        panel[below] = panel.T[below]
        values[rows, rows.start :] = panel
        values[rows.start :, rows] = panel.T
        advance(panel.size - k * (k - 1) // 2)

    def fill(chosen: slice) -> None:
        for rows in panels[chosen]:
            store(rows, similarity.matrix(objects[rows], objects[rows.start :]))

    if in_processes:
        pairs = ((objects[rows], objects[rows.start :]) for rows in panels)
        for rows, panel in zip(panels, _in_processes(similarity, pairs, n_jobs), strict=True):
            store(rows, panel)
    else:
        row_bytes = 8 * n * height * _TEMPORARIES
        map_chunks(fill, len(panels), row_bytes=row_bytes, n_jobs=n_jobs)


def _evened(panels: list[slice]) -> list[slice]:
    """Long and short panels in turn, so that stretches of them hold equal work."""
    half = -(-len(panels) // 2)
    order = [panels[0]] * len(panels)
    order[::2], order[1::2] = panels[:half], panels[half:][::-1]
    return order


def _in_processes(
    similarity: Similarity, pairs: Iterable[tuple[Any, Any]], n_jobs: int | None
) -> Iterable[np.ndarray]:
    """Blocks of a matrix form that holds the interpreter lock, computed by workers, in order."""
    # The same options as for pairs: joblib starts its processes anew whenever they change.
    workers = Parallel(n_jobs=n_threads(n_jobs), prefer="processes", return_as="generator")
    return workers(delayed(similarity.matrix)(a, b) for a, b in pairs)


class _Pairs:
    """Rows of values of a plain function, in this process or in workers."""

    def __init__(
        self, similarity: Similarity, A: Any, B: Any, roles: tuple[str, str], upper: bool = False
    ) -> None:
        self.similarity, self.A, self.B, self.roles, self.upper = similarity, A, B, roles, upper

    def rows(self, n_jobs: int | None, advance: Callable[[int], None]) -> Iterable[Any]:
        """Yield each position i with its values (n,), or (n - i,) if only the upper half."""
        m = len(self.A)
        n_workers = min(n_threads(n_jobs), m)
        # Strides, not stretches: rows of the upper half grow shorter.
        n_tasks = m if n_workers == 1 else min(m, n_workers * _TASKS_PER_WORKER)
        tasks = [range(start, m, n_tasks) for start in range(n_tasks)]
        for positions, rows in zip(tasks, self._results(tasks, n_jobs, n_workers), strict=True):
            advance(sum(map(len, rows)))
            yield from zip(positions, rows, strict=True)

    def _results(self, tasks: list[range], n_jobs: int | None, n_workers: int) -> Iterable[Any]:
        call = (self.similarity, self.B, self.roles, self.upper)
        if n_workers == 1:
            return (_evaluate_rows(positions, self._of(positions), *call) for positions in tasks)
        prefer = "threads" if self.similarity.releases_lock else "processes"
        workers = Parallel(n_jobs=n_threads(n_jobs), prefer=prefer, return_as="generator")
        return workers(
            delayed(_evaluate_rows)(positions, self._of(positions), *call) for positions in tasks
        )

    def _of(self, positions: range) -> list[Any]:
        return [self.A[i] for i in positions]


def _evaluate_rows(
    positions: Sequence[int],
    objects: Sequence[Any],
    similarity: Similarity,
    others: Any,
    roles: tuple[str, str],
    upper: bool,
) -> list[np.ndarray]:
    """Values of each object with all others, or from its own position on."""
    return [
        evaluate_row(similarity, a, others, range(i if upper else 0, len(others)), i, roles)
        for i, a in zip(positions, objects, strict=True)
    ]


def evaluate_row(
    similarity: Similarity,
    a: Any,
    others: Any,
    columns: Sequence[int],
    i: int,
    roles: tuple[str, str],
) -> np.ndarray:
    """Values of object i with the objects at the given columns, each checked."""
    found: list[Any] = []
    try:
        for j in columns:
            found.append(similarity(a, others[j]))
    except Exception as error:
        pair = pair_told(roles, i, columns[len(found)])
        error.add_note(f"{name_of(similarity)} failed on {pair} (counting from 0).")
        raise
    row = _as_floats(found)
    if row is not None and np.isfinite(row).all():
        return row
    bad = next(k for k, value in enumerate(found) if not _is_finite_number(value))
    pair = pair_told(roles, i, columns[bad])
    raise InputError(
        f"{name_of(similarity)} returned {_describe(found[bad])} for {pair} "
        "(counting from 0); expected one finite number for every pair."
    )


def _as_floats(found: list[Any]) -> np.ndarray | None:
    """Return the values as floats, or None if one of them is not a number."""
    try:
        row = np.asarray(found)
        if row.dtype.kind == "O" and all(isinstance(value, Real) for value in found):
            row = row.astype(np.float64)  # fractions and large integers
    except (ValueError, OverflowError):  # arrays of unequal shapes, integers beyond all floats
        return None
    if row.ndim != 1 or row.dtype.kind not in "buif":
        return None
    return row.astype(np.float64)


def _is_finite_number(value: Any) -> bool:
    row = _as_floats([value])
    return row is not None and bool(np.isfinite(row).all())


def _describe(value: Any) -> str:
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return "an integer beyond all floats"
    if value is None or isinstance(value, Real | complex):
        return str(value)
    shape = getattr(value, "shape", None)
    told = f" of shape {shape}" if shape else ""
    return f"a value of type {type(value).__name__}{told}"


def pair_told(roles: tuple[str, str], i: int, j: int) -> str:
    """What messages call the pair of objects i and j."""
    if roles[0] == roles[1]:
        return f"{roles[0]}s {i} and {j}"
    return f"{roles[0]} {i} and {roles[1]} {j}"


def name_of(similarity: Similarity) -> str:
    """What messages call a similarity."""
    return similarity.name or type(similarity).__name__


def _told(similarity: Similarity) -> str:
    return f"Comparing pairs by {name_of(similarity)}"
