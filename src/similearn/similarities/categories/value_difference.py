"""The value difference metric of categorical rows, learned from labels."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from similearn.errors import InputError
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity
from similearn.similarities.shell.registering import register

MISSING = "a missing value"  # a tuple stands for it among the values, so no string can collide


@register("value_difference")
class ValueDifference(PreparedSimilarity):
    r"""Value difference metric: values are near if they say the same of the class.

    .. math:: \Delta(a, b) = \sum_f w(a_f) \Bigl(\sum_c |P(c|a_f) - P(c|b_f)|^q\Bigr)^{r/q}

    with P(c|v) the share of class c among the training rows whose attribute f is v, and
    w = 1 unless weights are asked for.

    Parameters
    ----------
    q : float, default=2
        Exponent of the differences of probabilities.
    r : float, optional
        Exponent of an attribute's contribution. By default r = q, the plain double sum
        over attributes and classes.
    weighted : bool, default=False
        Stanfill and Waltz's weights :math:`w(v) = (\sum_c P(c|v)^2)^{1/2}`, large for
        values of the first row that say much of the class. The metric is then asymmetric.

    Attributes
    ----------
    classes_ : the class labels, (G,).
    priors_ : shares of the classes among the training rows, (G,).
    values_ : for each attribute, a mapping of each value to its position.
    probabilities_ : for each attribute, P(c|v) of its values, (V, G); the last row holds
        the class priors and serves values that training has not seen.

    Notes
    -----
    Three forms are usual. Stanfill and Waltz (1986): q = 2 and ``weighted=True``. Without
    weights, the double sum of powers, Cost and Salzberg's (1993) with q = 1 and JMLR §6
    "Voting" with q = 2. Wilson and Martinez (1997): q = 2, r = 1, for each attribute the
    Euclidean distance of its class shares. Without weights and with q = k this is what
    ``imblearn.metrics.pairwise.ValueDifferenceMetric(k=k, r=r)`` has.

    Missing values (None, NaN, NA) are one more value. A value not seen in training says
    nothing of the class: it has the class priors for its P(c|v). Values are compared as
    Python compares them, so 1, 1.0 and True are the same value and "1" is another.

    P(c|v) counts the training rows themselves: distances among them are a little better
    informed than those of a new row, more so for rare values.

    The tables cost O(n d + G Σ V²), a block O(m n d).

    Examples
    --------
    >>> from similearn.similarities import ValueDifference
    >>> votes = [["y", "n"], ["y", "y"], ["n", None], ["n", "y"]]
    >>> metric = ValueDifference().fit(votes, ["left", "left", "right", "right"])
    >>> metric(["y", "n"], ["n", "n"])
    2.0
    >>> metric(["y", "n"], ["abstain", "n"])
    0.5
    """

    kind = "dissimilarity"
    range = (0.0, np.inf)
    learned = True
    needs_fit = True
    accepts = "table"
    releases_lock = True

    def __init__(self, q: float = 2, *, r: float | None = None, weighted: bool = False) -> None:
        self.q = q
        self.r = r
        self.weighted = weighted

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether no row's values weigh more than the other's."""
        return not self.weighted

    def fit(self, objects: Any, y: Any = None) -> "ValueDifference":
        """Count the classes of each value of each attribute.

        Parameters
        ----------
        objects : (n, d) categories: strings, numbers, None, mixed.
        y : (n,) class labels.
        """
        q, r = _checked_exponents(self.q, self.r)
        if y is None:
            raise InputError(
                "The value difference metric is learned from labels: it requires y to be passed, "
                "but the target y is None. Pass the training labels to fit."
            )
        table = as_table(objects)
        check_consistent_length(table, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.priors_ = np.bincount(codes) / len(codes)
        self.values_, self.probabilities_ = [], []
        for column in table.T:
            values, probabilities = _class_shares(column, codes, self.priors_)
            self.values_.append(values)
            self.probabilities_.append(probabilities)
        self._tables = [_value_distances(shares, q, r) for shares in self.probabilities_]
        if self.weighted:
            lengths = [np.sqrt((shares**2).sum(axis=1)) for shares in self.probabilities_]
            weighed = zip(lengths, self._tables, strict=True)
            self._tables = [length[:, None] * table for length, table in weighed]
        self._starts = np.concatenate([[0], np.cumsum([len(t) for t in self._tables])])
        return self

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: a row is at no distance from itself."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[np.ndarray]:
        check_is_fitted(self)
        return (self._codes(objects),)

    def _compare(self, one: Prepared, other: Prepared) -> np.ndarray:
        a, b = one.parts[0], other.parts[0]
        m, d = a.shape
        if m * d < self._starts[-1]:  # few rows: not all that values might add
            distances = np.zeros((m, len(b)))
            for f, table in enumerate(self._tables):
                distances += table[a[:, f]][:, b[:, f]]
            return distances
        # Row v of `from_value` is what value v of its attribute adds against each row of B;
        # a row of A then sums its d values, in attribute order in both directions.
        from_value = np.empty((self._starts[-1], len(b)))
        for f, (start, stop) in enumerate(pairwise(self._starts)):
            from_value[start:stop] = self._tables[f][:, b[:, f]]
        columns = (a + self._starts[:-1]).ravel()
        has_value = sparse.csr_array(
            (np.ones(m * d), columns, np.arange(0, m * d + 1, d)), shape=(m, len(from_value))
        )
        return has_value @ from_value

    def _codes(self, objects: Any) -> np.ndarray:
        """Positions of the values, (m, d); unseen values get the last one."""
        table = as_table(objects)
        if table.shape[1] != len(self.values_):
            raise InputError(
                f"Rows have {table.shape[1]} attributes; training had {len(self.values_)}."
            )
        codes = np.empty(table.shape, dtype=np.intp)
        for f, known in enumerate(self.values_):
            codes[:, f] = [known.get(value, len(known)) for value in _comparable(table[:, f])]
        return codes


def as_table(objects: Any) -> np.ndarray:
    """Return rows of categories as an array (n, d), of objects unless it is an array already."""
    if isinstance(objects, np.ndarray) and objects.ndim == 2:
        return objects
    if hasattr(objects, "to_numpy"):
        objects = objects.to_numpy(dtype=object)
    table = np.array(list(objects), dtype=object)
    if table.ndim != 2:
        raise InputError(
            f"Rows of categories have {table.ndim} dimension(s); expected a table (n, d), each "
            "row with the same number of attributes."
        )
    return table


def _comparable(column: np.ndarray) -> list[Any]:
    """Values of a column with all kinds of missing made one."""
    return [
        (MISSING,) if value is None or _unequal_to_itself(value) else value
        for value in column.tolist()
    ]


def _unequal_to_itself(value: Any) -> bool:
    """NaN, NaT and NA are not equal to themselves; NA cannot even say so."""
    try:
        return bool(value != value)
    except TypeError:
        return True


def _class_shares(
    column: np.ndarray, codes: np.ndarray, priors: np.ndarray
) -> tuple[dict[Any, int], np.ndarray]:
    """Position of each value of a column, and P(c|v) with the priors as the last row."""
    positions: dict[Any, int] = {}
    rows = [positions.setdefault(value, len(positions)) for value in _comparable(column)]
    shape = (len(positions), len(priors))
    cells = np.asarray(rows) * len(priors) + codes
    counts = np.bincount(cells, minlength=len(positions) * len(priors)).reshape(shape)
    return positions, np.vstack([counts / counts.sum(axis=1, keepdims=True), priors])


def _value_distances(shares: np.ndarray, q: float, r: float) -> np.ndarray:
    """(Σ_c |P(c|v) - P(c|v')|^q)^(r/q) for all values of one attribute, (V, V)."""
    total = np.zeros((len(shares), len(shares)))
    for share in shares.T:
        total += np.abs(share[:, None] - share[None, :]) ** q
    return total if r == q else total ** (r / q)


def _checked_exponents(q: Any, r: Any) -> tuple[float, float]:
    r = q if r is None else r
    for name, value in (("q", q), ("r", r)):
        if isinstance(value, bool) or not np.isreal(value) or not 0 < value < np.inf:
            raise InputError(f"{name}={value!r}; expected a positive number, usually 1 or 2.")
    return float(q), float(r)
