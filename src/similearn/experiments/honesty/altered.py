"""Problems that are made harder: wrong labels, a class made rare, pairs taken out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import Pairwise
from similearn.data.edges.completing import fill_missing, without_nan
from similearn.estimators import PairwiseSimilarity
from similearn.experiments.comparisons.problems import (
    Problem,
    Split,
    VotesProblem,
    fingerprint_of,
)
from similearn.experiments.comparisons.splitting import random_split
from similearn.experiments.reproduction.columns.table_problems import LazyProblem

Change = Callable[[Split, np.random.Generator], Split]

WAYS = ("fill", "zero", "unknown")
"""Ways to treat pairs of which nothing is known, as ``missing`` of `similearn.read_pairwise`."""


@dataclass(frozen=True)
class WrongLabels(Split):
    """A split of which some training labels are wrong; `truth` (n,) has the right ones."""

    truth: Any = None


class Altered:
    """A problem whose splits are changed, each by random numbers of its own."""

    def __init__(self, problem: Problem, name: str, change: Change) -> None:
        self.problem, self.name, self.change = problem, name, change
        self.fingerprint = fingerprint_of(problem.fingerprint, name)

    def split(self, seed: int, number: int) -> Split:
        """Change one of the splits."""
        rng = np.random.default_rng([seed, number, 2])
        return self.change(self.problem.split(seed, number), rng)


def with_wrong_labels(problem: Problem, share: float) -> Altered:
    """A problem with a share of its training labels exchanged for others."""
    return Altered(problem, _wrong(problem, share), partial(_with_flips, share))


def with_rare_class(problem: Problem, share: float) -> Altered:
    """A problem whose smallest class keeps so many training samples that it has this share.

    Test samples stay: the error averaged over classes needs many of each.
    """
    name = f"{problem.name}, {100 * share:g} % rare"
    return Altered(problem, name, partial(_with_few, share))


class VotesWithWrongLabels(VotesProblem):
    """The votes of 1984 with wrong parties, of which the value difference metric is learned too."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.name = _wrong(self, share)

    @property
    def fingerprint(self) -> str:  # type: ignore[override]
        """Hash of the votes, the parties and the share."""
        return fingerprint_of(super().fingerprint, self.name)

    def split(self, seed: int, number: int) -> Split:
        """Exchange labels of training members, then fit the metric to them."""
        train, test = random_split(self.y, seed, number)
        given = flipped(self.y[train], self.share, np.random.default_rng([seed, number, 2]))
        metric = PairwiseSimilarity(self.similarity, progress=False)
        block = metric.fit_transform(self.votes[train], given)
        queries = metric.transform(self.votes[test])
        return WrongLabels(block, given, queries, self.y[test], truth=self.y[train])


def flipped(y: NDArray[Any], share: float, rng: np.random.Generator) -> NDArray[Any]:
    """Labels of which a share was exchanged for another class, drawn at random."""
    classes, codes = np.unique(y, return_inverse=True)
    chosen = rng.choice(len(y), round(share * len(y)), replace=False)
    codes[chosen] = (codes[chosen] + rng.integers(1, len(classes), len(chosen))) % len(classes)
    changed: NDArray[Any] = classes[codes]
    return changed


def with_holes(problem: LazyProblem, share: float, way: str) -> LazyProblem:
    """A block of which a share of the pairs, both directions of each, is not known.

    The same pairs for every way and every partition; all samples are treated at once, as by whoever
    reads a file.
    """
    name = f"{problem.name}, {100 * share:g} % holes, {way}"
    read = partial(_read_with_holes, problem.read, share, way)
    return LazyProblem(name, problem.fingerprint, read, problem.cut)


def _wrong(problem: Problem, share: float) -> str:
    return f"{problem.name}, {100 * share:g} % wrong"


def _with_flips(share: float, split: Split, rng: np.random.Generator) -> WrongLabels:
    given = flipped(split.y_train, share, rng)
    return WrongLabels(split.train, given, split.test, split.y_test, truth=split.y_train)


def _with_few(share: float, split: Split, rng: np.random.Generator) -> Split:
    y = split.y_train
    classes, counts = np.unique(y, return_counts=True)
    rare = np.flatnonzero(y == classes[counts.argmin()])
    n_kept = round(share / (1.0 - share) * (len(y) - len(rare)))
    left_out = rng.permutation(rare)[n_kept:]
    rows = np.setdiff1d(np.arange(len(y)), left_out)
    train = split.train[np.ix_(rows, rows)]
    test = split.test[np.ix_(np.arange(len(split.y_test)), rows)]
    return replace(split, train=train, y_train=y[rows], test=test, folds=None)


def _read_with_holes(read: Callable[[], Any], share: float, way: str) -> Any:
    block, *rest = read()
    return (treated(block, share, way), *rest)


def treated(block: Pairwise, share: float, way: str) -> Pairwise:
    """Take pairs out of a block of similarities, and treat it by one of the `WAYS`."""
    values = np.array(block.values, dtype=np.float64)
    unknown = np.triu(np.random.default_rng(0).random(values.shape) < share, 1)
    values[unknown | unknown.T] = np.nan
    if way == "fill":
        return Pairwise(fill_missing(values, kind=block.kind).values, block.kind)
    if way == "zero":
        return Pairwise(np.nan_to_num(values), block.kind)
    distances = without_nan(np.nanmax(values) - values, keep_zeros=True)
    return Pairwise(distances, "dissimilarity")
