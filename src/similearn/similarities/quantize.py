"""Any similarity, rounded to a few levels."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from similearn.data.checks import require_random_state
from similearn.errors import InputError
from similearn.similarities.shell.evaluate import evaluate_square
from similearn.similarities.shell.registering import get_similarity, register
from similearn.similarities.shell.similarity import Similarity


@register("quantized")
class Quantized(Similarity):
    """Another similarity, quantized to L levels: "similar, average, dissimilar".

    Parameters
    ----------
    base : str or Similarity, default="euclidean"
        What is quantized; a name or a similarity with its own parameters.
    n_levels : int, default=3
        L; values become 0 … L - 1, in the base's order.
    spacing : {"uniform", "quantile"}, default="uniform"
        Levels of equal width between the smallest and the largest value among the training
        objects, or levels with equally many training pairs in each.
    n_objects : int, default=1000
        Thresholds are found from all pairs of at most so many training objects, drawn at
        random.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    base_ : the base, fitted
    thresholds_ : (L - 1,), rising; a value equal to a threshold is above it

    Notes
    -----
    DBoost §4, figure 2, where Euclidean distances are quantized to 3 … 15 levels; the paper
    does not say how, equal widths are the plainest reading. Pairs of an object with itself
    take no part in finding thresholds. Costs what the base costs.

    Examples
    --------
    >>> from similearn.similarities import Quantized
    >>> rows = [[0.0], [1.0], [5.0], [9.0]]
    >>> Quantized(n_levels=3).fit(rows).matrix(rows[:1], rows)
    array([[0., 0., 1., 2.]])
    """

    needs_fit = True

    def __init__(
        self,
        base: Any = "euclidean",
        *,
        n_levels: int = 3,
        spacing: str = "uniform",
        n_objects: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.base = base
        self.n_levels = n_levels
        self.spacing = spacing
        self.n_objects = n_objects
        self.random_state = random_state

    def fit(self, objects: Any, y: Any = None) -> "Quantized":
        """Fit the base, and find the thresholds from the pairs of training objects."""
        self._check_parameters()
        self.base_ = get_similarity(self.base).fit(objects, y)
        n = objects.shape[0] if hasattr(objects, "shape") else len(objects)
        if n < 2:
            raise InputError(f"Quantizing needs pairs of training objects; got {n} object(s).")
        chosen = np.arange(n)
        if n > self.n_objects:
            random = require_random_state(self.random_state)
            chosen = np.sort(random.choice(n, self.n_objects, replace=False))
        square = evaluate_square(self.base_, _taken(objects, chosen), show=False)
        values = square[~np.eye(len(square), dtype=bool)]
        shares = np.arange(1, self.n_levels) / self.n_levels
        if self.spacing == "uniform":
            low, high = values.min(), values.max()
            self.thresholds_ = low + shares * (high - low)
        else:
            self.thresholds_ = np.quantile(values, shares)
        return self

    def __call__(self, a: Any, b: Any) -> float:
        """Return the level of ψ(a, b)."""
        check_is_fitted(self)
        return float(self._levels(self.base_(a, b)))

    def prepare(self, objects: Any) -> Any:
        """Return what the base compares of each object."""
        check_is_fitted(self)
        return self.base_.prepare(objects)

    def matrix(self, A: Any, B: Any) -> np.ndarray:
        """Return the levels of all pairs (m, n)."""
        check_is_fitted(self)
        return self._levels(self.base_.matrix(A, B))

    def self_values(self, A: Any) -> np.ndarray:
        """Return the levels of ψ(a, a)."""
        check_is_fitted(self)
        return self._levels(self.base_.self_values(A))

    def _levels(self, values: Any) -> np.ndarray:
        return np.searchsorted(self.thresholds_, values, side="right").astype(np.float64)

    def _check_parameters(self) -> None:
        for name, least in (("n_levels", 2), ("n_objects", 2)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name}={value!r}; expected an integer of at least {least}.")
        if self.spacing not in ("uniform", "quantile"):
            raise InputError(f"spacing={self.spacing!r}; expected 'uniform' or 'quantile'.")

    @property
    def _declared(self) -> Similarity:
        """The base, for what it says of itself; it need not be fitted."""
        return self.base if isinstance(self.base, Similarity) else get_similarity(self.base)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Zero to L - 1."""
        return (0.0, float(self.n_levels - 1))

    @property
    def has_matrix(self) -> bool:
        """Whether the base compares all pairs at once."""
        return self._declared.has_matrix

    @property
    def kind(self) -> Any:  # type: ignore[override]
        """Whether large or small is near, as the base says."""
        return self._declared.kind

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether the base is symmetric."""
        return self._declared.symmetric

    @property
    def learned(self) -> bool:  # type: ignore[override]
        """Whether the base learns from labels."""
        return self._declared.learned

    @property
    def accepts(self) -> str:  # type: ignore[override]
        """What the base compares."""
        return self._declared.accepts

    @property
    def releases_lock(self) -> bool:  # type: ignore[override]
        """Whether threads can share the base's work."""
        return self._declared.releases_lock


def _taken(objects: Any, positions: np.ndarray) -> Any:
    return objects[positions] if hasattr(objects, "shape") else [objects[i] for i in positions]
