"""Tversky's contrast and ratio models of objects that are sets of features."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from similearn.errors import InputError
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity
from similearn.similarities.shell.registering import register
from similearn.similarities.shell.similarity import UNBOUNDED


class _FeatureSets(PreparedSimilarity):
    """What both models share: f of common and of distinctive features."""

    kind = "similarity"
    releases_lock = True
    alpha: float
    beta: float
    weights: Any

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether both objects' distinctive features weigh the same: α = β."""
        return bool(self.alpha == self.beta)

    def self_values(self, A: Any) -> np.ndarray:
        """Return ψ(a, a) for every object of A: only common features."""
        _, common = self.prepare(A).parts
        return self._combine(common, np.zeros_like(common), np.zeros_like(common))

    def _prepare(self, objects: Any) -> tuple[Any, np.ndarray]:
        self._check_parameters()
        features = _features_of(objects, self.weights)
        return features, features.rows @ features.weights

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (one, of_a), (other, of_b) = a.parts, b.parts
        common = one.common(other)  # f(A∩B)
        # f(A-B) = f(A) - f(A∩B); rounding must not make a subset's difference negative.
        only_a = np.maximum(of_a[:, None] - common, 0.0)
        only_b = np.maximum(of_b[None, :] - common, 0.0)
        return self._combine(common, only_a, only_b)

    def _check_parameters(self) -> None:
        for name in ("theta", "alpha", "beta"):
            value: Any = getattr(self, name, 0)
            if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < np.inf:  # type: ignore[operator]
                raise InputError(f"{name}={value!r}; expected a number that is not negative.")

    def _combine(self, common: np.ndarray, only_a: np.ndarray, only_b: np.ndarray) -> np.ndarray:
        raise NotImplementedError


@register("tversky_contrast")
class TverskyContrast(_FeatureSets):
    r"""Tversky's contrast model: common features for, distinctive features against.

    .. math:: \psi(A, B) = \theta f(A \cap B) - \alpha f(A - B) - \beta f(B - A)

    Parameters
    ----------
    theta, alpha, beta : float, default=1
        Weights, not negative, of common features, of those of A alone and of B alone.
        With alpha ≠ beta the similarity is asymmetric.
    weights : (d,) array, mapping of features to weights, or None
        f sums the weights of a set's features; None counts them. A feature that a mapping
        does not name weighs one.

    Notes
    -----
    Tversky (1977), eq. of the contrast model; used by JMLR and Fusing on Internet Ads.
    Objects are binary rows (an array, CSR or lists of 0 and 1) or Python sets. Dense rows
    cost one matrix product, O(m n d); sets and CSR one sparse product.

    Examples
    --------
    >>> from similearn.similarities import TverskyContrast
    >>> TverskyContrast(alpha=0.5, beta=0.25)({"wings", "beak"}, {"wings", "tail", "fur"})
    0.0
    >>> TverskyContrast().matrix([[1, 1, 0]], [[1, 0, 0], [1, 1, 1]])
    array([[0., 1.]])
    """

    range = UNBOUNDED

    def __init__(
        self, theta: float = 1.0, *, alpha: float = 1.0, beta: float = 1.0, weights: Any = None
    ) -> None:
        self.theta = theta
        self.alpha = alpha
        self.beta = beta
        self.weights = weights

    def _combine(self, common: np.ndarray, only_a: np.ndarray, only_b: np.ndarray) -> np.ndarray:
        return self.theta * common - self.alpha * only_a - self.beta * only_b


@register("tversky_ratio")
class TverskyRatio(_FeatureSets):
    r"""Tversky's ratio model: the share of common features.

    .. math:: \psi(A, B) = \frac{f(A \cap B)}{f(A \cap B) + \alpha f(A - B) + \beta f(B - A)}

    Parameters
    ----------
    alpha, beta : float, default=1
        Weights, not negative, of the features of A alone and of B alone. Both 1 is
        Jaccard's coefficient, both ½ Dice's; alpha ≠ beta is asymmetric.
    weights : (d,) array, mapping of features to weights, or None
        f sums the weights of a set's features; None counts them. A feature that a mapping
        does not name weighs one.

    Notes
    -----
    Tversky (1977), eq. of the ratio model. Where the ratio is 0/0, it is 1 if neither
    object has features (they do not differ), and 0 otherwise (nothing in common).
    Objects and cost as for `TverskyContrast`.

    Examples
    --------
    >>> from similearn.similarities import TverskyRatio
    >>> son_of = TverskyRatio(alpha=1.0, beta=0.0)
    >>> son_of({"wings"}, {"wings", "beak"}), son_of({"wings", "beak"}, {"wings"})
    (1.0, 0.5)
    """

    range = (0.0, 1.0)

    def __init__(self, *, alpha: float = 1.0, beta: float = 1.0, weights: Any = None) -> None:
        self.alpha = alpha
        self.beta = beta
        self.weights = weights

    def _combine(self, common: np.ndarray, only_a: np.ndarray, only_b: np.ndarray) -> np.ndarray:
        whole = common + self.alpha * only_a + self.beta * only_b
        both_empty = (only_a == 0) & (only_b == 0)
        return np.divide(common, whole, out=both_empty.astype(np.float64), where=whole > 0)


