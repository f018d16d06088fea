"""Votes of random pairs of training samples (DBoost, Theorem 3)."""

import numpy as np

from similearn.estimators.pairs.prototypes import PrototypeModel, farthest_known
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_integer
from similearn.numerics.pairs.pair_votes import (
    all_shares,
    class_pairs,
    drawn_shares,
    scores_of_shares,
)


class DissimilarityVoteClassifier(PrototypeModel, PairwiseClassifier):
    """Let random pairs of training samples of different classes vote for the nearer one.

    The classifier of DBoost's Theorem 3, f(x) = (1/n) Σᵢ sgn[d(x, x″ᵢ) - d(x, x′ᵢ)]: if the
    dissimilarity is strongly (ε, γ)-good, (1/γ²) ln(1/δ) pairs err on at most ε + δ of all
    samples, with probability 1 - δ. `similearn.goodness` estimates ε and γ from data, and
    `similearn.pairs_needed` says how many pairs that asks for.

    Parameters
    ----------
    n_pairs : int or None, default=1000
        Pairs drawn for every two classes. None takes all pairs there are: the limit of
        ever more draws.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}
    random_state : int, RandomState instance or None, default=None
        {random_state}

    Attributes
    ----------
    classes_ : (n_classes,)
    codes_ : (n,) positions in ``classes_`` of the training labels
    prototypes_ : positions, among the training samples, of those drawn
    pairs_ : (n_pairs, C, 2) the pairs for each of the C = G (G - 1) / 2 pairs of classes, in
        the order (0, 1), (0, 2), ..., (1, 2), ...; empty with ``n_pairs=None``
    large_is_near_ : whether large values are near

    Notes
    -----
    Only the order of the entries in a row counts, so any order-preserving transformation
    leaves all answers as they are (Proposition 2). A tie gives half a vote to each class,
    where the paper gives it to the second. With more than two classes, the score of a class
    is the mean share of the votes that it wins from each other class. With
    ``calibration="none"`` probabilities are these shares, normalized: they describe how the votes
    split, as with votes of neighbours.

    Asymmetric data count by the mean of both directions. In a sparse dissimilarity, what is
    unknown counts as the farthest known training value.

    Cost of `predict`: O(m n_pairs C), or O(m (n log n + n G)) for all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import DissimilarityVoteClassifier
    >>> points = np.array([0.0, 1, 2, 9, 10, 11])[:, None]
    >>> D, y = abs(points - points.T), [0, 0, 0, 1, 1, 1]
    >>> model = DissimilarityVoteClassifier(n_pairs=None).fit(D, y)
    >>> model.predict_proba([[3.0, 2.0, 1.0, 1.5, 2.5, 3.5]]).round(2)
    array([[0.65, 0.35]])
    """

    _path = ("n_pairs",)
    _asks_only = True

    def __init__(
        self,
        n_pairs=1000,
        *,
        kind=None,
        calibration="temperature",
        costs=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_pairs = n_pairs
        self.kind = kind
        self.calibration = calibration
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_path(self, block, codes, candidates):
        wanted = [self._wanted(c) for c in candidates]
        n_pairs = max((n for n in wanted if n is not None), default=0)
        self.codes_ = codes
        self.large_is_near_ = block.large_is_near
        self.farthest_ = farthest_known(block)
        # Row by row, so that the first pairs are the same however many are drawn.
        classes = class_pairs(len(self.classes_))
        uniforms = self._generator().random((n_pairs, *classes.shape))
        sizes = np.bincount(codes)
        starts = np.cumsum(sizes) - sizes
        places = starts[classes] + np.floor(uniforms * sizes[classes]).astype(np.intp)
        pairs = np.argsort(codes, kind="stable")[places]
        self._keep_pairs(pairs, np.full(pairs.shape[:-1], True))
        if None in wanted:
            self.prototypes_ = np.arange(len(codes))
            self.places_ = self.pairs_

    def _wanted(self, candidate):
        n_pairs = candidate.get("n_pairs", self.n_pairs)
        return None if n_pairs is None else require_integer("n_pairs", n_pairs)

    def _path_scores(self, block, rows, candidates, skip_self=False):
        wanted = [self._wanted(c) for c in candidates]
        entries = self._entries(block, rows)
        stops = np.unique([n for n in wanted if n is not None]).astype(np.intp)
        near, n_classes = self.large_is_near_, len(self.classes_)
        drawn = drawn_shares(entries, self.places_, stops, large_is_near=near)
        shares = {int(n): part for n, part in zip(stops, drawn, strict=True)}
        if None in wanted:
            shares[None] = all_shares(entries, self.codes_, n_classes, large_is_near=near)
        return np.stack([scores_of_shares(shares[n], n_classes) for n in wanted])

    def _row_bytes(self, data):
        n_classes, candidates = len(self.classes_), self._candidates
        cells = (1 + len(candidates)) * n_classes**2
        return super()._row_bytes(data) + 8 * (4 * len(self.prototypes_) + 2 * cells)
