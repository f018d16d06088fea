"""The rounds of DBoost: draw pairs, find the best cuts, vote, weigh again."""

from dataclasses import dataclass

import numpy as np

from similearn.data.chunks import map_chunks
from similearn.numerics.pairs.boosting import (
    class_scores,
    different_pairs,
    draw_pairs,
    label_weights,
    leaf_votes,
    log_probabilities,
    marked_labels,
    n_labels,
    uncut_loss,
)
from similearn.numerics.pairs.stump_trees import leaves
from similearn.numerics.pairs.stumps import best_cut, best_sign, threshold

_WORTH_THREADS = 2_000_000
"""Numbers that a search must look at before threads pay."""


@dataclass
class Rounds:
    """What boosting learned, round by round.

    Parameters
    ----------
    pairs : list of (q, 2), the prototypes of each node, positions among the samples
    thresholds : list of (q,), infinite where a node is not cut
    votes : list of (q + 1, K) of each leaf
    losses : exponential loss of the learning samples after each round
    held_out_losses : log-loss of the validation samples after each round
    """

    pairs: list
    thresholds: list
    votes: list
    losses: list
    held_out_losses: list


@dataclass(frozen=True)
class Search:
    """How each round looks for its base classifier; see `DBoostClassifier`."""

    n_pairs: int
    depth: int
    signs: bool
    max_prototypes: int | None
    patience: int | None
    n_jobs: int | None


class Booster:
    """Real AdaBoost.MH over pair stumps or trees of them.

    Parameters
    ----------
    D : (p, n) entries; row a holds those of all samples with reference a
    references : (p,) positions of the references among the samples; pairs are drawn among them
    far : `similearn.numerics.pairs.far.Farness`
    codes : (n,) classes
    learning, held_out : positions of the samples to learn from and to watch
    search : Search
    rng : numpy Generator; the only source of randomness, used here and not in threads
    weights : (n,) of the samples before the first round; None for equal ones
    """

    def __init__(self, D, references, far, codes, learning, held_out, search, rng, weights=None):
        self.D, self.far, self.codes = D, far, codes
        self.row_of = np.full(len(codes), -1, dtype=np.intp)
        self.row_of[references] = np.arange(len(references))
        self.learning, self.held_out = learning, held_out
        self.search, self.rng = search, rng
        self.first = np.ones(len(codes)) if weights is None else weights
        n_classes = int(codes.max()) + 1
        self.marked = marked_labels(codes, n_classes)
        self.sums = np.zeros((len(codes), n_labels(n_classes)))
        self.smoothing = 1.0 / (len(learning) * self.sums.shape[1])
        self.prototypes = np.zeros(0, dtype=np.intp)

    def run(self, n_rounds):
        """Boost for so many rounds, or until the held-out loss stops falling."""
        rounds = Rounds([], [], [], [], [])
        weights, _ = self._weights()
        for _ in range(n_rounds):
            pairs, thresholds = self._grow(weights)
            reached = leaves(self.D, self.far, self.row_of[pairs], thresholds)
            votes = self._votes(weights, reached, len(thresholds) + 1)
            self.sums += votes[reached]
            weights, loss = self._weights()
            rounds.pairs.append(pairs)
            rounds.thresholds.append(thresholds)
            rounds.votes.append(votes)
            rounds.losses.append(loss)
            if len(self.held_out):
                rounds.held_out_losses.append(self._held_out_loss())
                if _stalled(rounds.held_out_losses, self.search.patience):
                    break
        return rounds

    def _weights(self):
        """Weights of all samples, (n, K): zero for those held out."""
        part = self.learning
        some, loss = label_weights(self.sums[part], self.marked[part], self.first[part])
        weights = np.zeros_like(self.sums)
        weights[part] = some
        return weights, loss

    def _votes(self, weights, reached, n_leaves):
        some = self.learning
        return leaf_votes(weights[some], self.marked[some], reached[some], n_leaves, self.smoothing)

    def _grow(self, weights):
        """One base classifier: nodes (q, 2) and thresholds (q,), parents before children."""
        n_nodes = 2**self.search.depth - 1
        pairs = np.zeros((n_nodes, 2), dtype=np.intp)
        thresholds = np.full(n_nodes, np.inf)
        members = {0: self.learning}
        for node in range(n_nodes):
            inside = members.pop(node, None)
            found = None if inside is None else self._split(inside, weights)
            if found is None:
                continue
            pairs[node], thresholds[node] = found
            cut = self.row_of[pairs[node : node + 1]], thresholds[node : node + 1]
            near = leaves(self.D, self.far, *cut)
            members[2 * node + 1] = inside[near[inside] == 0]
            members[2 * node + 2] = inside[near[inside] == 1]
        return pairs, thresholds

    def _split(self, members, weights):
        """The best pair and threshold for some samples, or None where no cut helps."""
        limit = self.search.max_prototypes
        closed = limit is not None and len(self.prototypes) >= limit  # Strategy II
        pool = self.prototypes if closed else members[self.row_of[members] >= 0]
        if np.ptp(self.codes[members]) == 0 or len(np.unique(self.codes[pool])) < 2:
            return None
        uniforms = self.rng.random((self.search.n_pairs, 2))
        drawn = draw_pairs(uniforms, weights[pool].sum(axis=1), self.codes[pool])
        pairs = different_pairs(pool[drawn])
        mine, marked = weights[members], self.marked[members]
        cut = self._best(pairs, members, mine, marked)
        if not cut.loss < uncut_loss(mine, marked):
            return None
        pair = pairs[cut.pair]
        self.prototypes = np.union1d(self.prototypes, pair)
        return pair, 0.0 if self.search.signs else threshold(cut)

    def _best(self, pairs, members, weights, marked):
        find = best_sign if self.search.signs else best_cut
        rows = self.row_of[pairs]
        if self.search.n_jobs is None or weights.size * len(pairs) < _WORTH_THREADS:
            return find(self.D, self.far, rows, members, weights, marked)

        def search(some):
            cut = find(self.D, self.far, rows[some], members, weights, marked)
            return cut._replace(pair=some.start + cut.pair)

        cuts = map_chunks(search, len(pairs), row_bytes=64, n_jobs=self.search.n_jobs)
        return min(cuts, key=lambda cut: cut.loss)  # the first of equals, as in one search

    def _held_out_loss(self):
        logs = log_probabilities(class_scores(self.sums[self.held_out]))
        own = logs[np.arange(len(logs)), self.codes[self.held_out]]
        return -float(np.average(own, weights=self.first[self.held_out]))


def best_round(losses, n_rounds):
    """How many rounds, at most `n_rounds`, have the least held-out loss."""
    return int(np.argmin(losses[:n_rounds])) + 1


def _stalled(losses, patience):
    return len(losses) - best_round(losses, None) >= patience
