"""The sets on which the default is shown: those of the reproduction for which there are data.

The portfolio and the rule of combination of `SimilarityClassifier` were chosen on one half of the
sets. Blocks of the same objects are in the same half, and so are those of the first trial; of the
three Monks, which have the same objects and other labels, the second is in the first half.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from similearn.data import Pairwise
from similearn.experiments.comparisons.problems import Problem, Split
from similearn.experiments.comparisons.splitting import Indices
from similearn.experiments.comparisons.splitting import tuning_folds as dealt_tuning_folds
from similearn.experiments.reproduction.columns.block_columns import block_column
from similearn.experiments.reproduction.columns.folder import DataFolder, Floats
from similearn.experiments.reproduction.columns.table_problems import LazyProblem
from similearn.experiments.reproduction.columns.uci import (
    N_FOLDS,
    UCI_SETS,
    UciSet,
    cross_validated,
    distance_split,
    filled_by_means,
    read_set,
    tuning_folds,
)
from similearn.experiments.reproduction.plan import Column
from similearn.experiments.reproduction.plans.fusing import read_ads
from similearn.experiments.reproduction.plans.jmlr import TRUE_PROTEIN, strict_voting
from similearn.similarities import Euclidean

FEW = 300
"""Training samples of larger sets, where all methods on all of them would take days.

Twice as many of the others are tested, if there are.
"""
_TRAINED_SHARE = 0.8
ASKED = 20
"""Partitions that the claims ask for, but where the folds are those of a paper's table."""


@dataclass(frozen=True, eq=False)
class EvidenceSet:
    """A set of the evidence.

    Parameters
    ----------
    key : its name in stored results and on the page
    load : makes the problem; raises `MissingDataError` where the data are not in the folder
    chosen_on : whether the portfolio and the rule were chosen on it
    partitions : how they are drawn, in words
    asked : how many of them the claims ask for: 20, or the folds of the paper's table
    same_source : whether test samples come from where the training samples do, as the theorem on
        conformal sets asks
    """

    key: str
    load: Callable[[DataFolder], Problem]
    chosen_on: bool
    partitions: str
    same_source: bool = True
    asked: int = ASKED


def _of_column(column: Column) -> EvidenceSet:
    return EvidenceSet(column.key, column.load, True, "random 80/20")


def _uci(chosen: UciSet, number: int) -> EvidenceSet:
    """Distances of the rows as they are: repeated cross-validation, or a share if it is large."""
    large = chosen.key in _LARGE
    told = f"{FEW} random training rows" if large else "five folds, repeated"
    load = partial(_load_uci, chosen, large)
    asked = ASKED if large else N_FOLDS
    return EvidenceSet(chosen.key, load, number % 2 == 0, told, asked=asked)


def _load_uci(chosen: UciSet, large: bool, data: DataFolder) -> LazyProblem:
    paths = [data.features(name) for name in chosen.files]
    labels = sorted(chosen.labels.items())
    protocol = f"{chosen.columns} {chosen.complete} {labels} {f'few {FEW}' if large else 'folds'}"
    cut = _few_rows if large else _repeated_folds
    fingerprint = f"{data.fingerprint(*paths)} {protocol}"
    return LazyProblem(chosen.key, fingerprint, partial(read_set, data, chosen), cut)


def _repeated_folds(rows: Any, seed: int, number: int) -> Split:
    """Fold after fold; the first five partitions are those of the table."""
    repeat, fold = divmod(number, N_FOLDS)
    return cross_validated(rows, seed + repeat, fold, standardized=False)


def _few_rows(rows: tuple[Floats, NDArray[Any]], seed: int, number: int) -> Split:
    X, y = rows
    train, test = few(y, seed, number)
    A, B = filled_by_means(X[train], X[test])
    split = distance_split(A, y[train], B, y[test], Euclidean())
    return Split(split.train, split.y_train, split.test, split.y_test, tuning_folds(y[train], seed))


def few(y: NDArray[Any], seed: int, number: int) -> tuple[Indices, Indices]:
    """Few training samples, and twice as many others to be tested, classes in their shares."""
    n_test = min(2 * FEW, len(y) - FEW)
    draw = np.random.RandomState([seed, number])
    train, test = train_test_split(
        np.arange(len(y)), train_size=FEW, test_size=n_test, stratify=y, random_state=draw
    )
    return np.sort(train), np.sort(test)


def _load_ads(data: DataFolder) -> LazyProblem:
    fingerprint = f"{data.fingerprint(data.features('internet-ads'))} few {FEW}"
    return LazyProblem("internet-ads", fingerprint, partial(read_ads, data, 1.0), _few_ads)


def _few_ads(whole: Any, seed: int, number: int) -> Split:
    block, _, y = whole
    train, test = few(y, seed, number)
    folds = tuning_folds(y[train], seed)
    return Split(_cut(block, train, train), y[train], _cut(block, test, train), y[test], folds)


def _load_scores(matrix: str, data: DataFolder) -> LazyProblem:
    path = data.similarity(f"protein-fold-sw-{matrix}")
    read = partial(_read_scores, data, matrix)
    return LazyProblem(f"protein-fold-{matrix}", data.fingerprint(path), read, _split_scores)


def _read_scores(data: DataFolder, matrix: str) -> Any:
    with np.load(data.similarity(f"protein-fold-sw-{matrix}")) as arrays:
        scores = [arrays[name].astype(np.float64) for name in ("S_train", "S_test")]
        return *scores, arrays["y_train"].astype(str), arrays["y_test"].astype(str)


def _split_scores(whole: Any, seed: int, number: int) -> Split:
    """Only proteins of the original training half have scores with others: 4/5 of them train."""
    among, queries, y, y_test = whole
    order = np.random.default_rng([seed, number, 0]).permutation(len(y))
    train = np.sort(order[: round(_TRAINED_SHARE * len(y))])
    folds = dealt_tuning_folds(y[train], seed, number, N_FOLDS)
    block = Pairwise(among[np.ix_(train, train)], "similarity")
    test = Pairwise(queries[:, train], "similarity", same_samples=False)
    return Split(block, y[train], test, y_test, folds)


def _cut(block: Pairwise, rows: Indices, columns: Indices) -> Pairwise:
    return block[np.ix_(rows, columns)]


_LARGE = (
    *("balance", "breast", "diabetes", "german", "image", "letter", "monk1", "monk2", "monk3"),
    *("satimage", "vehicle", "vowel", "wdbc"),
)
_FOLD_PARTITIONS = "random 4/5 of the 311 training proteins; the 383 others are tested"
_DISTANCES = [_uci(chosen, number) for number, chosen in enumerate(UCI_SETS)]

SETS: tuple[EvidenceSet, ...] = (
    _of_column(block_column("aural-sonar", "Aural Sonar", "aural-sonar")),
    _of_column(block_column("protein", "Protein", "protein")),
    _of_column(TRUE_PROTEIN),
    _of_column(block_column("voting", "Voting", "voting")),
    _of_column(strict_voting("Voting")),
    *(
        EvidenceSet(f"protein-fold-{m}", partial(_load_scores, m), False, _FOLD_PARTITIONS, False)
        for m in ("blosum62", "pam50")
    ),
    *(one for one in _DISTANCES if one.key not in _LARGE),
    *(one for one in _DISTANCES if one.key in _LARGE),
    EvidenceSet("internet-ads", _load_ads, False, f"{FEW} random training rows"),
)
"""All of them, in the order in which they are worked on: those that cost least come first."""
