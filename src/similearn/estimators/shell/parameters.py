"""Constructor parameters: checks, made at fit as scikit-learn asks, and texts that are shared.

A docstring names a shared parameter and its type, and leaves the rest to a line that holds
nothing but the name of a text in braces::

    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
"""

import functools
import inspect
import re
from collections.abc import Mapping

import numpy as np

from similearn.data.checks import is_number, number_array, require_flag, require_integer
from similearn.data.checks import require_choice as require_choice
from similearn.errors import InputError, InputTypeError
from similearn.estimators.names.attributes import with_attributes


def require_flags(estimator):
    """Refuse values of parameters that are true or false by default, and cannot be either."""
    for name in _flags(type(estimator)):
        require_flag(name, getattr(estimator, name))


@functools.cache
def _flags(kind):
    """Names of parameters of a class that are true or false by default."""
    parameters = inspect.signature(kind).parameters.items()
    return tuple(name for name, one in parameters if isinstance(one.default, bool))


def require_neighbors(n_neighbors, n_training):
    """Return the size of a neighbourhood if the training samples suffice for it."""
    return require_integer(
        "n_neighbors", n_neighbors, high=n_training, high_means="number of training samples"
    )


def require_positive(name, value, *, zero=False):
    """Return the value if it is a finite positive number (or zero where allowed)."""
    if not is_number(value):
        raise InputTypeError(f"{name}={value!r} must be a number, got {type(value).__name__}.")
    least = "at least 0" if zero else "greater than 0"
    try:
        number = float(value)
    except OverflowError:  # an integer that Python may refuse to print
        raise InputError(
            f"{name} is an integer beyond 1e308; expected a finite number {least}."
        ) from None
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        raise InputError(f"{name}={value} is out of range; expected a finite number {least}.")
    return number


def require_list(name, values):
    """Return the values of a parameter that is a list of at least one."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise InputTypeError(f"{name} is of type {type(values).__name__}; expected a list.")
    try:
        listed = list(values)
    except TypeError as error:  # such as of an array without dimensions
        raise InputTypeError(f"{name} cannot be listed ({error}); expected a list.") from None
    if not listed:
        raise InputError(f"{name} is empty; expected at least one value.")
    return listed


def require_costs(costs, classes, shares=None):
    """Return costs as a float matrix C(f, g), one row and column for each class.

    Parameters
    ----------
    costs : such a matrix; a dict of pairs (decided, true) to costs, where other mistakes cost
        one; or "balanced", where missing a class costs as much as the class is rare
    classes : (n_classes,) labels
    shares : (n_classes,) of the classes, for "balanced"
    """
    n = len(classes)
    if isinstance(costs, str):
        return _balanced_costs(costs, n, shares)
    if isinstance(costs, Mapping):
        return _costs_of_pairs(costs, classes)
    matrix = number_array("costs", costs, f"({n}, {n}) numbers, or None")
    if matrix.shape != (n, n):
        raise InputError(
            f"costs has shape {matrix.shape}; expected ({n}, {n}): costs[f, g] is the cost of "
            "deciding class f where g is true, in the order of classes_."
        )
    if not np.isfinite(matrix).all():
        raise InputError("costs holds NaN or infinite entries; use a large finite cost instead.")
    return matrix


def _balanced_costs(word, n, shares):
    """C(f, g) = 1 / (G P(g)): the expected cost is then the error averaged over classes."""
    if word != "balanced":
        raise InputError(
            f"costs={word!r} is unknown; expected 'balanced', a ({n}, {n}) matrix, or a dict of "
            "pairs (decided, true) to costs."
        )
    if shares is None:
        raise InputError(
            "costs='balanced' weighs probabilities by the shares of the classes, which are known "
            "with calibration='temperature' only."
        )
    rarity = np.divide(1.0, n * shares, out=np.zeros(n), where=shares > 0)
    return np.where(np.eye(n, dtype=bool), 0.0, rarity)


def _costs_of_pairs(costs, classes):
    place = {label: i for i, label in enumerate(classes.tolist())}
    matrix = 1.0 - np.eye(len(classes))
    for pair, cost in costs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(
                f"costs has the key {pair!r}; expected a pair of labels, (decided, true)."
            )
        unknown = [label for label in pair if label not in place]
        if unknown:
            known = ", ".join(map(repr, list(place)[:8]))
            raise InputError(f"costs names {unknown[0]!r}, which is no class; there are {known}.")
        matrix[place[pair[0]], place[pair[1]]] = require_number("a cost", cost)
    return matrix


def require_number(name, value):
    """Return the value if it is a finite number."""
    if not is_number(value):
        raise InputTypeError(f"{name} is {value!r}; expected a number.")
    try:
        number = float(value)
    except OverflowError:  # an integer that Python may refuse to print
        number = np.inf
    if not np.isfinite(number):
        raise InputError(f"{name} is beyond 1e308, or NaN; use a large finite number instead.")
    return number


def require_priors(priors, classes):
    """Return priors as probabilities of the classes, normalized to sum to one."""
    if isinstance(priors, str):
        raise InputError(f"priors={priors!r} is unknown; expected None or one number per class.")
    array = number_array("priors", priors, "one number per class, or None")
    if array.shape != (len(classes),):
        raise InputError(
            f"priors has shape {array.shape}; expected one probability for each of "
            f"{len(classes)} classes, in the order of classes_."
        )
    if not (np.isfinite(array) & (array >= 0)).all() or not array.any():
        raise InputError("priors must be finite, at least 0, and not all 0.")
    shares = array / array.max()  # of the largest, as a sum may overflow
    return shares / shares.sum()


TEXTS = {
    "calibration": """\
