"""The handwritten digits of DBoost's figures: fixed training and test images, many metrics."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from similearn.experiments.comparisons.problems import Split
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.table_problems import LazyProblem
from similearn.experiments.reproduction.columns.uci import (
    distance_split,
    stratified_share,
    tuning_folds,
)
from similearn.similarities import (
    Euclidean,
    FuzzyImageMetric,
    Quantized,
    Similarity,
    TangentDistance,
)

FILES = ("usps-train", "usps-test")
BLACK, WHITE = -1.0, 1.0


@dataclass(frozen=True)
class Digits:
    """USPS images and how they are compared.

    Parameters
    ----------
    metric : "euclidean", "fuzzy" or "tangent" (two-sided, all seven transformations)
    n_levels : quantize to so many levels of equal width; 0 leaves the values as they are
    noise : standard deviation of the Gaussian noise that is added to every pixel of training
        and test images, whose grey values run from -1 to 1
    n_train : draw so many of the training images, class by class; 0 for all
    """

    metric: str = "euclidean"
    n_levels: int = 0
    noise: float = 0.0
    n_train: int = 0

    def problem(self, data: DataFolder, *, key: str) -> LazyProblem:
        """One split, the fixed one, whose blocks are computed once a process."""
        files = data.fingerprint(*(data.features(name) for name in FILES))
        return LazyProblem(key, f"{files} {self}", partial(read_digits, data, self), with_folds)

    def similarity(self) -> Similarity:
        """The metric, not yet fitted."""
        metric: Similarity = {
            "euclidean": Euclidean(),
            "fuzzy": FuzzyImageMetric(low=BLACK, high=WHITE),
            "tangent": TangentDistance(),
        }[self.metric]
        return Quantized(metric, n_levels=self.n_levels) if self.n_levels else metric


def read_digits(data: DataFolder, digits: Digits) -> Split:
    """Read the images, and compare all with the training images.

    Notes
    -----
    There is one split: noise and a share of the training images are drawn from one fixed
    seed.
    """
    train, test = (data.read_features(name) for name in FILES)
    some = stratified_share(train.y, digits.n_train or len(train.y), seed=0)
    A, B = train.X[some], test.X
    if digits.noise:
        rng = np.random.default_rng(0)
        A = A + digits.noise * rng.standard_normal(A.shape)
        B = B + digits.noise * rng.standard_normal(B.shape)
    return distance_split(A, train.y[some], B, test.y, digits.similarity())


def with_folds(split: Split, seed: int, number: int) -> Split:
    """Return the one split, with folds for choosing parameters."""
    return replace(split, folds=tuning_folds(split.y_train, seed))
