"""`neighbor_table`: the nearest others of every object, without the matrix."""

from typing import Any

from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.lazy.table_building import build_table
from similearn.data.pairwise import Pairwise
from similearn.data.progress_bar import Show
from similearn.data.stored.cached_pairs import CachedPairs
from similearn.data.stored.whole_searches import all_nearest
from similearn.errors import InputError
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
    path: Any = None,
    cache: Any = None,
    n_jobs: int | None = None,
    progress: Show = "auto",
) -> NeighborTable:
    """Find the k nearest others of every sample, exactly and without the matrix.

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
    path : str or path, optional
        An .npz file. What is done is kept beside it every minute, so that the same call goes on
        after a kill; once it is whole, the same call reads it. A file of other objects or of
        another function is refused.
    cache : str or path, optional
        A folder that keeps the values themselves, for functions that are dear: see
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
        their order: row by row what ``Pairwise.nearest(k, skip_self=True)`` gives.

    Notes
    -----
    A symmetric function is evaluated once per pair, n (n - 1) / 2 times, an asymmetric one
    twice. Memory: the objects, 16 n k bytes, and a few MB per worker.

    Examples
    --------
    >>> from similearn import neighbor_table
    >>> table = neighbor_table(["bat", "cat", "cart", "dog"], 1, "levenshtein")
    >>> table.neighbors.ravel(), table.values.ravel()
    (array([1, 0, 1, 0]), array([1., 1., 1., 3.]))
    """
    if isinstance(X, LazyPairwise):
        X._require_same_samples("A table of neighbours")
        if n_jobs is None:
            n_jobs = X.n_jobs
        X = X if cache is None else X.cached(cache)
        return build_table(X.source, k, path=path, n_jobs=n_jobs, show=progress)
    if isinstance(X, Pairwise):
        return _of_block(X, k, n_jobs, path)
    compare = PairwiseSimilarity(
        "euclidean" if function is None else function, kind=kind, symmetric=symmetric
    ).fit(X, y)
    if count(compare.references_) < 2:
        raise InputError("X holds one object, which has no neighbours; expected two or more.")
    source: Any = ObjectPairs(compare.function_, compare.references_)
    source = source if cache is None else CachedPairs(source, cache)
    return build_table(source, k, path=path, n_jobs=n_jobs, show=progress)


def _of_block(block: Pairwise, k: int, n_jobs: int | None, path: Any) -> NeighborTable:
    """Neighbours of the samples of a block that is there already."""
    found = all_nearest(block, k, skip_self=True, n_jobs=n_jobs)
    table = NeighborTable(*found, block.kind)
    if path is not None:
        table.save(path)
    return table
