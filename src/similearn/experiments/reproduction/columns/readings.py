"""Estimators that read an equation in another way than ours; for the papers' tables alone."""

from typing import Any

import numpy as np
from scipy.linalg import pinvh
from sklearn.base import BaseEstimator, ClassifierMixin

from similearn.data import Sources
from similearn.estimators import LocalSDAClassifier, NeighborsClassifier, SimilaritySVC
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.tuning import tuned
from similearn.numerics.scores.decide import break_ties


class ShiftedRidgeNeighbors(NeighborsClassifier):
    """Neighbours with KRR weights shifted to a sum of one (JMLR, footnote 5).

    The footnote has w̃ = (I - 11ᵀ/k) w + 1/k and says that this changes no decision, each
    weight being shifted by the same. It does: a class gains by every neighbour it has, and
    under a large ridge the weights are those of plain k-NN.
    """

    def _scores(self, block, rows):
        return self._path_scores(block, rows, [{}])[0]

    def _path_scores(self, block, rows, candidates, skip_self=False):
        sums = super()._path_scores(block, rows, candidates, skip_self=skip_self)
        sizes = self._values_of("n_neighbors", candidates)
        near, _ = block.nearest(max(sizes), rows, skip_self=skip_self)
        codes = self.codes_[near]
        members = np.cumsum(codes[:, :, None] == np.arange(len(self.classes_)), axis=1)
        for scores, k in zip(sums, sizes, strict=True):
            scores += members[:, k - 1] * (1.0 - scores.sum(axis=1, keepdims=True)) / k
            break_ties(scores[:, None, :], codes, np.array([k]))
        return sums


class LinearlyShiftedSVC(SimilaritySVC):
    """SVM with a shifted spectrum whose queries are mapped as the training samples are.

    JMLR §2.2 says that no linear map does this and leaves queries as they are. Where S has
    full rank there is one: P = S⁻¹ (S + λ I), of which nothing good is to be expected.
    """

    def _training_kernel(self, block):
        kernel = super()._training_kernel(block)
        self.linear_map_ = pinvh(block.rows(both=True)) @ kernel
        return kernel

    def _kernel_rows(self, block, rows):
        return super()._kernel_rows(block, rows) @ self.linear_map_


class GlobalPriorLocalSDA(LocalSDAClassifier):
    """Local SDA with the classes' shares of the training set as P(g).

    RegSDA eq. 2 and 9 call P(g) "the a priori probability of class g"; that it is estimated
    from the neighbourhood is said of eq. 10 alone.
    """

    def _path_scores(self, block, rows, candidates, skip_self):
        pairs = [self._checked(candidate, len(self.codes_)) for candidate in candidates]
        near, values = block.nearest(max(k for k, _ in pairs), rows, skip_self=skip_self)
        queries = {}
        for k in {k for k, _ in pairs}:
            query = self._local(block, rows, near[:, :k], values[:, :k])
            log_prior = np.broadcast_to(query.trained.log_priors, query.local.log_prior.shape)
            query.local = query.local._replace(log_prior=log_prior)
            queries[k] = query
        return np.stack([queries[k].scores(alpha) for k, alpha in pairs])


class LeftOutLocalSDA(LocalSDAClassifier):
    """Local SDA whose P_ave leaves every training sample out of its own neighbourhood.

    RegSDA §IV-C takes the k most similar samples of the training set, where a sample is
    its own nearest neighbour; a test sample never is.
    """

    def _regularizers(self, block, ks):
        k_most = min(ks[-1], len(block) - 1)
        near, values = block.nearest(k_most, slice(None), skip_self=True)
        known = np.isfinite(values).sum(axis=1)
        return {k: self._learn(block, near[:, :k], np.minimum(known, k)) for k in ks}


class OwnClassLocalSDA(LocalSDAClassifier):
    """Local SDA whose P_ave(s_h | g) averages over the training samples of class g alone.

    RegSDA eq. 7 averages over all samples z, of which those of other classes tell how the
    members of g are similar to a centroid far from most of them.
    """

    def _learn(self, block, near, known):
        everybody = super()._learn
        parts = [
            everybody(block, near[self.codes_ == g], known[self.codes_ == g])[0]
            for g in range(len(self.classes_))
        ]
        own = np.stack([part.log_values[g] for g, part in enumerate(parts)])
        return (parts[0]._replace(log_values=own),)


class SeparatelyTunedVotes(ClassifierMixin, BaseEstimator):
    """Nearest neighbours of two sources that vote together, each source with a k of its own.

    "The k for each similarity-based classifier and its paired Euclidean-based classifier was
    cross-validated" (Fusing §6.2.3): each k is the one that is best for its source alone.

    Parameters
    ----------
    single : list of `Method`
        Votes in one source each, with the ks to choose from.
    random_state : int, optional
        Draws the ten folds.
    """

    def __init__(self, single, random_state=None):
        self.single = single
        self.random_state = random_state

    def fit(self, X: Sources, y: Any) -> "SeparatelyTunedVotes":
        """Choose every k."""
        folds = tuning_folds(y, self.random_state or 0, 0)
        self.searches_ = [
            tuned(method, X, folds, ties="simplest").fit(X, y) for method in self.single
        ]
        self.classes_ = self.searches_[0].classes_
        return self

    def predict_proba(self, X: Sources) -> Any:
        """Shares of all votes."""
        ks = [next(iter(search.best_params_.values())) for search in self.searches_]
        votes = zip(ks, (search.predict_proba(X) for search in self.searches_), strict=True)
        return sum(k * shares for k, shares in votes) / sum(ks)

    def predict(self, X: Sources) -> Any:
        """The class with most votes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
