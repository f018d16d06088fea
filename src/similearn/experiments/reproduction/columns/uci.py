"""The UCI tables of DBoost Table 1, cross-validated on Euclidean distances of their rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from similearn.data import Pairwise
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.splitting import Indices
from similearn.experiments.reproduction.columns.feature_columns import (
    standardized as standard_scores,
)
from similearn.experiments.reproduction.columns.folder import DataFolder, Floats
from similearn.experiments.reproduction.columns.table_problems import LazyProblem
from similearn.similarities import Euclidean, Similarity, evaluate_block, evaluate_square

N_FOLDS = 5  # "five-fold cross validation fashion" (DBoost §4); inside each, for tuning, too
MOST_TUNED_ON = 1000
"""Parameters are chosen on at most so many of the training rows; the final fit sees them all."""


@dataclass(frozen=True)
class UciSet:
    """A data set of DBoost Table 1.

    Parameters
    ----------
    key, printed : names, ours and the paper's
    files : tables whose rows are put together
    columns : the features used; empty for all
    complete : whether rows with a missing value are left out; else the mean of the training
        rows fills them
    labels : labels that are renamed, to merge classes
    """

    key: str
    printed: str
    files: tuple[str, ...]
    columns: tuple[str, ...] = ()
    complete: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)

    def problem(self, data: DataFolder, *, key: str, standardized: bool) -> LazyProblem:
        """Cross-validate on distances of the rows as they are, or as standard scores."""
        paths = [data.features(name) for name in self.files]
        protocol = f"{self.columns} {self.complete} {sorted(self.labels.items())} {standardized}"
        return LazyProblem(
            key,
            f"{data.fingerprint(*paths)} {protocol}",
            partial(read_set, data, self),
            partial(cross_validated, standardized=standardized),
        )


def _halves(name: str) -> tuple[str, str]:
    return f"{name}-train", f"{name}-test"


# Which rows and columns give the counts of Table 1 is told in the notes of the data folder.
UCI_SETS = (
    UciSet("balance", "Balance", ("balance-scale",)),
    UciSet("breast", "Breast", ("breast-cancer-wisconsin",), complete=False),
    UciSet(
        "cleveland",
        "Cleveland",
        ("heart-cleveland",),
        labels={"1": "1-4", "2": "1-4", "3": "1-4", "4": "1-4"},
    ),
    UciSet("diabetes", "Diabetes", ("pima-diabetes",)),
    UciSet(
        "echo",
        "Echo",
        ("echocardiogram",),
        columns=(
            "survival",
            "age",
            "pericardial_effusion",
            "fractional_shortening",
            "epss",
            "lvdd",
            "wall_motion_score",
            "wall_motion_index",
        ),
    ),
    UciSet("german", "German", ("german-credit-numeric",)),
    UciSet("hayes", "Hayes", ("hayes-roth",)),
    UciSet("hepatitis", "Hepatitis", ("hepatitis",), complete=False),
    UciSet("image", "Image", _halves("image-segmentation")),
    UciSet("ionosphere", "Ionosphere", ("ionosphere",)),
    UciSet("iris", "Iris", ("iris",)),
    UciSet("letter", "Letter", _halves("letter")),
    UciSet("liver", "Liver", ("liver-bupa",)),
    UciSet("monk1", "Monk1", _halves("monk1")),
    UciSet("monk2", "Monk2", _halves("monk2")),
    UciSet("monk3", "Monk3", _halves("monk3")),
    UciSet("satimage", "Satimage", _halves("satimage")),
    UciSet("vehicle", "Vehicle", ("vehicle",)),
    UciSet("vowel", "Vowel", _halves("vowel"), columns=tuple(f"f{i}" for i in range(10))),
    UciSet("wdbc", "WDBC", ("wdbc",)),
    UciSet("wine", "Wine", ("wine",)),
    UciSet("wpbc", "WPBC", ("wpbc",)),
)


def read_set(data: DataFolder, chosen: UciSet) -> tuple[Floats, NDArray[Any]]:
    """Read the rows of a set, (n, d), NaN where a cell is empty, and their labels."""
    tables = [data.read_features(name) for name in chosen.files]
    X = np.concatenate([table.columns(*chosen.columns) for table in tables])
    y = np.concatenate([table.y for table in tables])
    kept = y != ""
    if chosen.complete:
        kept &= ~np.isnan(X).any(axis=1)
    return X[kept], np.array([chosen.labels.get(label, label) for label in y[kept]])


def cross_validated(
    rows: tuple[Floats, NDArray[Any]], seed: int, number: int, *, standardized: bool
) -> Split:
    """One of the five folds: Euclidean distances of all rows to the training rows.

    Notes
    -----
    The paper does not say how folds are drawn. Ours are stratified, shuffled by the seed.
    """
    X, y = rows
    train, test = stratified_folds(y, seed)[number]
    A, B = filled_by_means(X[train], X[test])
    if standardized:
        A, B = standard_scores(A, B)
    split = distance_split(A, y[train], B, y[test], Euclidean())
    return replace(split, folds=tuning_folds(y[train], seed))


def distance_split(
    A: Floats, y_train: NDArray[Any], B: Floats, y_test: NDArray[Any], metric: Similarity
) -> Split:
    """Blocks of dissimilarities among the training objects A, and of the test objects B."""
    metric.fit(A)
    return Split(
        Pairwise(evaluate_square(metric, A, show=False), "dissimilarity"),
        y_train,
        Pairwise(evaluate_block(metric, B, A, show=False), "dissimilarity"),
        y_test,
    )


def tuning_folds(y: NDArray[Any], seed: int) -> list[tuple[Indices, Indices]]:
    """Five folds for choosing parameters, of all training rows or of a stratified share."""
    some = stratified_share(y, MOST_TUNED_ON, seed)
    folds = stratified_folds(y[some], seed)
    return [(some[learned], some[held_out]) for learned, held_out in folds]


def stratified_share(y: NDArray[Any], count: int, seed: int) -> Indices:
    """Positions of so many samples, drawn class by class; of all, if there are no more."""
    everyone = np.arange(len(y))
    if len(y) <= count:
        return everyone
    drawn, _ = train_test_split(everyone, train_size=count, stratify=y, random_state=seed)
    return np.sort(drawn)


def stratified_folds(y: NDArray[Any], seed: int) -> list[tuple[Indices, Indices]]:
    """Five folds in which classes have their shares."""
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    return list(folds.split(np.zeros(len(y)), y))


def filled_by_means(A: Floats, B: Floats) -> tuple[Floats, Floats]:
    """Fill missing values with the training means."""
    means = np.nanmean(A, axis=0)
    return np.where(np.isnan(A), means, A), np.where(np.isnan(B), means, B)
