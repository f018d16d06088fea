"""Nearest neighbours, weighted or not."""

import numpy as np

from similearn.errors import InputError
from similearn.estimators.base import PairwiseClassifier
from similearn.estimators.parameters import require_choice, require_neighbors
from similearn.numerics.decide import normalized, weighted_votes

WEIGHTS = ("uniform", "affinity")


class NeighborsClassifier(PairwiseClassifier):
    """Classify by the nearest training samples.

    The label is that of the class with the largest summed weight among the k nearest
    (JMLR eq. 9); a tie goes to the tied class with the nearest member.

    Parameters
    ----------
    n_neighbors : int, default=5
    weights : {"uniform", "affinity"}, default="uniform"
        "uniform" counts votes. "affinity" weighs each neighbour by its similarity
        (JMLR §7); a neighbour of negative similarity gets no weight, and where no
        neighbour is positively similar all count alike.
    kind : {"similarity", "dissimilarity"}, default="similarity"
        What a plain matrix holds. A `Pairwise` says so itself, and must agree.
    costs : (n_classes, n_classes) array, optional
        ``costs[f, g]`` of deciding class f where g is true; `predict` then minimizes the
        expected cost.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    classes_ : (n_classes,)
    codes_ : (n,) positions in ``classes_`` of the training labels
    priors_ : (n_classes,) shares of the classes among the training samples

    Notes
    -----
    Neighbours of asymmetric data are found by the mean of both directions (JMLR §7.2),
    and equally near samples come in the order of the training block. A query of which a
    sparse dissimilarity knows no neighbour gets the class frequencies of training.
    Cost of `predict`: O(m n), and no copy of the block.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier
    >>> S = np.array([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]])
    >>> model = NeighborsClassifier(n_neighbors=2, weights="affinity").fit(S, ["a", "a", "b"])
    >>> model.predict([[0.1, 0.4, 0.6]])
    array(['b'], dtype='<U1')
    >>> model.predict_proba([[0.1, 0.4, 0.6]]).round(3)
    array([[0.4, 0.6]])
    >>> print(model.explain([[0.1, 0.4, 0.6]]))
    query 0: b
      score of b: 0.6
      score of a: 0.4
      neighbour 2 (b): value 0.6, weight 0.6
      neighbour 1 (a): value 0.4, weight 0.4
    """

    _path = ("n_neighbors",)
    _path_leaves_one_out = True
    _simpler = ("n_neighbors",)

    def __init__(
        self, n_neighbors=5, *, weights="uniform", kind="similarity", costs=None, n_jobs=None
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.kind = kind
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit(self, block, codes):
        self._fit_path(block, codes, [{}])

    def _fit_path(self, block, codes, candidates):
        require_choice("weights", self.weights, WEIGHTS)
        for k in self._neighborhoods(candidates):
            require_neighbors(k, self._n_training(block))
        if self.weights == "affinity" and block.kind != "similarity":
            raise InputError(
                "weights='affinity' needs a similarity, got a dissimilarity. Convert it first, "
                "see similearn.data.convert, or use weights='uniform'."
            )
        self.codes_ = codes
        self.priors_ = np.bincount(codes) / len(codes)

    def _neighborhoods(self, candidates):
        return [c.get("n_neighbors", self.n_neighbors) for c in candidates]

    def _scores(self, block, rows):
        return self._path_scores(block, rows, [{}])[0]

    def _path_scores(self, block, rows, candidates, skip_self=False):
        ks = np.array(self._neighborhoods(candidates))
        near, values = block.nearest(ks.max(), rows, skip_self=skip_self)
        codes, n_classes = self.codes_[near], len(self.classes_)
        shares = weighted_votes(self._weights(values), codes, n_classes, ks)
        shares[shares.sum(axis=2) == 0] = self.priors_
        return np.moveaxis(shares, 1, 0)

    def _weights(self, values):
        """Nonnegative weights of the neighbours, up to a factor."""
        if self.weights == "uniform":
            return np.isfinite(values).astype(float)  # what a sparse block does not know is inf
        scale = np.maximum(values[:, :1], np.finfo(float).tiny)  # the nearest: avoids overflow
        positive = np.maximum(values / scale, 0.0)
        return np.where(values[:, :1] > 0, positive, 1.0)

    def _explain(self, block):
        near, values = block.nearest(self.n_neighbors)
        weights = self._weights(values)
        return super()._explain(block) | {
            "neighbors": near,
            "values": values,
            "labels": self.classes_[self.codes_[near]],
            "weights": normalized(weights),
        }
