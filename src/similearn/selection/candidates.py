"""What a search is given: samples and candidates, checked, and grouped by the fit they share."""

from numbers import Integral, Number

from scipy import sparse
from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.validation import _check_method_params

from similearn.data.checks import as_labels
from similearn.data.values import as_values
from similearn.errors import InputError, InputIndexError, InputTypeError


def checked_candidates(estimator, grid):
    """All candidates of a grid, in the order of scikit-learn.

    Returns
    -------
    list of dicts of parameters that `estimator` has
    """
    from sklearn.model_selection import ParameterGrid

    if isinstance(estimator, type):
        name = estimator.__name__
        raise InputTypeError(f"estimator is the class {name}; expected an estimator: {name}().")
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


def checked_samples(search, X, y, params):
    """Samples, labels and metadata that fit each other; the search's own parameters, too."""
    try:
        search._validate_params()
        labels = as_labels(y)
        X = as_values(X, "X") if sparse.issparse(X) else X
        # Scorers may look at the index of a series.
        X, y = indexable(X, y if hasattr(y, "iloc") else labels)
        return X, y, _check_method_params(X, params)
    except Exception as error:  # samples and labels may do what they like when they are read
        raise InputError(f"{error}" or type(error).__name__) from None


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


def chosen_place(refit, results):
    """Place of the candidate that a callable `refit` takes, as scikit-learn checks it."""
    place, n = refit(results), len(results["params"])
    if isinstance(place, Integral) and 0 <= place < n:
        return place
    raise (InputIndexError if isinstance(place, Integral) else InputTypeError)(
        f"refit returned {place!r}; expected an integer from 0 to {n - 1}, the place of a "
        "candidate in cv_results_."
    )


def with_few_samples(estimator, n):
    """Bound neighbourhoods and numbers of prototypes by the samples; returns the estimator."""
    larger = [
        name
        for name, value in estimator.get_params().items()
        if name.endswith(("n_neighbors", "n_prototypes")) and isinstance(value, int) and value > n
    ]
    return estimator.set_params(**dict.fromkeys(larger, n))


def seeded(estimator, seed):
    """Set every ``random_state`` that an estimator leaves open; returns the estimator."""
    parameters = estimator.get_params()
    names = [n for n, v in parameters.items() if n.endswith("random_state") and v is None]
    return estimator.set_params(**dict.fromkeys(names, seed))
