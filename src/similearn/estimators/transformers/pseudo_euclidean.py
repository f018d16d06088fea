"""Coordinates in a pseudo-Euclidean space."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.parameters import require_integer
from similearn.numerics.linalg.pseudo_euclidean import centred_gram, centred_rows, embedding
from similearn.numerics.linalg.units import divided, unit_of
from similearn.numerics.scores.decide import SCORE_BOUND


class PseudoEuclideanEmbedding(ClassNamePrefixFeaturesOutMixin, PairwiseTransformer):
    """Coordinates whose (indefinite) inner products are the similarities.

    JMLR §2.1.3 and Proposition 1. The symmetric part S = U Λ Uᵀ gives the training samples the
    rows of U abs(Λ)^½ as coordinates; the inner product counts those of negative
    eigenvalues negatively. A new sample gets the coordinates whose inner products with the
    training samples are nearest to its similarities. Any Euclidean classifier may follow; it
    then sees the space in which all coordinates count positively, as spectrum flip does.

    Parameters
    ----------
    n_components : int, optional
        Keep the coordinates of so many eigenvalues, those of largest magnitude; by default
        all that are not zero up to rounding.
    positive_only : bool, default=False
        Leave out negative eigenvalues, as spectrum clip does.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
        Dissimilarities are taken as distances: their squares, doubly centred and halved, are
        the inner products (classical scaling).

    Attributes
    ----------
    eigenvalues_ : (n_components_,) by falling magnitude
    signature_ : (int, int), how many of them are positive and negative
    map_ : (n, n_components_), takes similarities of a query to its coordinates
    n_components_ : int
    unit_ : float, a power of two by which distances are divided before they are squared, which
        ``eigenvalues_`` then follow; one unless the largest is beyond 1e±30
    centre_ : (n,) what squared distances of queries are centred by, or None

    Notes
    -----
    Where S is positive semidefinite, or `positive_only`, the inner products of a new sample's
    coordinates with those of the training samples are P s, the consistent treatment
    of spectrum clip (Proposition 1). Eigenvalues within rounding error of zero get no
    coordinate, as in the proof of Proposition 1; the paper's M_clip, which keeps λ = 0,
    disagrees with it, see `SpectrumTransformer`. Cost: O(n³) at fit, or some hundred times O(n²)
    for few of many components; O(n) for each query and coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import PseudoEuclideanEmbedding
    >>> S = np.array([[2.0, 0.0], [0.0, -1.0]])
    >>> model = PseudoEuclideanEmbedding().fit(S)
    >>> model.transform(S).round(3), model.signature_
    (array([[1.414, 0.   ],
           [0.   , 1.   ]]), (1, 1))
    """

    _scalable_form = "NystromFeatures(500, spectrum='flip')"

    def __init__(self, n_components=None, *, positive_only=False, kind=None):
        self.n_components = n_components
        self.positive_only = positive_only
        self.kind = kind

    def _fit(self, block):
        if self.n_components is not None:
            require_integer("n_components", self.n_components)
        values = block.rows(both=True)
        self.centre_, self.unit_ = None, 1.0
        if self.kind_ == "dissimilarity":
            self.unit_ = unit_of(values)
            values = values if self.unit_ == 1.0 else values / self.unit_
            values, self.centre_ = centred_gram(values)
        self.eigenvalues_, self.map_ = embedding(values, self.n_components, self.positive_only)
        positive = int(np.count_nonzero(self.eigenvalues_ > 0))
        self.signature_ = (positive, len(self.eigenvalues_) - positive)
        self.n_components_ = len(self.eigenvalues_)

    def _transform(self, block):
        rows = block.rows(both=True)
        if self.kind_ == "dissimilarity":
            rows = centred_rows(divided(rows, self.unit_), self.centre_)
        with np.errstate(over="ignore", invalid="ignore"):
            found = rows @ self.map_ * self.unit_
        beyond = ~(np.abs(found) <= SCORE_BOUND).all(axis=1)
        if beyond.any():  # so far away that numbers end: taken to be nearer, in their direction
            found[beyond] = SCORE_BOUND * _in_units(_in_units(rows[beyond]) @ self.map_)
        return found

    def _wrap(self, X, block, values):
        return values  # coordinates, no longer a block

    @property
    def _n_features_out(self):
        return self.n_components_


def _in_units(rows):
    """Rows divided by the largest magnitude of each."""
    return rows / np.abs(rows).max(axis=1, keepdims=True, initial=np.finfo(float).tiny)
