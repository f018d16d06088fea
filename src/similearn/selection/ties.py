"""Which of several candidates with the same mean score is taken."""

import sys
from numbers import Real

import numpy as np
from sklearn.base import clone

from similearn.errors import gathered_warnings
from similearn.selection.paths import Path

SAME_SCORE = 1e-12
SAME_LOSS = 1e-9
"""Log-losses nearer than this, in nats, say the same of two candidates."""

LARGEST = sys.float_info.max


def simplest_of_best(means, candidates, simpler, defaults=(), losses_of=None):
    """Position of the highest mean; of several the lowest loss, the simplest model, the first.

    Parameters
    ----------
    means : (n_candidates,), NaN where a candidate failed
    candidates : list of dicts
    simpler : names of parameters, the most important first: a larger value makes a
        simpler model, or a smaller one where the name begins with a minus
    defaults : mapping of names to the values that a candidate has where it names none
    losses_of : called with the positions of the tied candidates, if there are several;
        returns their losses, NaN where one is unknown. Then simplicity alone decides.
    """
    best = np.nanmax(means)
    tied = np.flatnonzero((means == best) | np.isclose(means, best, rtol=0, atol=SAME_SCORE))
    if losses_of is not None and len(tied) > 1:
        losses = losses_of(tied)
        if np.isfinite(losses).all():
            tied = tied[losses <= losses.min() + SAME_LOSS]
    defaults = dict(defaults)

    def complexity(position):
        own = defaults | candidates[position]
        return tuple(_cost(own, name) for name in simpler)

    return int(min(tied, key=lambda position: (complexity(position), position)))


def _cost(parameters, name):
    """What is no number, such as None, has no place in the order and comes last."""
    value = parameters.get(name.removeprefix("-"))
    if not isinstance(value, Real):
        return np.inf
    try:
        value = float(value)
    except OverflowError:  # an integer of more than 308 digits
        value = LARGEST if value > 0 else -LARGEST
    if np.isnan(value):
        return np.inf
    return value if name.startswith("-") else -value


def held_out_losses(work, outcomes, X, y, tied):
    """Log-losses (len(tied),) of candidates on samples that they had not seen.

    Parameters
    ----------
    work : `similearn.selection.fold.FoldSearch`, how they were searched
    outcomes : list over the candidates of lists of `Outcome` over the folds
    X, y : all samples
    tied : positions of the candidates

    Returns
    -------
    Means over the folds. Where the folds did without probabilities, which are made by
    calibration, the losses of the calibration's own held-out samples, from one calibration
    with all data. NaN where there are no probabilities.
    """
    known = [[o.log_loss for o in outcomes[position]] for position in tied]
    if all(loss is not None for row in known for loss in row):
        return np.mean(known, axis=1)
    losses = np.full(len(outcomes), np.nan)
    with gathered_warnings([]):  # the folds have told the same
        for fixed, positions in work.groups:
            chosen = [position for position in positions if position in tied]
            if chosen:
                losses[chosen] = _calibration_losses(work, fixed, chosen, X, y)
    return losses[tied]


def _calibration_losses(work, fixed, positions, X, y):
    path = Path.of(clone(work.estimator).set_params(**clone(fixed, safe=False)))
    if path is None or not hasattr(path.last, "calibration_losses"):
        return np.nan
    try:
        return path.calibration_losses([work.candidates[p] for p in positions], X, y)
    except Exception:  # a tie is no reason to fail: the simplest is as good
        return np.nan