How scores become probabilities. "temperature" learns two numbers from samples that the
scores were not learned from: P = (1 - e) softmax(a z) + e · class shares, where z are
log-scores, or logarithms of shares of votes. Methods of neighbours score up to 1000 training
samples without themselves; others are fitted to two thirds of the samples, three times, so
that `fit` takes about three times as long. With "none" probabilities are those of the method
alone; machines, which have no such, then give none. `predict` is the same with both.""",
    "class_weight": """\
How much the samples of each class count; "balanced" makes all classes weigh alike, a dict names
classes that do not count one. As the ``sample_weight`` of `fit`, by which it is multiplied, it
moves decisions and probabilities to where the classes had these shares.""",
    "costs": """\
``costs[f, g]`` is the cost of deciding class f where g is true, in the order of
``classes_``; `predict` then minimizes the expected cost (JMLR eq. 18). A dict of pairs
``(decided, true)`` to costs names only mistakes that do not cost one. "balanced" makes
missing a class cost the more, the rarer it is: the error averaged over classes is minimized.""",
    "kind": """\
What a plain matrix holds; by default its diagonal tells, as samples are near to themselves.
A `Pairwise` says so itself, and must agree.""",
    "n_jobs": """\
Number of threads, with joblib's meaning: None is one, -1 is all cores. The result does
not depend on it.""",
    "drawn": 'What it was drawn in last; ``figure_.savefig("name.pdf")`` writes it.',
    "random_state": "Seed of what is drawn at random; None draws anew in every `fit`.",
}
_PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)


def fill_in(docstring):
    """Return a docstring with every line ``{name}`` replaced by the text of that name.

    Examples
    --------
    >>> from similearn.estimators.shell.parameters import fill_in
    >>> print(fill_in("kind : str" + chr(10) + "    {kind}"))
    kind : str
        What a plain matrix holds; by default its diagonal tells, as samples are near to themselves.
        A `Pairwise` says so itself, and must agree.
    """

    def text(place):
        indent, name = place.groups()
        return "\n".join(indent + line for line in TEXTS[name].splitlines())

    return _PLACE.sub(text, docstring)


class SharedDocs:
    """Mixin: docstrings of subclasses are filled in when the class is made.

    A class names the fitted attributes that it sets in ``_sets``, for all that stand on it.
    """

    _sets: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__doc__ is not None:  # python -OO drops docstrings
            sets = [name for base in cls.__mro__ for name in vars(base).get("_sets", ())]
            cls.__doc__ = with_attributes(fill_in(cls.__doc__), dict.fromkeys(sets))

    @classmethod
    def _get_param_names(cls):
        """Names of parameters, read once: scikit-learn asks at every copy and every change."""
        if "_names_of_parameters" not in vars(cls):
            cls._names_of_parameters = tuple(super()._get_param_names())
        return list(cls._names_of_parameters)
