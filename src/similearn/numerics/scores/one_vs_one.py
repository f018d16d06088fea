"""One against one: from the decisions of two-class machines to scores of all classes.

The pairs of G classes come in the order (0, 1), (0, 2), ..., (G - 2, G - 1); a positive
decision of the pair (g, h) favours h, so that with two classes it is the usual sign.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

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
    votes, sums = np.zeros((2, len(decisions), n_classes))
    for decision, (g, h) in zip(decisions.T, class_pairs(n_classes), strict=True):
        won = decision > 0.0
        votes[:, h] += won
        votes[:, g] += ~won
        sums[:, h] += decision
        sums[:, g] -= decision
    return with_sums(votes, sums)


def coupled_scores(decisions: Floats, n_classes: int) -> Floats:
    """Scores (m, G) as logarithms of the product of what every pair of a class says for it.

    The pair (g, h) with the decision f says h with the probability 1 / (1 + exp(-2 f)): the
    logistic function that is nearest to the hinge loss. Votes throw away how sure a pair is, and
    with more than two classes a temperature cannot bring that back. With two classes the scores
    are in the order of the decision. Cost O(m G²).
    """
    doubled = 2.0 * decisions
    unsure = np.log1p(np.exp(-np.abs(doubled)))  # log(1 + exp(x)) = max(x, 0) + this, either way
    against = np.concatenate(
        [np.maximum(doubled, 0.0) + unsure, np.maximum(-doubled, 0.0) + unsure], axis=1
    )
    scores = np.zeros((len(decisions), n_classes))
    for columns in _pairs_of_classes(n_classes):
        scores -= against[:, columns]
    return scores


@cache
def _pairs_of_classes(n_classes: int) -> Indices:
    """(G - 1, G): for each class the places of its pairs, in their order.

    A place is that of the pair where the class is the first of it, and beyond all pairs where it
    is the second.
    """
    pairs = class_pairs(n_classes)
    first, second = pairs.T
    places = np.empty((n_classes - 1, n_classes), dtype=np.intp)
    places[second - 1, first] = np.arange(len(pairs))
    places[first, second] = np.arange(len(pairs)) + len(pairs)
    return places


def with_sums(votes: Floats, sums: Floats) -> Floats:
    """Scores (..., G) from votes and summed decisions: with two classes half of the latter."""
    if votes.shape[-1] == 2:
        return sums / 2
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))
