"""Tables of nearest others of rows of numbers, by an index that is made for them."""

from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.data.chunks import n_threads
from similearn.data.graphs.descent_tables import measured_recall
from similearn.data.graphs.pair_keys import keys_of_pairs, values_of_keys
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.lazy.pair_source import PairSource
from similearn.data.lazy.tile_search import search_rows
from similearn.data.values import Floats, Indices
from similearn.errors import InputError, MissingExtraError

CANDIDATES_BEYOND = 6
"""Candidates beyond k that are compared again: single precision puts near ones out of order."""
_CONNECTIVITY, _EXPANSION_AT_BUILDING, _EXPANSION_AT_SEARCH = 16, 128, 64


def index_table(
    source: PairSource, k: int, *, n_jobs: int | None = None, digest: str = ""
) -> NeighborTable:
    """Find nearly the k nearest others of rows of numbers by usearch; see `neighbor_table`.

    Parameters
    ----------
    source : of rows of numbers, and of a distance or similarity that usearch knows: Euclidean,
        squared Euclidean or cosine
    k : how many neighbours
    n_jobs : threads; with several, usearch does not always find the same
    digest : of the source, where it is known

    Notes
    -----
    The index (HNSW, Malkov and Yashunin 2018) holds the rows in single precision and proposes
    k + 6 candidates for each; these are compared by the similarity itself, so that values and
    their order are exact. The recall is measured.
    """
    n = source.shape[0]
    k = require_integer("k", k, high=n - 1, high_means="number of other samples")
    threads = n_threads(n_jobs)
    candidates = candidates_of(*_indexed(source), min(k + CANDIDATES_BEYOND, n - 1), threads)
    keys, n_compared = _keys_of_candidates(source, candidates, n_jobs)
    order = np.lexsort((candidates, -keys), axis=1)[:, :k]
    near = np.take_along_axis(candidates, order, axis=1)
    keys = np.take_along_axis(keys, order, axis=1)
    values = values_of_keys(keys, source.kind)
    missed = np.flatnonzero(near[:, -1] < 0)  # the index knew fewer than k
    if len(missed):
        averages = not source.symmetric
        found = search_rows(source, missed, k, averages=averages, skip_self=True)
        near[missed], values[missed] = found
        keys = values if source.kind == "similarity" else -values
    recall = measured_recall(source, keys, n_compared=n_compared)
    told: dict[str, Any] = {"method": "index", "recall_": recall, "n_compared": n_compared}
    return NeighborTable(near, values, source.kind, digest, **told)


def _keys_of_candidates(
    source: PairSource, candidates: Indices, n_jobs: int | None
) -> tuple[Floats, int]:
    """Keys (n, count) of each row with its candidates, -inf where there is none; pairs compared.

    Near rows are mostly candidates of each other: such pairs are compared once.
    """
    rows, places = np.nonzero(candidates >= 0)
    columns, n = candidates[rows, places], len(candidates)
    lower, higher = np.minimum(rows, columns), np.maximum(rows, columns)
    pairs, pair_of = np.unique(lower * n + higher, return_inverse=True)
    keys = np.full(candidates.shape, -np.inf)
    keys[rows, places] = keys_of_pairs(source, pairs // n, pairs % n, n_jobs=n_jobs)[pair_of]
    return keys, len(pairs)


def knows_index(source: PairSource) -> bool:
    """Whether an index can be made of what a source compares."""
    return getattr(source, "indexed", None) is not None


def _indexed(source: PairSource) -> tuple[Any, str]:
    found = getattr(source, "indexed", None)
    if found is None:
        raise InputError(
            f"{source.name} has no index; method='index' takes rows of numbers and 'euclidean', "
            "'sqeuclidean', 'cosine' or 'cosine_similarity'. method='descent' takes anything."
        )
    vectors, metric = found
    return np.ascontiguousarray(vectors, dtype=np.float32), metric


def candidates_of(vectors: Any, metric: str, count: int, threads: int) -> Indices:
    """Positions (n, count) of what the index finds near each row, itself left out; -1 if none."""
    try:
        from usearch.index import Index
    except ImportError:
        raise MissingExtraError(
            "method='index' needs usearch, which is not installed. Run: pip install "
            "\"similearn[ann]\", or take method='descent'."
        ) from None
    n, d = vectors.shape
    index = Index(
        ndim=d,
        metric=metric,
        dtype="f32",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_AT_BUILDING,
        expansion_search=max(_EXPANSION_AT_SEARCH, 2 * count),
    )
    index.add(np.arange(n, dtype=np.uint64), vectors, threads=threads)
    found: Any = index.search(vectors, count + 1, threads=threads)
    near = found.keys.astype(np.intp).reshape(n, -1)
    sound = np.arange(near.shape[1]) < np.reshape(found.counts, (-1, 1))
    near = np.where(sound & (near != np.arange(n)[:, None]), near, -1)
    # What is left out goes to the end; the last is dropped where a row is not in its own list.
    order = np.argsort(near < 0, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(near, order, axis=1)
