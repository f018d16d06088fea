"""Machines that are linear in the similarities and learned one pair of classes at a time."""

import numpy as np

from similearn.estimators.machines.machine import MachineClassifier
from similearn.estimators.names.old_names import renamed
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.scores.one_vs_one import class_pairs, vote_scores

SMALL = 1000
"""Samples of two classes up to which one thread of linear algebra is the fastest."""


@renamed(
    attributes={
        "coefficients_": ("coef_", lambda self: self._coefficients),
        "intercepts_": ("intercept_", lambda self: self._intercepts),
    }
)
class PairClassifier(MachineClassifier):
    """One machine for each pair of classes, on the block of their training samples.

    Hooks
    -----
    ``_learn_pair(S, signs, parameters, weights)`` takes the square block of the samples of two
    classes, their signs (1 for the second class), the parameters of each candidate, and the weights
    of the samples, or None where all are equal. It returns coefficients (n_candidates, p) and
    intercepts (n_candidates,); the decision for a query is its similarities, divided by ``unit_``,
    times the coefficients, plus the intercept.

    ``_block_values(block, rows)`` gives the values that the machines work on.
    """

    _sets: tuple[str, ...] = (
        "coef_",
        "intercept_",
        "prototypes_",
        "n_prototypes_",
    )

    def _learn(self, block, codes, candidates):
        parameters = self._parameters(candidates)
        pairs = class_pairs(len(self.classes_))
        self._coefficients = np.zeros((len(candidates), len(codes), len(pairs)))
        self._intercepts = np.zeros((len(candidates), len(pairs)))
        values = self._block_values(block, slice(None))
        for p, (g, h) in enumerate(pairs):
            members = np.flatnonzero((codes == g) | (codes == h))
            signs = np.where(codes[members] == h, 1.0, -1.0)
            block_of_pair = values[np.ix_(members, members)]
            weights = None if self._weights is None else self._weights[members]
            with one_blas_thread(len(members) <= SMALL):
                learned = self._learn_pair(block_of_pair, signs, parameters, weights)
            self._coefficients[:, members, p], self._intercepts[:, p] = learned
        self.prototypes_ = np.flatnonzero((self._coefficients != 0).any(axis=(0, 2)))
        self.n_prototypes_ = len(self.prototypes_)

    @property
    def coef_(self):
        """Coefficients (n_pairs, n) of the similarities as they are given."""
        return self._coefficients[0].T / self.unit_

    @property
    def intercept_(self):
        """Intercepts (n_pairs,)."""
        return self._intercepts[0]

    def _block_values(self, block, rows):
        return block.rows(rows)

    def _machine_scores(self, block, rows, candidates, skip_self):
        kept = self.prototypes_
        values = self._block_values(block, rows)[:, kept]
        n_classes = len(self.classes_)
        decisions = values @ self._coefficients[:, kept] + self._intercepts[:, None]
        return np.stack([vote_scores(part, n_classes) for part in decisions])

    def _row_bytes(self, block):
        wide = block.shape[1] + self._intercepts.size
        return super()._row_bytes(block) + 8 * wide
