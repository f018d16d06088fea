"""Classifiers of several dissimilarities beside CDNN: one block alone, and a sum of kernels."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from similearn.data import Sources
from similearn.data.convert import gaussian_similarity
from similearn.estimators import KernelCombiner, NeighborsClassifier, SimilaritySVC
from similearn.estimators.shell.source_input import SourcesInput


class OneSource(SourcesInput, TransformerMixin, BaseEstimator):
    """Pick one of the `Sources`.

    Parameters
    ----------
    name : of the source
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, X: Sources, y: Any = None) -> "OneSource":
        """Learn nothing."""
        return self

    def transform(self, X: Sources) -> Any:
        """Return the source."""
        return X[self.name]

    def __sklearn_is_fitted__(self) -> bool:
        return True


class GaussianKernels(SourcesInput, TransformerMixin, BaseEstimator):
    """Similarities exp(-d²/s) of each block, s the mean of d² over its training pairs.

    Attributes
    ----------
    widths_ : dict of names to s
    """

    def fit(self, X: Sources, y: Any = None) -> "GaussianKernels":
        """Measure the widths."""
        self.widths_ = {name: float(np.square(X[name].values).mean()) or 1.0 for name in X}
        return self

    def transform(self, X: Sources) -> Sources:
        """Convert every block."""
        return Sources(
            {name: gaussian_similarity(X[name], sigma=s) for name, s in self.widths_.items()}
        )


def nearest_neighbor(name: str) -> Pipeline:
    """1-NN on one block of dissimilarities."""
    neighbors = NeighborsClassifier(1, kind="dissimilarity")
    return Pipeline([("source", OneSource(name)), ("neighbors", neighbors)])


def kernel_machine() -> Pipeline:
    """Support vector machine on a learned sum of Gaussian kernels, one a block (simple MKL)."""
    steps = [
        ("kernels", GaussianKernels()),
        ("combiner", KernelCombiner(C=10.0)),
        ("machine", SimilaritySVC()),
    ]
    return Pipeline(steps)
