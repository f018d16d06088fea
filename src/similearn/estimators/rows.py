"""Rows of similarities as features: the RBF of rows, and features from prototypes."""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from similearn.errors import InputError
from similearn.estimators.base import PairwiseTransformer
from similearn.estimators.parameters import require_choice, require_integer, require_positive


class RowRBFSimilarity(PairwiseTransformer):
    r"""Similarity of samples whose similarities to everybody else are alike ("RBF-sim").

    JMLR §7.1: :math:`\psi_{RBF}(x_i, x_j) = \exp(-\gamma \|s(x_i) - s(x_j)\|^2)`, where
    s(x) is the vector of similarities of x to the training samples. It turned Protein,
    where rows of one class look alike though their members are not similar, into an easy
    problem.

    Parameters
    ----------
    gamma : float, default=1.0
        The paper's formula has γ = 1.

    Attributes
    ----------
    rows_ : (n, n), the training rows

    Notes
    -----
    Takes similarities and dissimilarities alike; the result is a similarity, symmetric
    and positive definite. The paper measures rows over all samples at once; here the
    training samples alone are the coordinates, so that queries are never needed at fit.
    Of asymmetric data the rows ψ(x, ·) are used. Cost: O(m n²).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import RowRBFSimilarity
    >>> RowRBFSimilarity().fit_transform(np.array([[1.0, 0.0], [0.0, 1.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    _new_kind = "similarity"
    _both_directions = False

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def _fit(self, block):
        require_positive("gamma", self.gamma)
        self.rows_ = block.values

    def _transform(self, block):
        squared = euclidean_distances(block.values, self.rows_, squared=True)
        return np.exp(-self.gamma * squared)

    def _transform_training(self, block):
        squared = euclidean_distances(block.values, squared=True)
        return np.exp(-self.gamma * squared)


class PrototypeFeatures(PairwiseTransformer):
    """Similarities to prototypes as a feature table, for any scikit-learn classifier.

    JMLR §3: sample x is represented by its similarities to all training samples, or to
    few of them.

    Parameters
    ----------
    prototypes : {"all", "random"} or array of positions, default="all"
        Which training samples are the features.
    n_prototypes : int, default=10
        How many, if they are drawn at random.
    random_state : int, RandomState or None

    Attributes
    ----------
    prototypes_ : (p,) positions of the prototypes among the training samples

    Notes
    -----
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

    def __init__(self, prototypes="all", *, n_prototypes=10, random_state=None):
        self.prototypes = prototypes
        self.n_prototypes = n_prototypes
        self.random_state = random_state

    def _fit(self, block):
        self.prototypes_ = self._chosen(len(block))

    def _chosen(self, n):
        if not isinstance(self.prototypes, str):
            return _positions(self.prototypes, n)
        if require_choice("prototypes", self.prototypes, ("all", "random")) == "all":
            return np.arange(n)
        count = require_integer(
            "n_prototypes", self.n_prototypes, high=n, high_means="number of training samples"
        )
        return np.sort(check_random_state(self.random_state).permutation(n)[:count])

    def _transform(self, block):
        return block.values[:, self.prototypes_]

    def _wrap(self, X, block, values):
        return values  # a feature table, no longer a block


def _positions(prototypes, n):
    positions = np.asarray(prototypes)
    if positions.ndim != 1 or positions.dtype.kind not in "iu" or not len(positions):
        raise InputError("prototypes must be 'all', 'random' or a list of integer positions.")
    if positions.min() < -n or positions.max() >= n:
        raise InputError(f"prototypes name position {positions.max()}; there are {n} samples.")
    return np.arange(n)[positions]
