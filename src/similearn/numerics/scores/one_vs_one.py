"""One against one: from the decisions of two-class machines to scores of all classes.

The pairs of G classes come in the order (0, 1), (0, 2), ..., (G - 2, G - 1); a positive
decision of the pair (g, h) favours h, so that with two classes it is the usual sign.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def class_pairs(n_classes: int) -> Indices:
    """The pairs g < h of classes, (G (G - 1) / 2, 2), in their order."""
    return np.stack(np.triu_indices(n_classes, 1), axis=1)


def vote_scores(decisions: Floats, n_classes: int) -> Floats:
    """Scores (m, G) of the classes from the decisions (m, G (G - 1) / 2) of the pairs.

    Parameters
    ----------
    decisions : (m, G (G - 1) / 2)
    n_classes : G

    Returns
    -------
    (m, G). With two classes ∓ half the decision. With more, the number of pairs that a class
    wins plus its summed decisions, squashed into (-1/3, 1/3): votes decide, and the
    sums break ties.

    Notes
    -----
    A decision of exactly zero is a vote for the earlier class. Cost O(m G²).
    """
    if n_classes == 2:
        half = decisions[:, :1] / 2
        return np.hstack([-half, half])
    scores = np.zeros((len(decisions), n_classes))
    _count_votes(np.ascontiguousarray(decisions), scores)
    return scores


@compiled
def _count_votes(decisions, scores):  # type: ignore[no-untyped-def]
    n_classes = scores.shape[1]
    sums = np.empty(n_classes)
    for i in range(scores.shape[0]):
        sums[:] = 0.0
        pair = 0
        for g in range(n_classes):
            for h in range(g + 1, n_classes):
                add_decision(decisions[i, pair], g, h, scores[i], sums)
                pair += 1
        add_squashed(sums, scores[i])


@compiled
def add_decision(decision, g, h, votes, sums):  # type: ignore[no-untyped-def]
    """Count the decision of one pair: a vote for the winner, the value for both."""
    votes[h if decision > 0.0 else g] += 1.0
    sums[h] += decision
    sums[g] -= decision


@compiled
def add_squashed(sums, votes):  # type: ignore[no-untyped-def]
    """Add the summed decisions to the votes, squashed so that they only break ties."""
    for g in range(len(sums)):
        votes[g] += sums[g] / (3.0 * (abs(sums[g]) + 1.0))
