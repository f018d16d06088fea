"""Classifiers of features that the papers compare with, and how they see `Sources`."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.mixture import GaussianMixture

from similearn.data import Pairwise, Sources
from similearn.estimators.shell.feature_tables import FeatureClassifier
from similearn.estimators.shell.parameters import (
    require_integer,
    require_neighbors,
    require_positive,
)
from similearn.numerics.machines.local_svc import local_svm_scores
from similearn.numerics.neighbors.row_search import nearest_rows, row_table

_MOST_STEPS = 100_000
# A linear kernel of more samples than features is singular; this much of its largest entry
# on the diagonal, far below the tolerance of the machines, spares its eigenvalues.
_DIAGONAL = 1e-10


class SourcesWithTable(TransformerMixin, BaseEstimator):
    """Make the source "features" a table, where it is a block of similarities.

    Notes
    -----
    "the i-th dimension is the similarity between x and the i-th training sample" (Fusing
    §6.2.2). As a block it is cut by rows and columns, so that within cross-validation its
    features are the similarities to the training samples of the fold.

    Parameters
    ----------
    alone : whether to return the table itself, rather than all sources
    """

    def __init__(self, alone=False):
        self.alone = alone

    def fit(self, X: Sources, y: Any = None) -> "SourcesWithTable":
        """Learn nothing."""
        self.fitted_ = True
        return self

    def transform(self, X: Sources) -> Any:
        """Return the sources, or the table."""
        features = X["features"]
        table = features.values if isinstance(features, Pairwise) else features
        return table if self.alone else Sources({**dict(X.items()), "features": table})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


class FeatureLocalSVC(FeatureClassifier):
    """Linear support vector machines among the nearest samples of each query (SVM-KNN).

    `similearn.LocalSVC` for tables of features: the neighbours are the k nearest by Euclidean
    distance, of any class, and the kernel is the one that this distance induces, x·y, as Zhang
    et al. 2006 have it. Pairs of classes vote.

    Parameters
    ----------
    n_neighbors : int, default=10
    C : float, default=1.0
        Cost of errors.

    Notes
    -----
    The kernel is taken about the query, which changes no machine, so that the decisions are
    the intercepts. Memory does not grow with n². There are no probabilities.
    """

    _link = None
    _path = ("n_neighbors",)
    _simpler = ("n_neighbors",)
    costs = None
    n_jobs = None

    def __init__(self, n_neighbors=10, C=1.0):
        self.n_neighbors = n_neighbors
        self.C = C

    def _fit_path(self, X, codes, candidates):
        require_positive("C", self.C)
        for k in self._values_of("n_neighbors", candidates):
            require_neighbors(k, len(X))
        self.codes_ = codes
        self.table_ = row_table(X)

    def _path_scores(self, X, rows, candidates, skip_self=False):
        ks = np.array(self._values_of("n_neighbors", candidates))
        queries = X[rows]
        near, _ = nearest_rows(queries, self.table_, ks.max())
        each = zip(queries, near, strict=True)
        return np.stack([self._machines(query, nearest, ks) for query, nearest in each], axis=1)

    def _machines(self, query, near, ks):
        """Scores (r, n_classes) of one query, for every k."""
        k = len(near)
        from_query = self.table_.rows[near] - query
        kernel = from_query @ from_query.T
        kernel[np.diag_indices(k)] += _DIAGONAL * kernel.diagonal().max()
        scores, _ = local_svm_scores(
            kernel,
            np.arange(k)[None],
            np.zeros((1, k)),
            self.codes_[near][None],
            len(self.classes_),
            ks,
            np.full(len(ks), self.C),
            "shift",
            _MOST_STEPS,
        )
        return scores[:, 0]


class GaussianMixtureClassifier(FeatureClassifier):
    """One mixture of Gaussians per class, all of as many components (Fusing §6.1.1).

    Parameters
    ----------
    n_components : int, default=1
        At most min_g ⌊n_g / d⌋ are taken, and at least one.
    random_state : int, optional

    Notes
    -----
    Weights, means and full covariances by EM, begun at k-means. 10⁻⁶ I is added to all
    covariances; the paper adds it to ill-posed ones alone, which on standardized features
    comes to the same.
    """

    _link = "log"
    _path = ("n_components",)
    _simpler = ("-n_components",)
    costs = None
    n_jobs = None

    def __init__(self, n_components=1, *, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def _fit_path(self, X, codes, candidates):
        counts = np.bincount(codes)
        self.log_priors_ = np.log(counts / len(codes))
        self.largest_ = max(int(counts.min()) // X.shape[1], 1)
        self.mixtures_ = {
            size: [self._mixture(size, X[codes == g]) for g in range(len(counts))]
            for size in set(self._sizes(candidates))
        }

    def _sizes(self, candidates):
        wanted = self._values_of("n_components", candidates)
        return [min(require_integer("n_components", size), self.largest_) for size in wanted]

    def _mixture(self, size, samples):
        size = min(size, len(samples))
        mixture = GaussianMixture(size, reg_covar=1e-6, random_state=self.random_state)
        # With two samples a covariance can be estimated, with one it is the regularization.
        return mixture.fit(samples if len(samples) > 1 else np.repeat(samples, 2, axis=0))

    def _path_scores(self, X, rows, candidates, skip_self=False):
        known = {
            size: np.stack([mixture.score_samples(X[rows]) for mixture in mixtures], axis=1)
            for size, mixtures in self.mixtures_.items()
        }
        return np.stack([known[size] for size in self._sizes(candidates)]) + self.log_priors_
