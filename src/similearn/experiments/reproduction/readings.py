"""Estimators that read an equation in another way than ours; for the papers' tables alone."""

import numpy as np

from similearn.estimators import NeighborsClassifier
from similearn.numerics.decide import break_ties


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
