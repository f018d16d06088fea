"""Candidates of a grid: checked, grouped by the fit that they share, the simplest of the best."""

from numbers import Number, Real

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from similearn.errors import InputError, InputTypeError


def checked_candidates(estimator, grid):
    """All candidates of a grid, in the order of scikit-learn.

    Returns
    -------
    list of dicts of parameters that `estimator` has
    """
    try:
        candidates = list(ParameterGrid(grid))
    except TypeError as error:
        raise InputTypeError(f"param_grid cannot be used: {error}") from None
    except ValueError as error:
        raise InputError(f"param_grid cannot be used: {error}") from None
    if not candidates:
        raise InputError(
            f"param_grid={grid!r} holds no candidate; expected a dict of parameter names to lists "
            "of values, or a list of such dicts. Pass {} to score the estimator as it is."
        )
    for candidate in {tuple(c): c for c in candidates if c}.values():
        try:
            clone(estimator).set_params(**clone(candidate, safe=False))
        except (
            ValueError,
            AttributeError,
            TypeError,
        ) as error:
            raise InputError(f"param_grid cannot be used: {error}") from None
    return candidates


def grouped_by_fit(candidates, path):
    """Positions of candidates that differ in ``path`` parameters only, so share a fit.

    Returns
    -------
    list of (fixed parameters, positions)
    """
    groups = {}
    for position, candidate in enumerate(candidates):
        fixed = {name: value for name, value in candidate.items() if name not in path}
        key = tuple((name, _identity(value)) for name, value in sorted(fixed.items()))
        groups.setdefault(key, (fixed, []))[1].append(position)
    return list(groups.values())


def _identity(value):
    """Plain values are equal by value; others, such as arrays and estimators, if the same."""
    plain = value is None or isinstance(value, str | Number)
    return (type(value), value if plain else id(value))


def simplest_of_best(means, candidates, simpler, defaults=()):
    """Position of the highest mean; a tie goes to the simplest model, then to the first.

    Parameters
    ----------
    means : (n_candidates,), NaN where a candidate failed
    candidates : list of dicts
    simpler : names of parameters, the most important first: a larger value makes a
        simpler model, or a smaller one where the name begins with a minus
    defaults : mapping of names to the values that a candidate has where it names none
    """
    best = np.nanmax(means)
    tied = np.flatnonzero((means == best) | np.isclose(means, best, rtol=0, atol=1e-12))
    defaults = dict(defaults)

    def complexity(position):
        own = defaults | candidates[position]
        return tuple(_cost(own, name) for name in simpler)

    return int(min(tied, key=lambda position: (complexity(position), position)))


def _cost(parameters, name):
    """What is no number, such as None, has no place in the order and comes last."""
    value = parameters.get(name.removeprefix("-"))
    if not isinstance(value, Real) or np.isnan(value):
        return np.inf
    return value if name.startswith("-") else -value
