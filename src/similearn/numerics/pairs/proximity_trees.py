"""Trees that compare with exemplars (Lucas et al. 2019): grown by Gini, asked branch by branch."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Compare = Callable[[int, Indices, Indices], Floats]


@dataclass(frozen=True, eq=False)
class ProximityTree:
    """Nodes of a tree, the root first; children come after their parents.

    Parameters
    ----------
    starts : (n_nodes + 1,), where the branches of each node begin; a leaf has none
    sources : (n_nodes,), by which source a node compares
    exemplars : (n_branches,), training samples that branches belong to, ascending in a node
    children : (n_branches,), nodes that they lead to
    counts : (n_nodes, n_classes), training samples of each class that came to a node
    """

    starts: Indices
    sources: Indices
    exemplars: Indices
    children: Indices
    counts: Floats


@dataclass(frozen=True)
class Growth:
    """How trees grow: see `similearn.ProximityForestClassifier`."""

    n_classes: int
    n_sources: int
    n_candidates: int
    max_depth: int | None
    min_samples_leaf: int
    n_judged: int


@dataclass(frozen=True, eq=False)
class _Split:
    source: int
    exemplars: Indices
    branches: Indices
    impurity: float


def grow(
    compare: Compare, codes: Indices, growth: Growth, generator: np.random.Generator
) -> ProximityTree:
    """Grow one tree.

    Parameters
    ----------
    compare : ``compare(source, rows, columns)`` gives keys (r, c), of which larger are nearer
    codes : (n,) classes of the training samples
    growth : how
    generator : draws sources and exemplars

    Notes
    -----
    A candidate split draws a source, and one exemplar of each class that a node holds; samples go
    to the nearest exemplar, the one of lower position if two are as near. The candidate of least
    weighted Gini impurity is taken, the first of equal ones. Up to `n_judged` samples of a node
    judge the candidates; the others are compared with the exemplars of the best one alone.
    O(n log n) comparisons if the branches are balanced.
    """
    waiting = deque([(0, np.arange(len(codes)), 0)])  # breadth first: nodes in their order
    nodes: dict[int, tuple[int, Indices, Indices]] = {}
    counts: list[Floats] = [_class_counts(codes, growth.n_classes)]
    while waiting:
        node, members, depth = waiting.popleft()
        split = _best_split(compare, members, codes, depth, growth, generator)
        if split is None:
            continue
        children = np.arange(len(counts), len(counts) + len(split.exemplars))
        nodes[node] = split.source, split.exemplars, children
        for branch, child in enumerate(children.tolist()):
            part = members[split.branches == branch]
            counts.append(_class_counts(codes[part], growth.n_classes))
            waiting.append((child, part, depth + 1))
    return _flattened(nodes, np.array(counts))


def route(
    tree: ProximityTree, compare: Compare, rows: Indices
) -> tuple[Indices, Indices, Floats, Indices]:
    """Send queries along the branches, each to the nearest exemplar.

    Returns
    -------
    leaves : (m,) nodes that they come to
    exemplars, keys, sources : (m,), the last exemplars on the way, how near these are, and by
        which source; -1, 0 and 0 where the root is a leaf
    """
    leaves, sources = np.zeros(len(rows), dtype=np.intp), np.zeros(len(rows), dtype=np.intp)
    exemplars, keys = np.full(len(rows), -1, dtype=np.intp), np.zeros(len(rows))
    waiting = [(0, np.arange(len(rows)))]
    while waiting:
        node, places = waiting.pop()
        branches = np.arange(tree.starts[node], tree.starts[node + 1])
        if not len(branches):
            leaves[places] = node
            continue
        own = tree.exemplars[branches]
        values = compare(int(tree.sources[node]), rows[places], own)
        nearest = values.argmax(axis=1)
        exemplars[places], sources[places] = own[nearest], tree.sources[node]
        keys[places] = values[np.arange(len(places)), nearest]
        for place in np.unique(nearest).tolist():
            waiting.append((int(tree.children[branches[place]]), places[nearest == place]))
    return leaves, exemplars, keys, sources


def weighted_gini(branches: Indices, codes: Indices, n_branches: int, n_classes: int) -> float:
    """Σ over branches of share · (1 - Σ shares of classes²), of (m,) samples."""
    counts = np.bincount(branches * n_classes + codes, minlength=n_branches * n_classes)
    counts = counts.reshape(n_branches, n_classes)
    sizes = counts.sum(axis=1)
    pure = (counts**2).sum(axis=1)[sizes > 0] / sizes[sizes > 0]
    return float(1.0 - pure.sum() / len(codes))


def _best_split(
    compare: Compare, members: Indices, codes: Indices, depth: int, growth: Growth,
    generator: np.random.Generator,
) -> _Split | None:  # fmt: skip
    """The best of some candidates with all members sent along; None where a node is a leaf."""
    own = codes[members]
    classes, sizes = np.unique(own, return_counts=True)
    deep = growth.max_depth is not None and depth >= growth.max_depth
    if len(classes) < 2 or deep or len(members) < 2 * growth.min_samples_leaf:
        return None
    judged = members
    if len(members) > growth.n_judged:
        judged = np.sort(generator.permutation(members)[: growth.n_judged])
    by_class = members[np.argsort(own, kind="stable")]
    draws = generator.random((growth.n_candidates, 1 + len(classes)))
    sources = np.floor(draws[:, 0] * growth.n_sources).astype(np.intp)
    places = np.cumsum(sizes) - sizes + np.floor(draws[:, 1:] * sizes).astype(np.intp)
    exemplars = np.sort(by_class[places], axis=1)
    found = [
        _judged(compare, int(source), drawn, judged, codes, growth)
        for source, drawn in zip(sources, exemplars, strict=True)
    ]
    best = min(found, key=lambda split: split.impurity)
    if len(judged) < len(members):
        nearest = compare(best.source, members, best.exemplars).argmax(axis=1)
        best = _Split(best.source, best.exemplars, nearest, best.impurity)
    return _if_it_splits(best, growth.min_samples_leaf)


def _judged(
    compare: Compare, source: int, exemplars: Indices, judged: Indices, codes: Indices,
    growth: Growth,
) -> _Split:  # fmt: skip
    branches = compare(source, judged, exemplars).argmax(axis=1)
    impurity = weighted_gini(branches, codes[judged], len(exemplars), growth.n_classes)
    return _Split(source, exemplars, branches, impurity)


def _if_it_splits(split: _Split, least: int) -> _Split | None:
    """The split without branches that nobody took; None if one is left, or too small."""
    taken, branches, sizes = np.unique(split.branches, return_inverse=True, return_counts=True)
    if len(taken) < 2 or sizes.min() < least:
        return None
    return _Split(split.source, split.exemplars[taken], branches, split.impurity)


def _class_counts(codes: Indices, n_classes: int) -> Floats:
    return np.bincount(codes, minlength=n_classes).astype(np.float64)


def _flattened(nodes: dict[int, tuple[int, Indices, Indices]], counts: Floats) -> ProximityTree:
    sizes, sources = np.zeros(len(counts), np.intp), np.zeros(len(counts), np.intp)
    for node, (source, exemplars, _) in nodes.items():
        sizes[node], sources[node] = len(exemplars), source
    none = [np.empty(0, dtype=np.intp)]
    ordered = [nodes[node] for node in sorted(nodes)]
    return ProximityTree(
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        sources=sources,
        exemplars=np.concatenate(none + [part[1] for part in ordered]),
        children=np.concatenate(none + [part[2] for part in ordered]),
        counts=counts,
    )
