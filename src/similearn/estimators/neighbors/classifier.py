"""Nearest neighbours, weighted or not."""

import numpy as np

from similearn.errors import ConvergenceWarning, warn
from similearn.estimators.names.old_names import renamed
from similearn.estimators.neighbors.conformal import ConformalNeighbors
from similearn.estimators.neighbors.weighting import WEIGHTINGS, WORST_GAP
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.neighbor_search import NeighborSearch, among_or_whole
from similearn.estimators.shell.parameters import (
    require_choice,
    require_neighbors,
    require_positive,
)
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.scores.decide import (
    break_ties,
    normalized,
    running_class_sums,
    weighted_votes,
)

DIRECTIONS = ("both", "query")


@renamed(attributes={"references_": "similarities_"})
class NeighborsClassifier(WeightedSamples, ConformalNeighbors, NeighborSearch, PairwiseClassifier):
    """Classify by the nearest training samples, weighted or not.

    The label is that of the class with the largest summed weight among the k nearest
    (JMLR eq. 9); a tie goes to the tied class with the nearest member.

    Parameters
    ----------
    n_neighbors : int, default=5
    weights : {"uniform", "affinity", "krr", "kri", "lime"}, default="uniform"
        "uniform" counts votes. "affinity" weighs each neighbour by its similarity
        (JMLR §7); a neighbour of negative similarity gets no weight, and where no
        neighbour is positively similar all count alike. The others reward affinity *and*
        diversity, so that neighbours that repeat each other share their weight: "krr",
        kernel ridge regression weights (eq. 15), may be negative; "kri", kernel ridge
        interpolation (eq. 12), and "lime", its form with entropy (eq. 10), are pmfs.
    ridge : float, default=1.0
        Regularization λ of "krr", "kri" and "lime", in units of the similarities: the
        larger, the more alike the weights ("krr": the more like the similarities).
    spectrum : {"pinv", "clip", "flip", "shift"}, optional
        How to treat an indefinite block among neighbours: "pinv" by default for "krr",
        which alone takes it, and "clip" for "kri" and "lime", as the paper recommends.
    direction : {"both", "query"}, default="both"
        Which similarities of asymmetric data the weights are made of, where both directions
        are known: "both" takes their mean, by which the neighbours are found (JMLR §7.2);
        "query" takes ψ(x, xᵢ) alone, as the weights are printed in JMLR §5 and §7. The
        neighbours are the same.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
        All weights but "uniform" need similarities: dissimilarities d become 1 - d / max, with
        the largest of training, and `explain` says so.
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
    codes_ : (n,) positions in ``classes_`` of the training labels
    priors_ : (n_classes,) shares of the classes among the training samples
    similarities_ : (n, n) symmetrized training similarities, for "krr", "kri" and "lime"; the block
        itself if it is lazy

    Notes
    -----
    Neighbours of asymmetric data are found by the mean of both directions (JMLR §7.2),
    and equally near samples come in the order of the training block. A query of which a
    sparse dissimilarity knows no neighbour gets the class frequencies of training.

    Votes say how the neighbours split, and "never" of a class that has none among them. The
    calibration turns them into probabilities: how often a class was the true one where the votes
    split like that. `decision_function` and `explain` tell the votes.

    Summed "krr" weights are the values of a local ridge regression on class indicators
    (eq. 16), so they are no probabilities; they are projected on the simplex first,
    which keeps their order and is never farther from the truth in squared error.

    `predict_set` gives sets of labels that hold the true one as often as is asked.

    Cost of `predict`: O(m n) for the search, without a copy of the block; O(m k³) for the
    diverse weights.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier
    >>> S = np.array([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]])
    >>> model = NeighborsClassifier(n_neighbors=2, weights="affinity").fit(S, ["a", "a", "b"])
    >>> model.predict([[0.1, 0.4, 0.6]])
    array(['b'], dtype='<U1')
    >>> model.predict_proba([[0.1, 0.4, 0.6]]).round(3)
    array([[0.467, 0.533]])
    >>> print(model.explain([[0.1, 0.4, 0.6]]))
    query 0: b
      score of b: 0.6
      score of a: 0.4
      neighbour 2 (b): value 0.6, weight 0.6
      neighbour 1 (a): value 0.4, weight 0.4
    """

    _path = ("n_neighbors", "ridge")
    _path_leaves_one_out = True
    _simpler = ("n_neighbors", "ridge")
    _leaves_each_out = True

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        ridge=1.0,
        spectrum=None,
        direction="both",
        kind=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.ridge = ridge
        self.spectrum = spectrum
        self.direction = direction
        self.kind = kind
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @property
    def _link(self):
        return WEIGHTINGS[self.weights].link if self.weights in WEIGHTINGS else "shares"

    @property
    def _needed_kind(self):
        known = isinstance(self.weights, str) and self.weights in WEIGHTINGS
        return "similarity" if known and WEIGHTINGS[self.weights].needs_similarity else None

    def _fit_path(self, block, codes, candidates):
        require_choice("weights", self.weights, WEIGHTINGS)
        require_choice("direction", self.direction, DIRECTIONS)
        weighting, n_training = WEIGHTINGS[self.weights], self._n_training(block)
        for k in self._values_of("n_neighbors", candidates):
            require_neighbors(k, n_training)
        if weighting.of_blocks is not None:
            for ridge in self._values_of("ridge", candidates):
                require_positive("ridge", ridge, zero=self.weights == "krr")
            if self.spectrum is not None:
                require_choice("spectrum", self.spectrum, weighting.spectra)
            self.similarities_ = block if block.is_lazy else block.symmetrized().values
        self.codes_ = codes
        self._keep_weights()
        self._strangeness = None  # of conformal sets, when first asked
        self.priors_ = self._shares(codes)

    def _scores(self, block, rows):
        if WEIGHTINGS[self.weights].of_blocks is None:
            return super()._scores(block, rows)
        return self._diverse_scores(block, rows, self.n_neighbors)

    def _scores_without_self(self, block, rows, candidates):
        alone = len(candidates) == 1 and not candidates[0].keys() - {"n_neighbors"}
        if not alone or WEIGHTINGS[self.weights].of_blocks is None:
            return super()._scores_without_self(block, rows, candidates)
        k = candidates[0].get("n_neighbors", self.n_neighbors)
        return self._diverse_scores(block, rows, k, skip_self=True)[None]

    def _diverse_scores(self, block, rows, k, *, skip_self=False):
        """Scores of one candidate, by the functions that are compiled for one."""
        near, values = self._nearest(block, k, rows, skip_self=skip_self)
        return self._class_sums(near, values, k, self.ridge)

    def _class_sums(self, near, values, k, ridge):
        """Summed weights (m, n_classes) of the k nearest, ties broken."""
        ks, near = np.array([k]), near[:, :k]
        weights, codes = self._diverse_weights(near, values[:, :k], ridge), self.codes_[near]
        sums = running_class_sums(weights, codes, len(self.classes_), ks)
        return break_ties(sums, codes, ks)[:, 0]

    def _in_chunks(self, function, data, axis=0):
        # Blocks are small: threads of LAPACK's own would mostly wait for each other.
        with one_blas_thread(WEIGHTINGS[self.weights].of_blocks is not None):
            return super()._in_chunks(function, data, axis)

    def _path_scores(self, block, rows, candidates, skip_self=False):
        ks, k_of = np.unique(self._values_of("n_neighbors", candidates), return_inverse=True)
        near, values = self._nearest(block, ks[-1], rows, skip_self=skip_self)
        codes, n_classes = self.codes_[near], len(self.classes_)
        weighting = WEIGHTINGS[self.weights]
        if weighting.of_blocks is None:
            weights = weighting.of_values(values) * self._weights_of(near)
            shares = weighted_votes(weights, codes, n_classes, ks)
            shares[shares.sum(axis=2) == 0] = self.priors_
            return np.moveaxis(shares[:, k_of], 1, 0)
        if self.sample_weights_ is not None:
            wanted = zip(ks[k_of], self._values_of("ridge", candidates), strict=True)
            return np.stack([self._class_sums(near, values, k, ridge) for k, ridge in wanted])
        ridges, ridge_of = np.unique(self._values_of("ridge", candidates), return_inverse=True)
        S, among = among_or_whole(self.similarities_, near)
        scores, gaps = weighting.path(
            S, values, codes, n_classes, ks, ridges, self._chosen_spectrum(), near=among
        )
        self._warn_of_gaps(gaps.max(axis=(1, 2)))
        m, cells = len(scores), len(ks) * len(ridges)
        break_ties(scores.reshape(m, cells, n_classes), codes, np.repeat(ks, len(ridges)))
        return np.moveaxis(scores[:, k_of, ridge_of], 1, 0)

    def _nearest(self, block, k, rows, *, skip_self=False):
        """Neighbours, and the values that weigh them."""
        near, values = block.nearest(k, rows, skip_self=skip_self)
        if self.direction == "query" and WEIGHTINGS[self.weights].needs_similarity:
            values = block.at(near, rows)
        return near, values

    def _diverse_weights(self, near, values, ridge):
        """Weights (m, k) of neighbours, times those of the samples.

        Kernel ridge regression has a place of its own for these: the squared residual of sample i
        counts w_i times, so that λ becomes λ / w_i, and with d = √w its weights are
        d (d S d + λ I)⁻¹ d s.
        """
        S, among = among_or_whole(self.similarities_, near)
        factors, outer = self._weights_of(near), 1.0
        if self.weights == "krr" and self.sample_weights_ is not None:
            outer = factors = np.sqrt(factors)
            S = S if among is None else S[among[:, :, None], among[:, None, :]]
            S, among = factors[:, :, None] * S * factors[:, None, :], None
        weigh = WEIGHTINGS[self.weights].of_blocks
        weights, gaps = weigh(S, outer * values, ridge, self._chosen_spectrum(), near=among)
        self._warn_of_gaps(gaps)
        return factors * weights

    def _warn_of_gaps(self, gaps):
        """Tell how many queries have weights with too large a KKT gap."""
        if (gaps > WORST_GAP).any():
            warn(
                f"The {self.weights} weights of {np.count_nonzero(gaps > WORST_GAP)} queries are "
                f"not optimal to {WORST_GAP:g} (worst relative gap {gaps.max():.1g}); raise ridge.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _chosen_spectrum(self):
        return self.spectrum or WEIGHTINGS[self.weights].spectra[0]

    def _row_bytes(self, block):
        k = int(max(self._values_of("n_neighbors", self._candidates)))
        known = getattr(self, "similarities_", None)
        gathered = isinstance(known, np.ndarray) and self.sample_weights_ is None
        blocks = 0 if gathered or WEIGHTINGS[self.weights].of_blocks is None else k * k
        cells = len(self._candidates) * len(self.classes_)
        return super()._row_bytes(block) + 8 * (blocks + 6 * k + 3 * cells)

    def _explain(self, block):
        near, values = self._nearest(block, self.n_neighbors, slice(None))
        if WEIGHTINGS[self.weights].of_blocks is None:
            votes = WEIGHTINGS[self.weights].of_values(values) * self._weights_of(near)
            weights = normalized(votes)
        else:
            weights = self._diverse_weights(near, values, self.ridge)
        labels = self.classes_[self.codes_[near]]
        return super()._explain(block) | {
            "neighbors": near,
            "values": values,
            "labels": labels,
            "weights": weights,
        }
