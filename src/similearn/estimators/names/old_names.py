"""Old public names, which keep working for two releases and say what to write instead."""

import warnings
from functools import wraps

from similearn.errors import InputTypeError, RenamedWarning

SINCE, REMOVED = "0.1", "0.3"


def renamed(*, parameters=None, attributes=None):
    """Class decorator: old names of parameters and fitted attributes keep working.

    Parameters
    ----------
    parameters : dict of old names to new ones
        An old name is understood by the constructor, `set_params` and as an attribute;
        `get_params` and `clone` know the new name alone.
    attributes : dict of old names to new ones, or to (new name, function of the estimator)
        The function gives the old value where its shape was another.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.base import BaseEstimator
    >>> from similearn.estimators.names.old_names import renamed
    >>> @renamed(parameters={"n_rounds": "n_estimators"})
    ... class Booster(BaseEstimator):
    ...     def __init__(self, n_estimators=200):
    ...         self.n_estimators = n_estimators
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     Booster(n_rounds=5)
    Booster(n_estimators=5)
    >>> print(told[0].message)
    Booster: n_rounds was renamed to n_estimators in 0.1 and will be removed in 0.3.
    """

    def decorate(cls):
        for old, new in (attributes or {}).items():
            name, get = new if isinstance(new, tuple) else (new, None)
            setattr(cls, old, _attribute(cls.__name__, old, name, get))
        if parameters:
            _rename_parameters(cls, parameters)
        return cls

    return decorate


def renamed_function(old, function):
    """Return a function of the old name, which warns and calls the new one."""

    @wraps(function)
    def alias(*args, **kwargs):
        _warn("similearn", old, function.__name__, stacklevel=3)
        return function(*args, **kwargs)

    alias.__name__ = alias.__qualname__ = old
    alias.__doc__ = f"Old name of `{function.__name__}`, which will be removed in {REMOVED}."
    return alias


def _rename_parameters(cls, parameters):
    init, set_params = cls.__init__, cls.set_params

    @wraps(init)
    def __init__(self, *args, **kwargs):
        init(self, *args, **_translated(cls.__name__, kwargs, parameters))

    @wraps(set_params)
    def translating_set_params(self, **params):
        return set_params(self, **_translated(cls.__name__, params, parameters))

    cls.__init__, cls.set_params = __init__, translating_set_params
    for old, new in parameters.items():
        setattr(cls, old, _attribute(cls.__name__, old, new, None, settable=True))


def _translated(owner, given, names):
    for old in [name for name in given if name in names]:
        new = names[old]
        if new in given:
            raise InputTypeError(
                f"{owner} got both {new} and its old name {old}; pass {new} alone."
            )
        _warn(owner, old, new, stacklevel=4)
        given = {(new if name == old else name): value for name, value in given.items()}
    return given


def _attribute(owner, old, new, get, *, settable=False):
    def read(self):
        value = getattr(self, new) if get is None else get(self)
        _warn(owner, old, new, stacklevel=3)
        return value

    def write(self, value):
        _warn(owner, old, new, stacklevel=3)
        setattr(self, new, value)

    doc = f"Old name of `{new}`, which will be removed in {REMOVED}."
    return property(read, write if settable else None, doc=doc)


def _warn(owner, old, new, *, stacklevel):
    warnings.warn(
        f"{owner}: {old} was renamed to {new} in {SINCE} and will be removed in {REMOVED}.",
        RenamedWarning,
        stacklevel=stacklevel,
    )
