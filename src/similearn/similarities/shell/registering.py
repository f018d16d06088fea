"""One registry of similarities: a name for each, found again by `get_similarity`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from similearn.data.checks import require_kind
from similearn.errors import InputError, InputTypeError
from similearn.similarities.shell.named_parameters import read_parameters
from similearn.similarities.shell.other_names import near_names, plain_name
from similearn.similarities.shell.similarity import (
    UNBOUNDED,
    FunctionSimilarity,
    Similarity,
)

Thing = TypeVar("Thing", bound=Callable[..., Any])

registry: dict[str, Similarity] = {}


def register(
    name: str,
    *,
    kind: Any = None,
    symmetric: bool | None = None,
    range: tuple[float, float] = UNBOUNDED,
    requires: tuple[str, str] | None = None,
    accepts: str = "objects",
) -> Callable[[Thing], Thing]:
    """Return a decorator that registers a `Similarity` class or a plain function of two objects.

    A class declares its kind, symmetry and so on itself; for a function they are given
    here. What is decorated is returned unchanged.

    Parameters
    ----------
    name : str
        By which `get_similarity`, ``similarity=`` and ``--similarity`` find it.
    kind, symmetric, range, requires, accepts : of a function, see `FunctionSimilarity`

    Returns
    -------
    callable, the decorator

    Examples
    --------
    >>> from similearn.similarities import get_similarity, register, registry
    >>> @register("same_initial", kind="similarity", symmetric=True, range=(0, 1))
    ... def same_initial(a, b):
    ...     return float(a[:1] == b[:1])
    >>> get_similarity("same_initial")("plum", "pear")
    1.0
    >>> del registry["same_initial"]
    """

    def enter(thing: Thing) -> Thing:
        if name in registry:
            raise InputError(f"The name {name!r} is taken by {registry[name]!r}; choose another.")
        if isinstance(thing, type):
            thing.name = name  # type: ignore[attr-defined]
            registry[name] = thing()
        else:
            declared = {"kind": kind, "symmetric": symmetric, "range": range, "name": name}
            _refuse_undeclared(name, kind, symmetric)
            registry[name] = FunctionSimilarity(
                thing, requires=requires, accepts=accepts, **declared
            )
        return thing

    return enter


def get_similarity(
    function: str | Similarity | Callable[[Any, Any], float],
    *,
    kind: Any = None,
    symmetric: bool | None = None,
    **parameters: Any,
) -> Similarity:
    """Return an unfitted `Similarity` from a name, an instance or a plain callable.

    Parameters
    ----------
    function : str, Similarity or callable
        A name in `similearn.similarities.registry` (with "-" for "_" if you like, and with
        parameters as `parse_similarity` reads them), a similarity (which is copied), or any
        function of two objects.
    kind, symmetric : needed for a plain callable, which cannot tell; otherwise they must
        agree with what the similarity declares.
    **parameters : set on the similarity, such as ``alpha=2``.

    Examples
    --------
    >>> from similearn.similarities import get_similarity
    >>> get_similarity("tversky_ratio", alpha=2.0)({"fly", "lay eggs"}, {"fly"})
    0.333...
    """
    if isinstance(function, str):
        name, colon, given = function.partition(":")
        found = clone(_by_name(name))
        if colon:
            found.set_params(**read_parameters(function, given, found))
    elif isinstance(function, Similarity):
        found = clone(function)
    elif callable(function) and not isinstance(function, type):
        name = getattr(function, "__name__", type(function).__name__)
        _refuse_undeclared(name, kind, symmetric)
        found = FunctionSimilarity(function, kind=kind, symmetric=symmetric, name=name)  # type: ignore[arg-type]
    else:
        hint = f" Did you mean {function.__name__}()?" if isinstance(function, type) else ""
        raise InputTypeError(
            f"function is {function!r}; expected a name, a Similarity or a function of two "
            f"objects.{hint}"
        )
    _refuse_contradiction(found, kind, symmetric)
    found.set_params(**parameters)
    found.check_installed()
    return found


def known_similarities() -> dict[str, Similarity]:
    """The registry, with ours in it: they are imported when the first name is looked up."""
    import_module("similearn.similarities.catalogue")
    return registry


def _by_name(name: str) -> Similarity:
    known = name if name in known_similarities() else plain_name(name)
    if known in registry:
        return registry[known]
    near = near_names(name, registry)
    told = f"Known: {', '.join(sorted(registry))}."
    if near:  # the whole list would bury the answer
        told = f"Did you mean {' or '.join(map(repr, near))}?"
    raise InputError(
        f"No similarity is named {name!r}. {told} Any function of two objects can be passed "
        "instead."
    )


def _refuse_undeclared(name: str, kind: Any, symmetric: Any) -> None:
    """A plain function cannot say what near means or whether order matters; nothing is guessed."""
    if kind is None:
        raise InputError(
            f"{name} is a plain function, so its kind is unknown; say kind='similarity' (large "
            "is near) or kind='dissimilarity' (small is near)."
        )
    require_kind(kind)
    _check_symmetric(symmetric)
    if symmetric is None:
        raise InputError(
            f"{name} is a plain function; say symmetric=True if {name}(a, b) equals {name}(b, a) "
            "for all pairs (then each pair is evaluated once), else symmetric=False."
        )


def _check_symmetric(symmetric: Any) -> None:
    if symmetric is not None and not isinstance(symmetric, bool | np.bool_):
        raise InputTypeError(
            f"symmetric={symmetric!r} must be True, False or None, got {type(symmetric).__name__}."
        )


def _refuse_contradiction(found: Similarity, kind: Any, symmetric: Any) -> None:
    if kind is not None:
        require_kind(kind)
    _check_symmetric(symmetric)
    if kind is not None and kind != found.kind:
        raise InputError(
            f"{found.name or found!r} is a {found.kind}, but kind={kind!r} was given; leave kind "
            "out, and convert the block afterwards if you need the other kind."
        )
    if symmetric is not None and bool(symmetric) != bool(found.symmetric):
        told = "symmetric" if found.symmetric else "asymmetric"
        raise InputError(
            f"{found.name or found!r} is {told}, but symmetric={symmetric!r} was given; leave "
            "symmetric out."
        )
