"""The training samples of local SDA, and its decisions for a chunk of queries."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from similearn.data.pairwise import Pairwise
from similearn.numerics.scores.decide import break_ties, normalized, running_class_sums
from similearn.numerics.sda import local_sda as numerics
from similearn.numerics.sda.centroids import entries_of, match_counts, neighborhoods
from similearn.numerics.sda.maxent import RateTable
from similearn.numerics.sda.support import Support, to_unit


@dataclass(frozen=True, eq=False)
class References:
    """The training samples: their block (not copied; itself if it is lazy), classes and Ω."""

    values: Any
    large_is_near: bool
    absent: float
    codes: np.ndarray
    n_classes: int
    support: Support

    @property
    def is_lazy(self):
        """Whether the values among neighbours are computed when they are asked for."""
        return isinstance(self.values, Pairwise)

    def neighborhoods(self, near, known):
        """Local centroids and means of the first `known` of the neighbours."""
        entries, places, codes = self._seen(near)
        stats = neighborhoods(
            entries,
            self.support,
            places,
            known,
            codes,
            self.n_classes,
            large_is_near=self.large_is_near,
        )
        if not self.is_lazy:
            return stats
        samples = np.where(stats.present, near.ravel()[stats.centroids], 0)
        return stats._replace(centroids=samples)

    def matches(self, near, known, stats, units, edges):
        """Neighbours of class g as similar to centroid h as the query is, (m, G, G)."""
        entries, places, codes = self._seen(near)
        if self.is_lazy:
            own = (near[:, :, None] == stats.centroids[:, None, :]).argmax(axis=1)
            stats = stats._replace(centroids=own + places[:, :1])
        return match_counts(entries, self.support, places, known, codes, stats, units, edges)

    def _seen(self, near):
        """The block for compiled code, and neighbours and classes by places in it.

        Of a lazy block only the values among neighbours are there: a block on the diagonal for
        each query, of which the first neighbour of query i is sample i k.
        """
        if not self.is_lazy:
            return entries_of(self.values, self.absent), near, self.codes
        m, k = near.shape
        places = np.arange(m * k).reshape(m, k)
        columns = np.repeat(places.astype(np.int32), k, axis=0).ravel()
        starts = np.arange(0, m * k * k + 1, k, dtype=np.int32 if m * k * k < 2**31 else np.int64)
        values = self.values.among_columns(near).ravel()
        among = sparse.csr_array((values, columns, starts), shape=(m * k, m * k))
        return entries_of(among, self.absent), places, self.codes[near].ravel()


class Trained(NamedTuple):
    """What local models build on: the training samples, and global SDA of them.

    Parameters
    ----------
    references : see `References`
    table : of rates by means
    log_priors : (G,) of the training set
    means, rates, log_norms : (G, G) of global SDA, in units of Ω
    weights : (n,) of the samples in the priors of neighbourhoods; None where all are equal
    """

    references: References
    table: RateTable
    log_priors: np.ndarray
    means: np.ndarray
    rates: np.ndarray
    log_norms: np.ndarray
    weights: np.ndarray | None = None


class LocalQueries:
    """The local models of a chunk of queries for one size of neighbourhood.

    Parameters
    ----------
    trained : see `Trained`
    regularization : entry of `REGULARIZATIONS`, or None
    learned : what it has learned from training neighbourhoods of this size
    degenerate : which neighbourhoods go to the nearest centroid, without regularization
    """

    def __init__(self, trained, regularization=None, learned=None, degenerate="centroid"):
        self.trained, self.regularization = trained, regularization
        self.learned, self.degenerate = learned, degenerate

    def see(self, block, rows, near, values):
        """Fit the local models of some rows of a block, whose neighbours are known."""
        references = self.trained.references
        self.near, self.values = near, values
        self.known = np.isfinite(values).sum(axis=1)
        stats = references.neighborhoods(near, self.known)
        units = to_unit(references.support, block.at(stats.centroids, rows))
        self.local = numerics.local_model(self.trained.table, stats, units)
        if self.trained.weights is not None:
            self.local = self.local._replace(log_prior=self._weighted_log_prior())
        self.average = None
        if self.regularization is not None and self.regularization.average is not None:
            self.average = self.regularization.average(self, self.learned)
        return self

    def _weighted_log_prior(self):
        """Shares of the classes in the neighbourhoods, or in training if nobody there counts."""
        weights = self.trained.weights[self.near] * np.isfinite(self.values)
        codes, ks = self.trained.references.codes[self.near], np.array([self.near.shape[1]])
        sums = running_class_sums(weights, codes, self.trained.references.n_classes, ks)[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(sums / sums.sum(axis=1, keepdims=True))
        return np.where(np.isnan(logs), self.trained.log_priors, logs)

    def scores(self, alpha):
        """Log-posteriors (m, n_classes) up to a constant."""
        if self.regularization is None:
            scores = self._plain()
        else:
            scores = self.regularization.scores(self, alpha)
        hopeless = np.isneginf(scores).all(axis=1)
        scores[hopeless] = self.local.log_prior[hopeless]
        scores[self.known == 0] = self.trained.log_priors
        return scores

    def _plain(self):
        """Eq. 2, or the nearest local centroid where a class has too few neighbours."""
        scores, counts = numerics.unregularized(self.local), self.local.stats.counts
        if self.degenerate == "delta":
            return scores
        few = counts < 3 if self.degenerate == "centroid" else counts == 1
        few = (few & self.local.stats.present).any(axis=1)
        return np.where(few[:, None], self._nearest_centroid(), scores)

    def _nearest_centroid(self):
        """Logarithms of one plus the levels between a centroid and the farthest value."""
        references, present = self.trained.references, self.local.stats.present
        units = self.local.units if references.large_is_near else 1.0 - self.local.units
        steps = 1.0 + (len(references.support.levels) - 1) * units
        shares = normalized(np.where(present, steps, 0.0))
        codes, ks = references.codes[self.near], np.array([self.near.shape[1]])
        shares = break_ties(shares[:, None, :], codes, ks)[:, 0]
        with np.errstate(divide="ignore"):
            return np.log(np.where(present, shares, 0.0))
