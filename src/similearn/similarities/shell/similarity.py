"""`Similarity`: what every function of two objects says about itself."""

from collections.abc import Callable, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from similearn.errors import InputError, MissingExtraError, SimilearnError

UNBOUNDED = (-np.inf, np.inf)
_REFUSALS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Similarity(BaseEstimator):
    """Base of all similarities and dissimilarities of objects.

    A subclass gives ``__call__(a, b)`` for one pair, or ``matrix(A, B)`` for all pairs at
    once, or both; what it does not give is made from the other. Constructor parameters
    follow scikit-learn's rules, so they can be searched over.

    Attributes
    ----------
    name : str
        The name under which it is registered.
    kind : {"similarity", "dissimilarity"}
        Whether large or small values mean near.
    symmetric : bool
        Whether ψ(a, b) = ψ(b, a) for all pairs.
    range : (float, float)
        Bounds on the values.
    learned : bool
        Whether `fit` learns from labels.
    needs_fit : bool
        Whether `fit` learns anything at all, from labels or from the objects alone.
    accepts : {"numbers", "table", "objects"}
        What one object is: a row of numbers, a row of categories, or anything.
    requires : (str, str) or None
        A module that must be installed and the extra that brings it.
    releases_lock : bool
        Whether threads, rather than processes, can share the work.
    index_metric : str or None
        What usearch calls a metric of rows of numbers with the same order; None if it has none.

    Examples
    --------
    >>> from similearn.similarities import Similarity
    >>> class SameLength(Similarity):
    ...     kind, symmetric, range = "similarity", True, (0, 1)
    ...     def __call__(self, a, b):
    ...         return float(len(a) == len(b))
    >>> SameLength().matrix(["to", "be"], ["or", "not"])
    array([[1., 0.],
           [1., 0.]])
    """

    name: str = ""
    kind: Literal["similarity", "dissimilarity"] = "similarity"
    symmetric: bool = False
    range: tuple[float, float] = UNBOUNDED
    learned: ClassVar[bool] = False
    needs_fit: bool = False
    accepts: str = "objects"
    requires: tuple[str, str] | None = None
    releases_lock: bool = False
    index_metric: str | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        """Let libraries that ours call refuse parameters and objects in sentences of ours."""
        super().__init_subclass__(**options)
        if cls.__module__.startswith("similearn."):
            for name in ("fit", "prepare", "matrix", "self_values"):
                if name in vars(cls):
                    setattr(cls, name, _refusing(vars(cls)[name]))

    def fit(self, objects: Any, y: Any = None) -> "Similarity":
        """Learn from training objects and their labels; most similarities need nothing."""
        return self

    def prepare(self, objects: Any) -> Any:
        """Return what `matrix` takes in place of objects, computed once for all their pairs."""
        return objects

    def __call__(self, a: Any, b: Any) -> float:
        """Return ψ(a, b)."""
        return float(self.matrix([a], [b])[0, 0])

    def matrix(self, A: Sequence[Any], B: Sequence[Any]) -> np.ndarray:
        """Return ψ of every object of A (m) with every object of B (n), shape (m, n)."""
        return np.array([[self(a, b) for b in B] for a in A], dtype=np.float64)

    def self_values(self, A: Sequence[Any]) -> np.ndarray:
        """Return ψ(a, a) for every object of A, shape (m,)."""
        return np.array([self(a, a) for a in A], dtype=np.float64)

    @property
    def has_matrix(self) -> bool:
        """Whether `matrix` is quicker than a loop over pairs."""
        return type(self).matrix is not Similarity.matrix

    def check_installed(self) -> None:
        """Raise `MissingExtraError` if a module that is needed is not installed."""
        if self.requires is None or find_spec(self.requires[0]) is not None:
            return
        module, extra = self.requires
        raise MissingExtraError(
            f"The similarity {self.name!r} needs {module}, which is not installed. "
            f'Run: pip install "similearn[{extra}]"'
        )


class FunctionSimilarity(Similarity):
    """A plain function of two objects, with what must be known about it.

    Parameters
    ----------
    function : callable
        ``function(a, b)`` returns one finite number.
    kind : {"similarity", "dissimilarity"}
    symmetric : bool
    range : (float, float), optional
    name : str, optional
        By default the function's own name.
    requires : (module, extra), optional
    accepts : {"objects", "numbers", "table"}, optional

    Examples
    --------
    >>> from similearn.similarities import FunctionSimilarity
    >>> gap = FunctionSimilarity(lambda a, b: abs(a - b), kind="dissimilarity", symmetric=True)
    >>> gap(3, 5)
    2
    """

    def __init__(
        self,
        function: Callable[[Any, Any], float],
        *,
        kind: Literal["similarity", "dissimilarity"],
        symmetric: bool,
        range: tuple[float, float] = UNBOUNDED,
        name: str | None = None,
        requires: tuple[str, str] | None = None,
        accepts: str = "objects",
    ) -> None:
        self.function = function
        self.kind = kind
        self.symmetric = symmetric
        self.range = range
        self.name = name  # type: ignore[assignment]
        self.requires = requires
        self.accepts = accepts

    def __call__(self, a: Any, b: Any) -> float:
        """Return ψ(a, b)."""
        return self.function(a, b)

    @property
    def releases_lock(self) -> bool:  # type: ignore[override]
        """Whether the function was compiled so that threads can run it side by side."""
        return bool(getattr(self.function, "targetoptions", {}).get("nogil"))


def _refusing(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, whose foreign errors are an `InputError` that names similarity and reason."""

    @wraps(method)
    def guarded(self: Similarity, *arguments: Any, **options: Any) -> Any:
        try:
            return method(self, *arguments, **options)
        except (SimilearnError, NotFittedError):
            raise
        except _REFUSALS as error:
            told = " ".join(str(error).split()) or type(error).__name__
            raise InputError(
                f"{self!r} cannot compare these objects: {told.rstrip('.')}. Look at the objects, "
                "and at the parameters of the similarity."
            ) from error

    return guarded
