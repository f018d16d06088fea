"""The training samples of local SDA, and its decisions for a chunk of queries."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from similearn.numerics.scores.decide import break_ties, normalized
from similearn.numerics.sda import local_sda as numerics
from similearn.numerics.sda.average_pmf import average_log_pmf
from similearn.numerics.sda.centroids import (
    entries_of,
    match_counts,
    neighborhoods,
)
from similearn.numerics.sda.maxent import log_pmf
from similearn.numerics.sda.support import Support, to_unit

AVERAGED = ("joint", "marginal", "dirichlet")
"""The regularizations that use P_ave."""


@dataclass(frozen=True, eq=False)
class References:
    """The training samples: their block (not copied), classes and Ω."""

    values: Any
    large_is_near: bool
    absent: float
    codes: np.ndarray
    n_classes: int
    support: Support

    def entries(self):
        """The block for compiled code."""
        return entries_of(self.values, self.absent)

    def neighborhoods(self, near, known):
        """Local centroids and means of the first `known` of the neighbours."""
        return neighborhoods(
            self.entries(),
            self.support,
            near,
            known,
            self.codes,
            self.n_classes,
            large_is_near=self.large_is_near,
        )


class LocalQueries:
    """The local models of a chunk of queries for one size of neighbourhood."""

    def __init__(self, model, block, rows, near, values):
        self.model, self.near, self.values = model, near, values
        self.references = model.references_
        self.known = np.isfinite(values).sum(axis=1)
        stats = self.references.neighborhoods(near, self.known)
        units = to_unit(self.references.support, block.at(stats.centroids, rows))
        self.local = numerics.local_model(model.table_, stats, units)
        self.log_global = np.log(model.priors_)
        self.average = self._average()

    def scores(self, alpha):
        """Log-posteriors (m, n_classes) up to a constant."""
        scores = self._regularized(alpha) if self.model.regularization else self._plain()
        hopeless = np.isneginf(scores).all(axis=1)
        scores[hopeless] = self.local.log_prior[hopeless]
        scores[self.known == 0] = self.log_global
        return scores

    def _regularized(self, alpha):
        model, local = self.model, self.local
        name, table = model.regularization, model.table_
        if name == "marginal":
            return numerics.marginal(local, self.average, self.log_global, alpha)
        if name == "global-rate":
            others = model.global_rates_
            return numerics.blended_rates(table, local, others, self.log_global, alpha)
        if name == "average-rate":
            others = numerics.average_rates(local)
            return numerics.blended_rates(table, local, others, self.log_global, alpha)
        if name == "mean":
            others = model.global_means_
            return numerics.blended_means(table, local, others, self.log_global, alpha)
        if name == "dirichlet":
            return self._dirichlet(alpha)
        return numerics.joint(local, self.average, self.log_global, alpha)

    def _average(self):
        """Log-probabilities of the regularizer, (m, G, G), where there is one."""
        model, units = self.model, self.local.units
        name = model.regularization
        if name in AVERAGED:
            return average_log_pmf(model.regularizers_[self.near.shape[1]][0], units)
        if name == "histogram":
            return log_pmf(*model.regularizers_[self.near.shape[1]], units[:, None, :])
        if name == "adaptive":
            return self._adaptive_average()
        return None

    def _adaptive_average(self):
        model, units = self.model, self.local.units
        nearness = to_unit(self.references.support, self.values)
        nearness = nearness if self.references.large_is_near else 1.0 - nearness
        alternative = log_pmf(model.global_rates_, model.global_log_norms_, units[:, None, :])
        return numerics.adaptive_average(
            model.regularizers_[self.near.shape[1]],
            self.near,
            self.known,
            nearness + 1e-12,  # all alike where all are farthest
            self.local,
            alternative,
        )

    def _dirichlet(self, alpha):
        references, local = self.references, self.local
        log_masses, edges = self.model.regularizers_[self.near.shape[1]][1:]
        matches = match_counts(
            references.entries(),
            references.support,
            self.near,
            self.known,
            references.codes,
            local.stats,
            local.units,
            edges,
        )
        intervals = np.searchsorted(edges, local.units, side="right")
        masses = log_masses[:, np.arange(references.n_classes), intervals].swapaxes(0, 1)
        return numerics.dirichlet(local, self.average, matches, masses, self.log_global, alpha)

    def _plain(self):
        """Eq. 2, or the nearest local centroid where a class has too few neighbours."""
        scores, counts = numerics.unregularized(self.local), self.local.stats.counts
        if self.model.degenerate == "delta":
            return scores
        few = counts < 3 if self.model.degenerate == "centroid" else counts == 1
        few = (few & self.local.stats.present).any(axis=1)
        return np.where(few[:, None], self._nearest_centroid(), scores)

    def _nearest_centroid(self):
        """Logarithms of one plus the levels between a centroid and the farthest value."""
        references, present = self.references, self.local.stats.present
        units = self.local.units if references.large_is_near else 1.0 - self.local.units
        steps = 1.0 + (len(references.support.levels) - 1) * units
        shares = normalized(np.where(present, steps, 0.0))
        codes, ks = references.codes[self.near], np.array([self.near.shape[1]])
        shares = break_ties(shares[:, None, :], codes, ks)[:, 0]
        with np.errstate(divide="ignore"):
            return np.log(np.where(present, shares, 0.0))