class _Features:
    """Which features each object has: rows of 0 and 1, what each feature weighs, and its name."""

    def __init__(self, rows: Any, weights: np.ndarray, names: Mapping[Any, int] | None) -> None:
        self.rows, self.weights, self.names = rows, weights, names

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, chosen: Any) -> "_Features":
        return _Features(self.rows[chosen], self.weights, self.names)

    def common(self, other: "_Features") -> np.ndarray:
        """Weights of the features that two objects share, summed, (m, n)."""
        if (self.names is None) != (other.names is None):
            raise InputError("Some objects are sets and some are rows; expected one or the other.")
        if self.names is not other.names and self.names is not None and other.names is not None:
            if len(self.names) > len(other.names):  # the fewer names are looked up
                return other.common(self).T
            return _Features(self._in(other), other.weights, other.names).common(other)
        a, b = self.rows, other.rows
        if sparse.issparse(a) != sparse.issparse(b):
            a, b = sparse.csr_array(a), sparse.csr_array(b)
        if a.shape[1] != b.shape[1]:
            told = f"Rows have {a.shape[1]} and {b.shape[1]} features; expected the same."
            raise InputError(told)
        common = (a * self.weights) @ b.T
        return common.toarray() if sparse.issparse(common) else common

    def _in(self, other: "_Features") -> Any:
        """The rows over the other's features; those that no other object has are left out."""
        names: Any = other.names
        places = np.array([names.get(name, -1) for name in self.names or ()], dtype=np.intp)
        known = np.flatnonzero(places >= 0)
        shape = (len(places), other.rows.shape[1])
        renamed = sparse.csr_array((np.ones(len(known)), (known, places[known])), shape=shape)
        return self.rows @ renamed


def _features_of(objects: Any, weights: Any) -> _Features:
    if _are_sets(objects):
        names = {name: i for i, name in enumerate(dict.fromkeys(f for o in objects for f in o))}
        return _Features(_set_rows(objects, names), _set_weights(weights, names), names)
    rows = _binary_rows(objects)
    return _Features(rows, _row_weights(weights, rows.shape[1]), None)


def _are_sets(objects: Any) -> bool:
    if sparse.issparse(objects) or (hasattr(objects, "ndim") and objects.ndim != 1):
        return False
    return len(objects) > 0 and all(isinstance(item, set | frozenset) for item in objects)


def _set_rows(objects: Sequence[set[Any]], vocabulary: Mapping[Any, int]) -> Any:
    columns = [vocabulary[feature] for item in objects for feature in item]
    ends = np.concatenate([[0], np.cumsum([len(item) for item in objects])])
    shape = (len(objects), len(vocabulary))
    return sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def _binary_rows(objects: Any) -> Any:
    """Rows of 0 and 1 as floats, dense or CSR; anything else is refused."""
    if sparse.issparse(objects):
        rows = sparse.csr_array(objects)
    else:
        try:
            rows = np.asarray(objects)
        except ValueError:  # rows of unequal length
            rows = np.empty(0, dtype=object)
    if rows.ndim != 2 or rows.dtype.kind not in "buif":
        raise InputError(
            "Tversky's models compare sets or binary rows; got neither. Pass a list of Python "
            "sets, or an array (n, d) of 0 and 1."
        )
    entries = rows.data if sparse.issparse(rows) else rows
    if not np.all((entries == 0) | (entries == 1)):
        raise InputError(
            "Rows hold values other than 0 and 1; Tversky's models ask which features an object "
            "has. Binarize the values first, such as X > 0."
        )
    return rows.astype(np.float64)


def _row_weights(weights: Any, d: int) -> np.ndarray:
    if weights is None:
        return np.ones(d)
    if isinstance(weights, Mapping):
        weights = [weights.get(position, 1.0) for position in range(d)]
    return _checked_weights(weights, (d,))


def _set_weights(weights: Any, vocabulary: Mapping[Any, int]) -> np.ndarray:
    if weights is None:
        return np.ones(len(vocabulary))
    if not isinstance(weights, Mapping):
        raise InputError(
            "weights is not a mapping, but the objects are sets; pass a dictionary of features "
            "and their weights."
        )
    named = [weights.get(feature, 1.0) for feature in vocabulary]
    return _checked_weights(named, (len(vocabulary),))


def _checked_weights(weights: Any, shape: tuple[int]) -> np.ndarray:
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != shape:
        raise InputError(f"weights has shape {array.shape}; expected one for each of {shape[0]}.")
    if not np.all((array >= 0) & (array < np.inf)):
        raise InputError("weights holds a negative or infinite value; expected finite, >= 0.")
    return array
