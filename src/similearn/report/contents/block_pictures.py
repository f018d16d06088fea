"""The map, the ordered matrix and the spectrum of a block, from as many samples as can be drawn."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh
from sklearn.manifold import TSNE, trustworthiness
from threadpoolctl import threadpool_limits

from similearn.data import Pairwise
from similearn.data.chunks import map_chunks
from similearn.numerics.linalg.diagnosis import double_centered
from similearn.numerics.linalg.plane import (
    binned,
    classical_plane,
    even_scale,
    order_by_first_axis,
    placed_between,
    squared_distances,
    stress,
)
from similearn.numerics.linalg.units import divided_where_needed, unit_of
from similearn.report.contents.sheets import BlockPictures, Floats, Indices, MatrixPicture, Plane

MOST_LANDMARKS = 1500
"""Samples that are drawn by their own dissimilarities; the others are put between them."""
MOST_CELLS = 400
"""Of a side of the matrix."""
LEAST_FOR_TSNE = 8
_NEIGHBORS = 10  # of which trustworthiness asks


def pictures_of(
    block: Pairwise,
    codes: Indices | None,
    seed: int = 0,
    class_order: Sequence[int] | None = None,
) -> BlockPictures:
    """Draw a block of samples with themselves.

    Parameters
    ----------
    block : samples with themselves
    codes : of their classes, or None
    seed : of what is drawn at random
    class_order : in which classes follow one another in the matrix; by default that of the codes

    Notes
    -----
    Beyond 1500 samples the plane, the matrix and the eigenvalues are those of 1500 random ones,
    each class by its share. O(n · 1500) and O(1500³).
    """
    n = len(block)
    landmarks = _landmarks(n, codes, seed)
    part = block if len(landmarks) == n else block[np.ix_(landmarks, landmarks)]
    values = _values(part)
    own_codes = None if codes is None else codes[landmarks]
    D = np.sqrt(_squares(values, block.large_is_near))
    planes = _planes(D, seed)
    if len(landmarks) < n:
        planes = _with_others(planes, block, landmarks, values)
    return BlockPictures(
        planes=planes,
        landmarks=len(landmarks),
        matrix=_matrix(values, D, own_codes, landmarks, class_order),
        spectrum=_spectrum(part, values),
        large_is_near=block.large_is_near,
    )


def _landmarks(n: int, codes: Indices | None, seed: int) -> Indices:
    """All samples, or random ones: of every class its share, and at least two."""
    if n <= MOST_LANDMARKS:
        return np.arange(n, dtype=np.intp)
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(n)
    if codes is None:
        return np.sort(shuffled[:MOST_LANDMARKS])
    # The i-th of n_g members of a class comes at (i + ½) / n_g: each class by its share.
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    counts = np.bincount(codes)
    rank = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    place = (rank + 0.5) / np.repeat(counts, counts)
    place[rank < 2] = 0.0
    return np.sort(order[np.argsort(place, kind="stable")[:MOST_LANDMARKS]])


def _values(block: Pairwise) -> Floats:
    """Dense means of both directions; what a sparse dissimilarity does not know is far."""
    farthest = float(block.values.data.max(initial=1.0)) if block.is_sparse else None
    return block.rows(both=True, unknown=farthest)


def _squares(values: Floats, large_is_near: bool) -> Floats:
    """Squared dissimilarities, the largest of which is one."""
    unit = unit_of(values)
    values = divided_where_needed(values, unit)
    if large_is_near:
        squares = squared_distances(values)
    else:
        squares = np.square(np.maximum(values, 0.0))
        np.fill_diagonal(squares, 0.0)
    return squares / (squares.max(initial=0.0) or 1.0)


def _planes(D: Floats, seed: int) -> list[Plane]:
    classical = classical_plane(D)
    planes = [
        _plane(
            "Distances",
            "Classical scaling: the plane that keeps most of the dissimilarities. Far is far.",
            D,
            classical,
        )
    ]
    if len(D) >= LEAST_FOR_TSNE and classical.any():
        start = 1e-4 * classical / (classical[:, 0].std() or 1.0)
        near = _tsne(D, start, seed)
        told = "t-SNE: neighbours stay together. How far groups lie apart says little."
        planes.insert(0, _plane("Neighbourhoods", told, D, near))
    return planes


def _tsne(D: Floats, start: Floats, seed: int) -> Floats:
    perplexity = min(30.0, (len(D) - 1) / 3)
    options: dict[str, Any] = {"metric": "precomputed", "init": start, "random_state": seed}
    # Threads that wait for one another cost more than they bring at this size.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        drawn = TSNE(perplexity=perplexity, max_iter=350, **options).fit_transform(D)
    return np.asarray(drawn, dtype=np.float64)


def _plane(name: str, told: str, D: Floats, points: Floats) -> Plane:
    k = min(_NEIGHBORS, (len(D) - 1) // 2)
    trust = None
    if k >= 1 and len(D) > 2:
        trust = float(trustworthiness(D, points, n_neighbors=k, metric="precomputed"))
    return Plane(name, told, points, trust, stress(D, points))


def _with_others(
    planes: list[Plane], block: Pairwise, landmarks: Indices, values: Floats
) -> list[Plane]:
    """Put the samples that are no landmarks between those that are nearest to them."""
    near = block.large_is_near
    apart = ~np.eye(len(values), dtype=bool)
    largest = float(values[apart].max())
    farthest = float(block.values.data.max(initial=1.0)) if block.is_sparse else None

    def place(rows: slice) -> list[Floats]:
        # To places of references one direction is enough.
        told = block.columns(landmarks, rows, unknown=farthest)
        D = np.sqrt(np.maximum(2.0 * (largest - told), 0.0)) if near else np.maximum(told, 0.0)
        unit = unit_of(D)
        D = divided_where_needed(D, unit)
        return [placed_between(D, plane.points) for plane in planes]

    found = map_chunks(place, len(block), row_bytes=64 * len(landmarks))
    moved = []
    for number, plane in enumerate(planes):
        points = np.concatenate([part[number] for part in found])
        points[landmarks] = plane.points
        moved.append(Plane(plane.name, plane.told, points, plane.trust, plane.stress))
    return moved


def _matrix(
    values: Floats,
    D: Floats,
    codes: Indices | None,
    landmarks: Indices,
    class_order: Sequence[int] | None,
) -> MatrixPicture:
    groups = [np.arange(len(D))]
    if codes is not None:
        ranks = range(int(codes.max()) + 1) if class_order is None else class_order
        groups = [np.flatnonzero(codes == g) for g in ranks]
    order = np.concatenate([g[order_by_first_axis(D[np.ix_(g, g)])] for g in groups])
    cells, step = binned(values[np.ix_(order, order)], MOST_CELLS)
    apart = ~np.eye(len(values), dtype=bool)
    points, shares = even_scale(values[apart] if len(values) > 1 else values.ravel())
    edges = [] if codes is None else np.cumsum([len(g) for g in groups]).tolist()
    means = None if codes is None else _class_means(values, codes)
    return MatrixPicture(cells, step, points, shares, landmarks[order], edges, means)


def _class_means(values: Floats, codes: Indices) -> Floats:
    """Mean value of pairs of different samples, between all classes; NaN where there is none."""
    member = np.eye(int(codes.max()) + 1)[codes]
    sizes = member.sum(axis=0)
    sums = member.T @ values @ member - np.diag(member.T @ values.diagonal())
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    return np.divide(sums, pairs, where=pairs > 0, out=np.full(sums.shape, np.nan))


def _spectrum(block: Pairwise, values: Floats) -> Floats | None:
    if not block.is_complete:
        return None
    unit = unit_of(values)
    values = divided_where_needed(values, unit)
    matrix = values if block.large_is_near else double_centered(values)
    eigenvalues: Floats = eigvalsh(matrix, check_finite=False)[::-1]
    with np.errstate(over="ignore"):
        eigenvalues = eigenvalues * unit * (1.0 if block.large_is_near else unit)
    return np.clip(eigenvalues, -1e300, 1e300)  # still finite when it is rounded
