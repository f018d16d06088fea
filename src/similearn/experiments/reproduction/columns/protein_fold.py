"""Protein folds: twelve groups of measurements of 694 proteins, each made a dissimilarity.

The two Smith-Waterman groups are scores against the 311 training proteins of the original
split; there are none among the others. They serve as 311 features, as in the slides by all
appearances. Each feature belongs to one protein. Where that protein is tested, its large score
with itself stands there, which draws it to training proteins that score high with it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from similearn.data import Pairwise, Sources
from similearn.errors import FileError
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.splitting import Indices, tuning_folds
from similearn.experiments.reproduction.columns.feature_columns import standardized
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.table_problems import LazyProblem
from similearn.experiments.reproduction.plan import Column

Floats = NDArray[np.float64]
Groups = dict[str, Floats]
Compare = Callable[[Floats, Floats], Floats]

FEATURES = (
    "composition",
    "secondary",
    "hydrophobicity",
    "volume",
    "polarity",
    "polarizability",
    "l1",
    "l4",
    "l14",
    "l30",
)
SCORES = ("blosum62", "pam50")
GROUPS = (*FEATURES, *(f"sw-{matrix}" for matrix in SCORES))
TUNING_FOLDS = 5  # "The parameter λ was chosen by 5-fold CV"
_HALVES = ("train", "test")


def protein_fold_column(key: str, cut: Callable[..., Split], reading: str = "") -> Column:
    """Column of all groups.

    Parameters
    ----------
    key, reading : see `Column`
    cut : one of the functions below, or a `functools.partial` of one
    """
    return Column(key, "Protein fold", partial(_load, key, cut), reading)


def euclidean(A: Floats, B: Floats) -> Floats:
    """Distances between the rows of two tables."""
    return cdist(A, B)


def polynomial(A: Floats, B: Floats) -> Floats:
    """Distances in the feature space of the kernel (1 + xᵀz)²."""
    own = [(1.0 + np.einsum("ik,ik->i", X, X)) ** 2 for X in (A, B)]
    # Not A @ B.T, whose rounding differs between the two directions of a pair.
    squares = own[0][:, None] + own[1][None] - 2.0 * (1.0 + np.einsum("ik,jk->ij", A, B)) ** 2
    return np.sqrt(np.maximum(squares, 0.0))


def random_cut(
    whole: Any, seed: int, number: int, *, compare: Compare = euclidean, standardize: bool = False
) -> Split:
    """As many random training proteins as the original split has, of all.

    Parameters
    ----------
    whole : groups, labels, and how many proteins the original split trains on
    compare : makes dissimilarities of two tables
    standardize : whether every feature gets mean 0 and variance 1 in the training proteins
    """
    groups, y, n_train = whole
    order = _shuffled(len(y), seed, number)
    train, test = np.sort(order[:n_train]), np.sort(order[n_train:])
    if standardize:
        groups = {name: standardized(X[train], X)[1] for name, X in groups.items()}

    def compared(rows: Indices) -> dict[str, Floats]:
        return {name: compare(X[rows], X[train]) for name, X in groups.items()}

    return _split(compared, y, train, test, seed, number)


def scores_cut(whole: Any, seed: int, number: int) -> Split:
    """Smith-Waterman scores as similarities, which they are: largest score minus score.

    Only proteins of the original training half can be trained on, so a random four fifths
    of them are; the whole test half is tested.
    """
    groups, y, n_train = whole
    train = np.sort(_shuffled(n_train, seed, number)[: round(0.8 * n_train)])
    test = np.arange(n_train, len(y))
    # A query may score higher than any training pair, so the largest score is that of all.
    far = {name: groups[name].max() - groups[name] for name in GROUPS if name not in FEATURES}

    def compared(rows: Indices) -> dict[str, Floats]:
        plain = {name: euclidean(groups[name][rows], groups[name][train]) for name in FEATURES}
        return plain | {name: block[np.ix_(rows, train)] for name, block in far.items()}

    return _split(compared, y, train, test, seed, number)


def _load(key: str, cut: Callable[..., Split], data: DataFolder) -> LazyProblem:
    paths = [data.features(f"protein-fold-{half}") for half in _HALVES]
    paths += [data.similarity(f"protein-fold-sw-{matrix}") for matrix in SCORES]
    return LazyProblem(key, data.fingerprint(*paths), partial(_read, data), cut)


def _read(data: DataFolder) -> tuple[Groups, NDArray[Any], int]:
    """Return the groups, labels, and the number of training proteins, which come first."""
    tables = [data.read_features(f"protein-fold-{half}") for half in _HALVES]
    X, y = np.vstack([t.X for t in tables]), np.concatenate([t.y for t in tables])
    prefixes = np.array([name.rsplit("_", 1)[0] for name in tables[0].names])
    groups = {name: X[:, prefixes == name] for name in FEATURES}
    for matrix in SCORES:
        path = data.similarity(f"protein-fold-sw-{matrix}")
        with np.load(path) as arrays:
            labels = np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(str)
            if not np.array_equal(labels, y):
                raise FileError(f"{path} has other labels than the features; expected the same.")
            scores = np.vstack([arrays["S_train"], arrays["S_test"]]).astype(np.float64)
        groups[f"sw-{matrix}"] = scores
    return groups, y, len(tables[0].y)


def _shuffled(n: int, seed: int, number: int) -> Indices:
    """Order that looks at no labels: a class may be absent from the training part."""
    return np.random.default_rng([seed, number, 0]).permutation(n)


def _split(
    compared: Callable[[Indices], Mapping[str, Floats]],
    y: NDArray[Any],
    train: Indices,
    test: Indices,
    seed: int,
    number: int,
) -> Split:
    folds = tuning_folds(y[train], seed, number, TUNING_FOLDS)
    blocks = _sources(compared(train), same_samples=True)
    queries = _sources(compared(test), same_samples=False)
    return Split(blocks, y[train], queries, y[test], folds)


def _sources(blocks: Mapping[str, Floats], *, same_samples: bool) -> Sources:
    return Sources(
        {
            name: Pairwise(block, "dissimilarity", same_samples=same_samples)
            for name, block in blocks.items()
        }
    )
