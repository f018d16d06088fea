"""Local similarity discriminant analysis, and its regularizations."""

import numpy as np

from similearn.data.chunks import map_chunks
from similearn.errors import InputError
from similearn.estimators.names.old_names import renamed
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.sda.global_sda import support_of
from similearn.estimators.sda.local_queries import LocalQueries, References, Trained
from similearn.estimators.sda.regularizations import REGULARIZATIONS
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.neighbor_search import NeighborSearch
from similearn.estimators.shell.parameters import require_choice, require_integer, require_positive
from similearn.numerics.scores.decide import normalized
from similearn.numerics.sda.maxent import capped_rates, rate_table

DEGENERATE = ("centroid", "single", "delta")


@renamed(attributes={"support_": "pmf_support_", "references_": "samples_"})
class LocalSDAClassifier(WeightedSamples, NeighborSearch, PairwiseClassifier):
    """Similarity discriminant analysis in the neighbourhood of every query.

    The k nearest training samples make a model of their own: a centroid for each class, and
    exponential pmfs of the similarity to centroid h given class g, with the means of the
    neighbourhood (RegSDA eq. 1-3). Few neighbours make sharp pmfs; `regularization` softens
    them by what was seen in the neighbourhoods of the training samples.

    Parameters
    ----------
    n_neighbors : int, default=5
    regularization : str, optional
        What the pmfs P of the neighbourhood are combined with, with weight `alpha`:

        - "joint" (eq. 10): (1-α) Π_h P P(g) + α Π_h P_ave P̃(g), where P_ave averages the pmfs
          of all training samples' neighbourhoods (eq. 7), P(g) counts the neighbourhood and
          P̃(g) the training set;
        - "marginal" (eq. 8-9): every P becomes (1-α) P + α P_ave;
        - "global-rate", "average-rate" (eq. 4): rates (1-α) λ + α λ̃, λ̃ of global SDA, or the
          mean of the neighbourhood's rates;
        - "mean" (§IV-B): means (1-α) m + α m̃, m̃ of global SDA;
        - "histogram": as "joint", P_ave replaced by one exponential fitted to the pooled
          similarities of all training neighbourhoods (§VI);
        - "adaptive": as "joint", P_ave taken over the neighbours of the query only, weighted by
          how near they are (§VI);
        - "dirichlet": multinomial pmfs with a Dirichlet prior of mean P_ave that weighs as much
          as α k / (1-α) neighbours (§VI). If Ω has more than 16 levels, the multinomial is
          over 16 intervals, and follows P_ave within each.

    alpha : float in [0, 1], default=0.1
        Ignored without regularization.
    degenerate : {"centroid", "single", "delta"}, default="centroid"
        Without regularization: which neighbourhoods are left to the nearest local centroid.
        "centroid": any class in it has fewer than three neighbours (JMLR §6.1); "single": any
        has exactly one (Cazzanti & Gupta 2007); "delta": none, whatever the pmfs are.
    support : "observed" or int, default="observed"
        Ω, see `SDAClassifier`.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    class_weight : dict, "balanced" or None, default=None
        {class_weight}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    pmf_support_ : Ω, the values that a similarity can take
    codes_ : (n,) positions in ``classes_`` of the training labels
    priors_ : (n_classes,) shares of the classes among the training samples
    samples_ : the training samples; their block is not copied
    global_means_ : (n_classes,) mean similarities within whole classes
    global_rates_ : (n_classes, n_classes) rates of the pmfs of whole classes
    global_log_norms_ : (n_classes, n_classes) log-normalizers of the pmfs of whole classes
    regularizers_ : what pmfs of neighbourhoods are mixed with, for each size
    rate_table_ : rates of pmfs by their means

    Notes
    -----
    *Where the papers are silent.* A training sample belongs to its own neighbourhood if it is
    one of its k nearest. P_ave averages over the neighbourhoods that hold both classes; a
    pair that none holds, or of which all pmfs are deltas, takes the pmf of global SDA. A class
    without neighbours has no centroid, hence no factor; its own pmfs are the regularizer's and
    its prior is α P̃(g), so that it is improbable but possible. Without regularization it is
    impossible. Infinite rates enter eq. 4 as the largest that differ from a delta in double
    precision, and are left out of the mean rate.

    *Ties.* Of members with the same sum-similarity, as the two of a class of two always have
    where ψ is symmetric and self-similarities are equal, the nearest to the query is the
    centroid.

    *Nearest centroid.* It has no probabilities of its own; here they are proportional to one
    plus the number of levels of Ω by which the centroid is nearer than the farthest value.

    *Lazy blocks.* Where the block exceeds scikit-learn's ``working_memory``, Ω and global SDA are
    those of 2048 training samples, spread evenly over each class.

    Values outside Ω, deltas, grouping and sparse blocks are treated as in `SDAClassifier`. A
    query without known neighbours gets the class frequencies of training.

    Cost for each query: one neighbour search, O(Σ_g k_g² + k G) reads of the training block
    and O(G²) table look-ups. A fit with P_ave does this for all training samples and keeps
    G² |Ω| numbers, 4 million at most; "adaptive" keeps 2 n G².

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import LocalSDAClassifier
    >>> S = np.array([[9, 7, 2, 1], [7, 9, 3, 2], [2, 3, 9, 8], [1, 2, 8, 9.0]])
    >>> model = LocalSDAClassifier(n_neighbors=3, regularization="joint")
    >>> model.fit(S, ["a", "a", "b", "b"]).predict([[8, 6, 1, 2.0]])
    array(['a'], dtype='<U1')
    """

    _link = "log"
    _path = ("n_neighbors", "alpha")
    _far_out = True

    @property
    def _leaves_each_out(self):
        """What is learned of all neighbourhoods, of as many neighbours, may hold the sample."""
        return self._most_neighbors < self.n_features_in_

    def __init__(
        self,
        n_neighbors=5,
        *,
        regularization=None,
        alpha=0.1,
        degenerate="centroid",
        support="observed",
        kind=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.regularization = regularization
        self.alpha = alpha
        self.degenerate = degenerate
        self.support = support
        self.kind = kind
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit_path(self, block, codes, candidates):
        require_choice("degenerate", self.degenerate, DEGENERATE)
        if self.regularization is not None:
            require_choice("regularization", self.regularization, REGULARIZATIONS)
        ks = sorted({self._checked(candidate, len(block))[0] for candidate in candidates})
        self.codes_ = codes
        self._keep_weights()
        self.priors_ = self._shares(codes)
        seen, places = block.representative(codes)
        self.pmf_support_ = support_of(seen, self.support)
        self.rate_table_ = rate_table(self.pmf_support_)
        self.samples_ = self._references(block if block.is_lazy else block.values, block, codes)
        everybody = np.arange(len(places), dtype=np.intp)[None, :]
        whole = self._references(seen.values, block, codes[places])
        self.global_means_ = whole.neighborhoods(everybody, np.array([len(places)])).means[0]
        self.global_rates_, self.global_log_norms_ = capped_rates(
            self.pmf_support_, self.rate_table_, self.global_means_
        )
        self.regularizers_ = self._regularizers(block, ks)

    def _references(self, values, block, codes):
        return References(
            values=values,
            large_is_near=block.large_is_near,
            absent=block.absent,
            codes=codes,
            n_classes=len(self.classes_),
            support=self.pmf_support_,
        )

    def _checked(self, candidate, n_samples):
        """Number of neighbours and α of a candidate."""
        k = require_integer(
            "n_neighbors",
            candidate.get("n_neighbors", self.n_neighbors),
            high=n_samples,
            high_means="number of samples in fit",
        )
        alpha = require_positive("alpha", candidate.get("alpha", self.alpha), zero=True)
        if alpha > 1:
            raise InputError(f"alpha={alpha} is out of range; expected a number within [0, 1].")
        return k, alpha

    def _regularizers(self, block, ks):
        """What is learned from the training neighbourhoods of each size."""
        if self.regularization is None or REGULARIZATIONS[self.regularization].learn is None:
            return {}
        block = block.knowing_neighbors(ks[-1])
        parts = self._chunked(block, lambda rows: block.nearest(ks[-1], rows))
        near, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        known = np.isfinite(values).sum(axis=1)
        return {k: self._learn(block, near[:, :k], np.minimum(known, k)) for k in ks}

    def _learn(self, block, near, known):
        learn = REGULARIZATIONS[self.regularization].learn
        return learn(self._trained, near, known, lambda work: self._chunked(block, work))

    @property
    def _trained(self):
        return Trained(
            references=self.samples_,
            table=self.rate_table_,
            log_priors=np.log(self.priors_),
            means=self.global_means_,
            rates=self.global_rates_,
            log_norms=self.global_log_norms_,
            weights=self.sample_weights_,
        )

    def _local(self, block, rows, near, values):
        """The local models of queries whose neighbours are known."""
        return LocalQueries(
            self._trained,
            REGULARIZATIONS.get(self.regularization),
            self.regularizers_.get(near.shape[1]),
            self.degenerate,
        ).see(block, rows, near, values)

    def _chunked(self, block, function):
        return map_chunks(
            function, len(block), row_bytes=self._row_bytes(block), n_jobs=self.n_jobs
        )

    def _path_scores(self, block, rows, candidates, skip_self):
        pairs = [self._checked(candidate, len(self.codes_)) for candidate in candidates]
        near, values = block.nearest(max(k for k, _ in pairs), rows, skip_self=skip_self)
        scores = np.empty((len(pairs), len(near), len(self.classes_)))
        for k in {k for k, _ in pairs}:
            query = self._local(block, rows, near[:, :k], values[:, :k])
            for position, (size, alpha) in enumerate(pairs):
                if size == k:
                    scores[position] = query.scores(alpha)
        return scores

    def _row_bytes(self, data):
        k = self._most_neighbors if self.samples_.is_lazy else 0
        return super()._row_bytes(data) + 200 * len(self.classes_) ** 2 + 32 * k * k

    def _explain(self, block):
        near, values = block.nearest(self.n_neighbors)
        query = self._local(block, slice(None), near, values)
        local = query.local
        terms = {
            "centroid": np.where(local.stats.present, local.stats.centroids, -1),
            "log prior": local.log_prior,
            "local log-likelihood": np.where(
                local.stats.present, local.log_pmfs.sum(axis=2), -np.inf
            ),
        }
        for h, label in enumerate(self.classes_):
            terms[f"log P at centroid {label}"] = local.log_pmfs[:, :, h]
        if query.average is not None:
            regular = np.where(local.stats.present[:, None, :], query.average, 0.0)
            terms["regularizer's log-likelihood"] = regular.sum(axis=2)
        return super()._explain(block) | {
            "neighbors": near,
            "values": values,
            "labels": self.classes_[self.codes_[near]],
            "weights": normalized(np.isfinite(values).astype(float)),
            "terms": terms,
        }
