"""DBoost: boosted stumps, or trees of them, on pairs of prototypes."""

from numbers import Real

import numpy as np

from similearn.data.lazy.known_neighbors import spread_out
from similearn.errors import InputError
from similearn.estimators.names.old_names import renamed
from similearn.estimators.pairs.dboost_rounds import Booster, Search, best_round
from similearn.estimators.pairs.prototypes import PrototypeModel, farthest_known
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_choice, require_integer
from similearn.numerics.pairs.boosting import class_scores, log_probabilities
from similearn.numerics.pairs.far import Farness, farness
from similearn.numerics.pairs.stump_trees import running_votes

_BASES = ("stump", "sign", "tree")
_MOST_LEVELS = 10


@renamed(
    parameters={"n_rounds": "n_estimators", "patience": "n_iter_no_change"},
    attributes={"n_rounds_": "n_estimators_"},
)
class DBoostClassifier(WeightedSamples, PrototypeModel, PairwiseClassifier):
    """Boost decision stumps that ask which of two training samples is nearer (DBoost §3).

    Each round draws pairs (x', x'') of training samples with different labels by their
    current weights, and adds the stump d²(x, x') - d²(x, x'') < v of the pair and threshold
    that lower real AdaBoost's exponential loss most (eq. 5). Each side of it votes with the
    confidence ½ ln(W₊ / W₋). More than two classes are boosted together by AdaBoost.MH.

    Parameters
    ----------
    n_estimators : int, default=200
        T, the rounds of boosting.
    n_pairs : int, default=100
        Pairs drawn per round (Strategy I), or for each node of a tree.
    max_prototypes : int, optional
        Strategy II: once so many samples serve as prototypes, all further pairs are drawn
        among them; there are at most ``max_prototypes + 1``. By default, no limit.
    n_references : int, optional
        Draw pairs among some so many training samples, drawn at random from each class by its
        share, at least eight. Only the values of all samples to these are needed, n × n_references:
        a lazy block is never whole. By default, among all samples.
    base : {"stump", "sign", "tree"}, default="stump"
        "stump" finds the best threshold. "sign" keeps it at zero (eq. 4): the model then
        sees only which of two samples is nearer, and no order-preserving transformation of
        the dissimilarities changes it (Proposition 2). "tree" splits both sides of a stump
        again, with pairs of samples that fall there (DBoost §5).
    max_depth : int, default=2
        Levels of a tree; at most 10.
    n_iter_no_change : int, optional
        Stop after so many rounds in which the log-loss of a validation share has not fallen,
        and keep the rounds up to its least value. By default, boost for all rounds.
    validation_fraction : float, default=0.1
        Share of every class that is held out for `n_iter_no_change`, at least one sample of
        those that have two.
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
    random_state : int, RandomState instance or None, default=None
        {random_state}

    Attributes
    ----------
    classes_ : (n_classes,)
    n_estimators_ : rounds that vote
    prototypes_ : positions, among the training samples, of those that stumps compare with
    pairs_ : (T, q, 2), x' and x'' of each node, positions among the training samples; q is
        1 for stumps, and node i of a tree has the children 2i + 1 and 2i + 2
    thresholds_ : (T, q), v, in squared dissimilarities or in similarities; infinite where a
        node was not split, and all samples go to its first child
    votes_ : (T, q + 1, K) of each leaf, the near side of x' first; K is one for two classes
        (a vote for the second), else one for each class
    losses_ : (T,) exponential loss of the training samples after each round; it never rises
    validation_losses_ : log-loss of the validation share after each round; empty without
        `n_iter_no_change`
    cuts_ : thresholds of pairs in the units in which they are compared
    farness_ : sign, unit and power that make entries of a block comparable as far

    Notes
    -----
    *Similarities* enter as s(x, x') - s(x, x'') > -v, without squares: if s is an inner
    product, d²(x, x') - d²(x, x'') = -2 (s(x, x') - s(x, x'')) + constant, and the threshold
    takes the constant up. Dissimilarities below zero are squared with their sign.

    *Asymmetric* data count by the mean of both directions, as everywhere.

    *Sparse blocks.* An entry that is not stored is zero in a similarity; in a dissimilarity
    it is unknown and counts as the farthest known training value. Training fills them in.

    *Probabilities* of the method itself, with ``calibration="none"``, are P(class) =
    1 / (1 + exp(-2 f)), since half the log-odds minimize the expected exponential loss; more than
    two are normalized. The larger the margins that boosting reaches, the more extreme they are:
    after many rounds they are overconfident, which the calibration mends. Probabilities of
    stages before the last are calibrated as the last one is.

    *Details the paper leaves open.* A vote is ½ ln((W₊ + ε) / (W₋ + ε)) with ε = 1 / (n K).
    A threshold is the middle between two training values; of equally good cuts the first
    pair drawn wins, and of one pair the lowest threshold.

    Cost: fit O(n_estimators n_pairs n K), predict O(m n_estimators K) from the dissimilarities to
    the prototypes alone, see `condensed`.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import DBoostClassifier
    >>> points = np.array([0.0, 1, 2, 3, 10, 11, 12, 13])[:, None]
    >>> D, y = abs(points - points.T), ["a", "a", "b", "b", "b", "b", "a", "a"]
    >>> model = DBoostClassifier(n_estimators=20, random_state=0).fit(D, y)
    >>> model.predict(abs(np.array([[0.5], [5.0], [12.5]]) - points.T))
    array(['a', 'b', 'a'], dtype='<U1')
    """

    _link = "log"
    _scalable_form = "DBoostClassifier(n_references=500)"
    _path = ("n_estimators",)
    _simpler = ("-n_estimators",)

    def __init__(
        self,
        n_estimators=200,
        n_pairs=100,
        *,
        max_prototypes=None,
        n_references=None,
        base="stump",
        max_depth=2,
        n_iter_no_change=None,
        validation_fraction=0.1,
        kind=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.n_pairs = n_pairs
        self.max_prototypes = max_prototypes
        self.n_references = n_references
        self.base = base
        self.max_depth = max_depth
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.kind = kind
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def margins(self, X, y):
        """Margins of labelled samples, (m,), in [-1, 1]; positive where the label is right.

        The lead of the true class over the best other, as a share of the largest that the
        votes allow: y f(x) / Σ_t max |votes_t| for two classes (Theorem 5).
        """
        scores = self._all_scores(self._queries(X))
        codes = self._known_codes(y, len(scores))
        rows = np.arange(len(scores))
        own = scores[rows, codes]
        scores[rows, codes] = -np.inf
        largest = np.abs(self.votes_[: self.n_estimators_]).max(axis=(1, 2)).sum()
        lead = own - scores.max(axis=1)
        return lead / (2 * largest) if largest > 0 else np.zeros(len(lead))

    def staged_decision_function(self, X):
        """Yield the `decision_function` after 1, 2, ... rounds."""
        for scores in self._staged_scores(X):
            yield self._decision_scores(scores)

    def staged_predict(self, X):
        """Yield the labels that `predict` would give after 1, 2, ... rounds."""
        for scores in self._staged_scores(X):
            yield self.classes_[self._decide(scores)]

    def staged_predict_proba(self, X):
        """Yield the `predict_proba` after 1, 2, ... rounds."""
        for scores in self._staged_scores(X):
            yield self._probabilities(scores)

    @property
    def thresholds_(self):
        """Thresholds in the units of the data, squared if dissimilarities."""
        far = Farness(*self.farness_)
        with np.errstate(over="ignore"):
            cuts = self.cuts_ / far.scale
            return np.nan_to_num(cuts / far.scale if far.squared else cuts)

    def _fit_path(self, block, codes, candidates):
        wanted = self._values_of("n_estimators", candidates)
        n_rounds = max(require_integer("n_estimators", value) for value in wanted)
        search = self._search()
        rng = self._generator()
        learning, held_out = self._split(codes, rng)
        self.farthest_ = farthest_known(block)
        references, D = self._compared(block, codes, learning, rng)
        far = farness(
            float(np.abs(D).max()), large_is_near=block.large_is_near, squared=not search.signs
        )
        self.farness_ = tuple(far)
        watched = learning, held_out
        rounds = Booster(D, references, far, codes, *watched, search, rng, self._weights)
        rounds = rounds.run(n_rounds)
        self.losses_ = np.array(rounds.losses)
        self.validation_losses_ = np.array(rounds.held_out_losses)
        self.n_estimators_ = self._kept(n_rounds)
        kept = slice(self.n_estimators_ if len(candidates) == 1 else None)
        self.cuts_ = np.array(rounds.thresholds[kept])
        self.votes_ = np.array(rounds.votes[kept])
        self._keep_pairs(np.array(rounds.pairs[kept]), np.isfinite(self.cuts_))

    @property
    def _asks_only(self):
        return self.n_references is not None

    def _compared(self, block, codes, learning, rng):
        """Positions (p,) of the samples that pairs are drawn among, and (p, n) entries."""
        if self.n_references is None:
            D = block.rows(both=True, unknown=self.farthest_)
            D = np.ascontiguousarray(D.T) if block.reverse is not None else D
            return np.arange(len(codes)), D
        most = require_integer("n_references", self.n_references)
        some = rng.permutation(learning)
        some = np.sort(some[spread_out(len(some), codes[some], most)])
        D = block.columns(some, both=True, unknown=self.farthest_)
        return some, np.ascontiguousarray(D.T)

    def _search(self):
        require_choice("base", self.base, _BASES)
        n_pairs = require_integer("n_pairs", self.n_pairs)
        limit, patience = self.max_prototypes, self.n_iter_no_change
        limit = None if limit is None else require_integer("max_prototypes", limit)
        patience = None if patience is None else require_integer("n_iter_no_change", patience)
        depth = 1
        if self.base == "tree":
            means = "largest number of levels"
            depth = require_integer(
                "max_depth", self.max_depth, high=_MOST_LEVELS, high_means=means
            )
        return Search(n_pairs, depth, self.base == "sign", limit, patience, self.n_jobs)

    def _split(self, codes, rng):
        """Positions to learn from, and to hold out: a share of each class."""
        everyone = np.arange(len(codes))
        if self.n_iter_no_change is None:
            return everyone, everyone[:0]
        share = self.validation_fraction
        if not isinstance(share, Real) or not 0 < share < 1:
            raise InputError(
                f"validation_fraction={share!r} is out of range; expected a number between 0 and 1."
            )
        shuffled = rng.permutation(len(codes))
        parts = [shuffled[codes[shuffled] == g] for g in range(len(self.classes_))]
        counts = [min(max(round(share * len(part)), 1), len(part) - 1) for part in parts]
        held_out = np.sort(np.concatenate([p[:n] for p, n in zip(parts, counts, strict=True)]))
        if len(held_out) == 0:
            raise InputError(
                "n_iter_no_change needs samples to hold out, but every class has only one; pass "
                "more samples, or leave n_iter_no_change at None."
            )
        return np.setdiff1d(everyone, held_out), held_out

    def _kept(self, n_rounds):
        """Rounds that vote if `n_rounds` are asked for."""
        if self.n_iter_no_change is None:
            return min(n_rounds, len(self.losses_))
        return best_round(self.validation_losses_, n_rounds)

    def _scores(self, block, rows):
        stops = np.array([self.n_estimators_])
        return class_scores(self._sums(self._entries(block, rows), stops))[0]

    def _path_scores(self, block, rows, candidates, skip_self=False):
        wanted = [self._kept(c.get("n_estimators", self.n_estimators)) for c in candidates]
        stops, stop_of = np.unique(wanted, return_inverse=True)
        return class_scores(self._sums(self._entries(block, rows), stops))[stop_of]

    def _staged_scores(self, X):
        data = self._queries(X)
        entries = self._entries(data, slice(None))
        sums = np.zeros((len(data), self.votes_.shape[2]))
        for t in range(self.n_estimators_):
            sums += self._sums(entries, np.array([1]), slice(t, t + 1))[0]
            yield class_scores(sums)

    def _sums(self, entries, stops, rounds=slice(None)):
        far = Farness(*self.farness_)
        pairs, cuts, votes = self.places_[rounds], self.cuts_[rounds], self.votes_[rounds]
        return running_votes(entries, far, pairs, cuts, votes, stops)

    def _own_probabilities(self, scores):
        return np.exp(log_probabilities(scores))

    def _own_log_probabilities(self, scores):
        return log_probabilities(scores)

    def _row_bytes(self, data):
        cells = len(self._candidates) * len(self.classes_)
        return super()._row_bytes(data) + 8 * (4 * len(self.prototypes_) + 4 * cells)
