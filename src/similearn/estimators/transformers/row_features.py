"""Rows of similarities as features: the RBF of rows, and features from prototypes."""

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from similearn.data.checks import require_random_state
from similearn.data.memory import remembered
from similearn.data.values import filled, is_full
from similearn.errors import InputError
from similearn.estimators.names.old_names import renamed
from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.parameters import require_choice, require_integer, require_positive
from similearn.numerics.linalg.units import divided, divided_where_needed, in_units, unit_of
from similearn.numerics.neighbors.medoids import k_medoids
from similearn.numerics.scores.decide import SCORE_BOUND

CHOICES = ("all", "random", "k-medoids")


class RowRBFSimilarity(PairwiseTransformer):
    r"""Similarity of samples whose rows of similarities are alike ("RBF-sim").

    JMLR §7.1:

    .. math:: \psi_{RBF}(x_i, x_j) = \exp(-\gamma \|s(x_i) - s(x_j)\|^2),

    where s(x) is the vector of similarities of x to the training samples. It turned Protein,
    where rows of one class look alike though their members are not similar, into an easy
    problem.

    Parameters
    ----------
    gamma : float or "scale", default="scale"
        "scale" is scikit-learn's 1 / (n Var(S)), with the n training samples as columns and
        the variance of all entries of the training block: the result is then the same in
        whatever units S is measured. The paper has γ = 1, for similarities within [0, 1].
    multiple : float, default=1.0
        Factor of γ, for a search around "scale".
    most_columns : int, optional
        How many training samples are the coordinates at most; where there are more, so many of
        them at equal steps. By default all are.

    Attributes
    ----------
    rows_ : (n, p), the training rows; p is n without `most_columns`
    squares_ : (n,), the squared lengths of the training rows, in units of `unit_`
    gamma_ : float, the γ that is used
    unit_ : power of two by which values are divided; 1 for sizes within 1e±30
    unit_gamma_ : ``gamma_`` for values divided by ``unit_``

    Notes
    -----
    Takes similarities and dissimilarities alike; the result is a similarity, symmetric
    and positive definite. The paper measures rows over all samples at once; here the
    training samples alone are the coordinates, so that queries are never needed at fit.
    Of asymmetric data the rows ψ(x, ·) are used. With a fixed γ, rows that are far apart in
    large units all get the similarity 0. Cost: O(m n p).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import RowRBFSimilarity
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> RowRBFSimilarity(gamma=1.0).fit_transform(S).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    >>> RowRBFSimilarity().fit(1000 * S).transform(1000 * S).round(3)
    array([[1.   , 0.018],
           [0.018, 1.   ]])
    """

    _scalable_form = "PrototypeFeatures('random', n_prototypes=500)"
    _new_kind = "similarity"
    _both_directions = False

    def __init__(self, gamma="scale", *, multiple=1.0, most_columns=None):
        self.gamma = gamma
        self.multiple = multiple
        self.most_columns = most_columns

    def _fit(self, block):
        if isinstance(self.gamma, str):
            require_choice("gamma", self.gamma, ("scale",))
        else:
            require_positive("gamma", self.gamma)
        require_positive("multiple", self.multiple)
        if self.most_columns is not None:
            require_integer("most_columns", self.most_columns)
        self.rows_ = remembered(block, self._about("rows"), lambda: self._coordinates(block))
        self.unit_ = unit_of(_entries(self.rows_))
        unit_rows = self._unit_rows
        self.unit_gamma_ = self._gamma_of(unit_rows)
        self.squares_ = row_norms(unit_rows, squared=True)

    def _gamma_of(self, rows):
        """γ for rows in units of `unit_`; finite, so that 0 γ is 0."""
        if self.gamma != "scale":
            return in_units(self._own_gamma, self.unit_, 2)
        variance = _variance(rows)
        return self.multiple / (rows.shape[1] * variance) if variance > 0 else 1.0

    @property
    def gamma_(self):
        """The γ of the formula, in the units of the data."""
        if self.gamma != "scale":
            return self._own_gamma
        return in_units(self.unit_gamma_, self.unit_, -2, SCORE_BOUND)

    @property
    def _own_gamma(self):
        """The γ that was given, and its multiple; positive and finite."""
        if isinstance(self.gamma, str):
            raise AttributeError("gamma is not a number; gamma_ is known after fit.")
        with np.errstate(over="ignore", under="ignore"):
            return float(np.clip(np.float64(self.gamma) * self.multiple, 1e-300, SCORE_BOUND))

    def _transform(self, block):
        known, squared = remembered(
            block,
            self._about("row distances"),
            lambda: (self.rows_, self._squared_distances(block)),
        )
        if known is not self.rows_:  # of other training samples
            squared = self._squared_distances(block)
        return self._similarities(squared)

    def _about(self, what):
        """What a block remembers, for so many columns."""
        return f"{what}, {self.most_columns}"

    def _coordinates(self, block):
        """Rows, cut to the columns that are compared."""
        values, n = block.require_complete().values, block.shape[1]
        if self.most_columns is None or n <= self.most_columns:
            return values
        steps = np.arange(self.most_columns) * n // self.most_columns
        return values[:, steps]

    @property
    def _unit_rows(self):
        """The training rows in units; no copy where these are ordinary."""
        return divided_where_needed(self.rows_, self.unit_)

    def _squared_distances(self, block):
        rows = divided(self._coordinates(block), self.unit_)
        squares = getattr(self, "squares_", None)  # stored models may be older
        if sparse.issparse(rows) or sparse.issparse(self.rows_):
            squares = None
        return _squared_distances(rows, self._unit_rows, squares)

    def _transform_training(self, block):
        squared = remembered(
            block,
            self._about("row distances within"),
            lambda: _squared_distances(self._unit_rows),
        )
        return self._similarities(squared)

    def _similarities(self, squared):
        with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
            found = -self.unit_gamma_ * squared
            return np.exp(found, out=found)


