"""`neighbor_table`: the nearest others of every object, without the matrix."""

from typing import Any

from similearn.data.checks import require_random_state
from similearn.data.graphs.search_choice import METHODS, found_table
from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.pairwise import Pairwise
from similearn.data.progress_bar import Show
from similearn.data.stored.cached_pairs import CachedPairs
from similearn.data.stored.whole_searches import all_nearest
from similearn.errors import InputError
from similearn.estimators.shell.parameters import require_choice
from similearn.estimators.transformers.pairwise_similarity import PairwiseSimilarity
from similearn.similarities.shell.object_pairs import ObjectPairs
from similearn.similarities.shell.objects import count


def neighbor_table(
    X: Any,
    k: int,
    function: Any = None,
    *,
    y: Any = None,
    kind: str | None = None,
    symmetric: bool | None = None,
    method: str = "auto",
    random_state: Any = None,
    path: Any = None,
    cache: Any = None,
    n_jobs: int | None = None,
    progress: Show = "auto",
) -> NeighborTable:
    """Find the k nearest others of every sample without the matrix, exactly if that can be.

    Parameters
    ----------
    X : n objects, as `PairwiseSimilarity` takes them, or a square `Pairwise`
    k : int
        How many neighbours of each.
    function : str, Similarity or callable
        What compares two objects, see `PairwiseSimilarity`; nothing for a `Pairwise`.
    y : (n,) labels, optional
        Needed only by a similarity that is learned.
    kind, symmetric : needed for a plain function, see `PairwiseSimilarity`
    method : {"auto", "exact", "descent", "index"}, default="auto"
        "exact" compares all pairs. "descent" compares few of them, whatever the objects are:
        NN-descent (Dong, Charikar and Li 2011). "index", for rows of numbers by "euclidean",
        "sqeuclidean", "cosine" or "cosine_similarity", lets usearch propose candidates, which are
        compared exactly. "auto" times a few pairs: it is exact where that takes one worker at
        most ten minutes, or where a descent would not be twice as quick; ``reason`` of the
        table says which, and why.
    random_state : int, RandomState instance or None, default=None
        Seed of "descent", which gives the same table for the same seed and any `n_jobs`.
    path : str or path, optional
        An .npz file. What an exact search has done is kept beside it every minute, so that the
        same call goes on after a kill; once it is whole, the same call reads it. A file of other
        objects, of another function or by another method is refused.
    cache : str or path, optional
        A folder that keeps the values themselves, for functions that are slow: see
        `LazyPairwise.cached`. 8 n² bytes of disk.
    n_jobs : int, optional
        Threads for functions that release the interpreter lock, processes for others.
    progress : {"auto", True, False}, default="auto"
        See `PairwiseSimilarity`.

    Returns
    -------
    NeighborTable
        ``neighbors`` and ``values``, both (n, k), nearest first. Of an asymmetric function
        near is by the mean of both directions (JMLR §7.2), and equally near samples come in
        their order: row by row what ``Pairwise.nearest(k, skip_self=True)`` gives. Where it is
        not exact, ``recall_`` is the share of the true nearest that it holds, measured on up to
        200 samples that are searched exactly, and warned of below 0.9. Estimators fitted to
        ``block.with_table(table)`` keep it, and search queries along the table's edges.

    Notes
    -----
    A symmetric function is evaluated once per pair, n (n - 1) / 2 times, an asymmetric one
    twice. Memory: the objects, 16 n k bytes, and a few MB per worker. A descent compares some
    hundreds to two thousand pairs of each object, ever fewer of all as n grows.

    Examples
    --------
    >>> from similearn import neighbor_table
    >>> table = neighbor_table(["bat", "cat", "cart", "dog"], 1, "levenshtein")
    >>> table.neighbors.ravel(), table.values.ravel()
    (array([1, 0, 1, 0]), array([1., 1., 1., 3.]))
    """
    require_choice("method", method, METHODS)
    if isinstance(X, LazyPairwise):
        X._require_same_samples("A table of neighbours")
        if n_jobs is None:
            n_jobs = X.n_jobs
        source: Any = X.source
    elif isinstance(X, Pairwise):
        return _of_block(X, k, n_jobs, path)
    else:
        source = _compared(X, y, function, kind, symmetric)
    source = source if cache is None else CachedPairs(source, cache)
    seed = int(require_random_state(random_state).randint(2**31 - 1))
    return found_table(
        source, k, method, random_state=seed, path=path, n_jobs=n_jobs, show=progress
    )


def _compared(X: Any, y: Any, function: Any, kind: Any, symmetric: Any) -> ObjectPairs:
    """Pairs of objects by a function, both checked."""
    compare = PairwiseSimilarity(
        "euclidean" if function is None else function, kind=kind, symmetric=symmetric
    ).fit(X, y)
    if count(compare.references_) < 2:
        raise InputError("X holds one object, which has no neighbours; expected two or more.")
    return ObjectPairs(compare.function_, compare.references_)


def _of_block(block: Pairwise, k: int, n_jobs: int | None, path: Any) -> NeighborTable:
    """Neighbours of the samples of a block that is there already."""
    found = all_nearest(block, k, skip_self=True, n_jobs=n_jobs)
    table = NeighborTable(*found, block.kind)
    if path is not None:
        table.save(path)
    return table
