"""What a user would do without this package: scikit-learn's classifiers, each by GridSearchCV."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from similearn.data import Pairwise
from similearn.experiments.registry import Method

Floats = NDArray[np.float64]
Maker = Callable[[int | None], Any]

_FOLDS = 5  # scikit-learn's own number
_MOST_STEPS = 1_000_000
"""libsvm may hardly end where a kernel is indefinite."""


class Distances(BaseEstimator):
    """Dissimilarities as they are; of similarities, the largest minus the similarity."""

    def fit(self, block: Pairwise) -> "Distances":
        """Remember the largest similarity."""
        self.largest_ = float(block.values.max())
        return self

    def transform(self, block: Pairwise) -> Floats:
        """Distances of the queries, none below zero: scikit-learn refuses those."""
        values: Floats = np.asarray(block.values)
        if block.kind == "dissimilarity":
            return values
        return np.maximum(self.largest_ - values, 0.0)


class Kernel(BaseEstimator):
    """Similarities as they are; of dissimilarities, exp(-D² / mean of D²)."""

    def fit(self, block: Pairwise) -> "Kernel":
        """Remember the mean square."""
        self.scale_ = float(np.mean(np.asarray(block.values) ** 2)) or 1.0
        return self

    def transform(self, block: Pairwise) -> Floats:
        """Kernel of queries and training samples; a square one is made symmetric."""
        values: Floats = np.asarray(block.values)
        if block.kind == "dissimilarity":
            values = np.exp(-(values**2) / self.scale_)
        return (values + values.T) / 2 if block.same_samples else values


class Rows(BaseEstimator):
    """The rows as features."""

    def fit(self, block: Pairwise) -> "Rows":
        """Nothing to be learned."""
        return self

    def transform(self, block: Pairwise) -> Floats:
        """The values."""
        return np.asarray(block.values)


class Rival(ClassifierMixin, BaseEstimator):
    """A classifier of scikit-learn, its parameters chosen by `GridSearchCV`.

    Parameters
    ----------
    enters : what is done to a block first: `Distances`, `Kernel` or `Rows`
    make : makes the classifier from a seed
    grid : values tried
    random_state : seed of the folds and of the classifier
    """

    def __init__(
        self,
        enters: Any,
        make: Maker,
        grid: Mapping[str, Sequence[Any]],
        random_state: int | None = None,
    ) -> None:
        self.enters = enters
        self.make = make
        self.grid = grid
        self.random_state = random_state

    def fit(self, X: Pairwise, y: Any) -> "Rival":
        """Choose the parameters and fit."""
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=self.random_state)
        search = GridSearchCV(self.make(self.random_state), dict(self.grid), cv=folds)
        self.search_ = search.fit(self.enters.fit(X).transform(X), y)
        self.classes_, self.best_params_ = search.classes_, search.best_params_
        return self

    def predict(self, X: Pairwise) -> Any:
        """The class that the fitted classifier says."""
        return self.search_.predict(self.enters.transform(X))

    def predict_proba(self, X: Pairwise) -> Floats:
        """The probabilities that the fitted classifier says."""
        probabilities: Floats = self.search_.predict_proba(self.enters.transform(X))
        return probabilities


def _neighbors(seed: int | None) -> KNeighborsClassifier:
    return KNeighborsClassifier(metric="precomputed")


def _machine(seed: int | None) -> SVC:
    # scikit-learn's CalibratedClassifierCV does not cut precomputed kernels as its own SVC does.
    options = {"probability": True, "max_iter": _MOST_STEPS, "random_state": seed}
    return SVC(kernel="precomputed", **options)


def _logistic(seed: int | None) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _boosting(seed: int | None) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(random_state=seed)


def _rival(name: str, summary: str, enters: type, make: Maker, grid: Any) -> Method:
    build = partial(_built, enters, make, grid)
    return Method(f"sklearn-{name}", summary, "scikit-learn", "without this package", build)


def _built(enters: type, make: Maker, grid: Any, kind: str) -> Rival:
    return Rival(enters(), make, grid)


RIVALS = (
    _rival(
        "knn",
        'KNeighborsClassifier(metric="precomputed")',
        Distances,
        _neighbors,
        {"n_neighbors": (1, 3, 5, 7, 9, 15, 25), "weights": ("uniform", "distance")},
    ),
    _rival(
        "svc",
        'SVC(kernel="precomputed")',
        Kernel,
        _machine,
        {"C": (0.1, 1.0, 10.0, 100.0)},
    ),
    _rival(
        "logistic",
        "LogisticRegression on standardized rows",
        Rows,
        _logistic,
        {"logisticregression__C": (0.01, 0.1, 1.0, 10.0)},
    ),
    _rival(
        "boosting",
        "HistGradientBoostingClassifier on rows",
        Rows,
        _boosting,
        {"learning_rate": (0.03, 0.1, 0.3)},
    ),
)