def _variance(values):
    """Variance of all entries; those that a sparse matrix does not store are zero."""
    if not sparse.issparse(values):
        return float(values.var())
    mean, n_zeros = values.mean(), values.shape[0] * values.shape[1] - values.nnz
    total = np.square(values.data - mean).sum() + n_zeros * mean**2
    return float(total / (values.shape[0] * values.shape[1]))


def _mean_square(model):
    with np.errstate(over="ignore"):
        return None if model.root_mean_square_ is None else np.square(model.root_mean_square_)


@renamed(attributes={"mean_square_": ("root_mean_square_", _mean_square)})
class PrototypeFeatures(PairwiseTransformer):
    """Similarities to prototypes as a feature table, for any scikit-learn classifier.

    JMLR §3: sample x is represented by its similarities to all training samples, or to
    few of them.

    Parameters
    ----------
    prototypes : {"all", "random", "k-medoids"} or array of positions, default="all"
        Which training samples are the features.
    n_prototypes : int, default=10
        How many, if they are drawn at random or medoids.
    sigma : float, optional
        Replace dissimilarities d by exp(-d² / (σ d̄²)), with d̄² the mean square of the training
        block, as Balcan and Blum's linear SVM does. For similarities s, d is their training
        maximum minus s.
    dense : bool, default=False
        Whether to fill in a sparse block, for classifiers that take none.
    random_state : int, RandomState or None

    Attributes
    ----------
    prototypes_ : (p,) positions of the prototypes among the training samples
    root_mean_square_ : float, d̄; None without `sigma`
    maximum_ : the largest training value, or None

    Notes
    -----
    Of a lazy block only the similarities to the prototypes are computed; medoids are chosen among,
    and d̄ and the maximum are those of, 2048 samples where the block exceeds scikit-learn's
    ``working_memory``. Medoids of a sparse block fill nothing in.

    Theorem 2 of JMLR bounds the error of a linear classifier on p of n samples as
    features by a term of order sqrt(p / n): few prototypes generalize better.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import PrototypeFeatures
    >>> S = np.kron(np.eye(2), np.ones((3, 3)))
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> make_pipeline(PrototypeFeatures(), LogisticRegression()).fit(S, y).predict(S)
    array([0, 0, 0, 1, 1, 1])
    """

    _both_directions = False
    _asks_only = True

    def __init__(
        self, prototypes="all", *, n_prototypes=10, sigma=None, dense=False, random_state=None
    ):
        self.prototypes = prototypes
        self.n_prototypes = n_prototypes
        self.sigma = sigma
        self.dense = dense
        self.random_state = random_state

    def _fit(self, block):
        self.prototypes_ = self._chosen(block)
        self.root_mean_square_ = None
        if self.sigma is not None:
            require_positive("sigma", self.sigma)
            seen = block.representative()[0]
            self.maximum_ = float(seen.values.max())
            known = _entries(self._distances(seen, seen.values))
            self.root_mean_square_ = _root_mean_square(known) or 1.0

    def _chosen(self, block):
        n = len(block)
        if not isinstance(self.prototypes, str):
            return _positions(self.prototypes, n)
        if require_choice("prototypes", self.prototypes, CHOICES) == "all":
            return np.arange(n)
        count = require_integer(
            "n_prototypes", self.n_prototypes, high=n, high_means="number of training samples"
        )
        if self.prototypes == "k-medoids":
            return _medoids(block, count)
        return np.sort(require_random_state(self.random_state).permutation(n)[:count])

    def _transform(self, block):
        features = self._features(block)
        return filled(features, 0.0) if self.dense else features

    def _features(self, block):
        if self.sigma is None:
            block.require_complete()
        stored = None if block.is_lazy else block.values
        values = block.columns(self.prototypes_) if stored is None else stored[:, self.prototypes_]
        if self.sigma is None:
            return values
        distances = self._distances(block, values)
        if not sparse.issparse(distances):
            return self._gaussian(distances)
        distances.data = self._gaussian(distances.data)
        return distances  # what is unknown is far: no similarity at all

    def _gaussian(self, distances):
        with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
            return np.exp(-np.square(distances / self.root_mean_square_) / self.sigma)

    def _distances(self, block, values):
        """Dissimilarities; of a similarity, how much it falls short of the maximum."""
        if not block.large_is_near:
            return values.copy()
        return self.maximum_ - filled(values, 0.0)

    def _wrap(self, X, block, values):
        return values  # a feature table, no longer a block

    def get_feature_names_out(self, input_features=None):
        """Names (p,) of the prototypes: those of the training samples, else x0, x1, ..."""
        return super().get_feature_names_out(input_features)[self.prototypes_]


def _root_mean_square(values):
    largest = float(np.abs(values).max(initial=0.0))
    return largest * float(np.sqrt(np.mean(np.square(values / largest)))) if largest else 0.0


def _entries(values):
    return values.data if sparse.issparse(values) else values


def _medoids(block, k):
    """Positions of k medoids; what a sparse dissimilarity leaves out is far."""
    block, places = block.representative()
    if k > len(places):
        raise InputError(
            f"n_prototypes={k} is more than the {len(places)} samples that medoids of a lazy block "
            "are chosen among; expected fewer, or prototypes='random'."
        )
    values = block.both_directions()
    if not block.is_sparse:
        return places[k_medoids(_scaled(values if block.large_is_near else -values), k)]
    excess, absent = _excess(values, block.large_is_near)
    return k_medoids(excess, k, absent)


def _excess(values, large_is_near):
    """Nearness in [0, 1] of CSR less that of what is not stored, as CSC; and the latter."""
    known = divided_where_needed(values.data, unit_of(values.data))
    # As far beyond the farthest known as that is from the nearest: unknown is zero.
    near = known if large_is_near else 2.0 * known.max(initial=0.0) - known
    seen = near if is_full(values) else np.append(near, 0.0)
    low, width = seen.min(), np.ptp(seen)
    stored = (near / width if width > 0 else np.zeros_like(near), values.indices, values.indptr)
    excess = sparse.csr_array(stored, shape=values.shape).tocsc()
    return excess, -low / width if width > 0 else 1.0


def _scaled(values):
    values = divided_where_needed(values, unit_of(values))
    low, high = values.min(), values.max()
    if high <= low:
        return np.ones_like(values)
    found = values - low
    found /= high - low
    return found


def _positions(prototypes, n):
    positions = np.asarray(prototypes)
    if positions.ndim != 1 or positions.dtype.kind not in "iu" or not len(positions):
        raise InputError("prototypes must be 'all', 'random', 'k-medoids' or integer positions.")
    if positions.min() < -n or positions.max() >= n:
        raise InputError(f"prototypes name position {positions.max()}; there are {n} samples.")
    return np.arange(n)[positions]


def _squared_distances(rows, others=None, squares=None):
    """Squared Euclidean distances of rows to other rows, or among themselves: ∣a∣² + ∣b∣² - 2ab.

    As scikit-learn's `euclidean_distances`, whose module takes a second to be imported; `squares`
    (n,) are those of the other rows, if known: for one query they would take most of the time.
    """
    among = others is None
    others = rows if among else others
    found = safe_sparse_dot(rows, others.T, dense_output=True)
    found *= -2.0
    found += row_norms(rows, squared=True)[:, None]
    found += row_norms(others, squared=True) if squares is None else squares
    np.maximum(found, 0.0, out=found)
    if among:
        np.fill_diagonal(found, 0.0)
    return found
