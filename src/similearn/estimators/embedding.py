"""Coordinates in a pseudo-Euclidean space, and Fisher's discriminant on similarities."""

import numpy as np

from similearn.errors import InputError
from similearn.estimators.base import PairwiseClassifier, PairwiseTransformer
from similearn.estimators.machine import filled, require_features
from similearn.estimators.parameters import require_choice, require_integer, require_positive
from similearn.numerics.embedding import centred_gram, centred_rows, embedding
from similearn.numerics.fisher import FisherDiscriminant

KINDS = ("similarity", "dissimilarity")


class PseudoEuclideanEmbedding(PairwiseTransformer):
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
    kind : {"similarity", "dissimilarity"}, default="similarity"
        What a plain matrix holds. Dissimilarities are taken as distances: their squares,
        doubly centred and halved, are the inner products (classical scaling).

    Attributes
    ----------
    eigenvalues_ : (n_components_,) by falling magnitude
    signature_ : (int, int), how many of them are positive and negative
    map_ : (n, n_components_), takes similarities of a query to its coordinates
    n_components_ : int

    Notes
    -----
    Where S is positive semidefinite, or `positive_only`, the inner products of a new sample's
    coordinates with those of the training samples are P s, the consistent treatment
    of spectrum clip (Proposition 1). Cost: O(n³) at fit, O(n) for a query and coordinate.

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

    def __init__(self, n_components=None, *, positive_only=False, kind="similarity"):
        self.n_components = n_components
        self.positive_only = positive_only
        self.kind = kind

    def _fit(self, block):
        require_choice("kind", self.kind, KINDS)
        if self.n_components is not None:
            require_integer("n_components", self.n_components)
        values = self._checked(block)
        self.centre_ = None
        if self.kind == "dissimilarity":
            values, self.centre_ = centred_gram(values)
        self.eigenvalues_, self.map_ = embedding(values, self.n_components, self.positive_only)
        positive = int(np.count_nonzero(self.eigenvalues_ > 0))
        self.signature_ = (positive, len(self.eigenvalues_) - positive)
        self.n_components_ = len(self.eigenvalues_)

    def _transform(self, block):
        rows = self._checked(block)
        if self.kind == "dissimilarity":
            rows = centred_rows(rows, self.centre_)
        return rows @ self.map_

    def _checked(self, block):
        if block.is_sparse and self.kind == "dissimilarity":
            raise InputError(
                "An embedding needs every dissimilarity, and a sparse block leaves some unknown. "
                "Fill them in, or convert to similarities, of which those left out are zero."
            )
        return filled(block.both_directions())

    def _wrap(self, X, block, values):
        return values  # coordinates, no longer a block


class IndefiniteFisherClassifier(PairwiseClassifier):
    r"""Fisher's discriminant on indefinite similarities.

    After Haasdonk and Pekalska's kernel version (see JMLR §2.1.3 and §3): the scatter
    within classes is that of the rows of the symmetric part of S, which is positive
    semidefinite however indefinite S may be, and a ridge makes it invertible. With means
    m_g of the rows of class g and the scatter N, the score of a query with row s is
    :math:`s^T N^{-1} m_g - \frac12 m_g^T N^{-1} m_g + \log \pi_g`.

    Parameters
    ----------
    ridge : float, default=0.1
        Added to N, in units of its mean eigenvalue.
    kind : {"similarity", "dissimilarity"}, default="similarity"
        What a plain matrix holds; rows are features, so that both serve.
    costs : (n_classes, n_classes) array, optional
        ``costs[f, g]`` of deciding class f where g is true.
    n_jobs : int, optional
        Threads in prediction.

    Attributes
    ----------
    classes_ : (n_classes,)
    priors_ : (n_classes,) shares of the classes among the training samples
    discriminant_ : the decomposed scatter, for all ridges

    Notes
    -----
    Probabilities are those of normal distributions of the rows with one covariance. In the
    pseudo-Euclidean space without a ridge, the discriminant does not depend on the signs of
    the eigenvalues, and is that of `PseudoEuclideanEmbedding` followed by Fisher's.
    Cost: one eigendecomposition, O(n³), shared by all ridges; O(n) for a query and class.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import IndefiniteFisherClassifier
    >>> points = np.array([0.0, 1.0, 2.0, 6.0, 7.0, 8.0])
    >>> S = 8.0 - abs(points[:, None] - points)
    >>> model = IndefiniteFisherClassifier().fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict(8.0 - abs(np.array([[1.5], [6.5]]) - points))
    array(['a', 'b'], dtype='<U1')
    """

    _link = "log"
    _path = ("ridge",)
    _simpler = ("ridge",)

    def __init__(self, ridge=0.1, *, kind="similarity", costs=None, n_jobs=None):
        self.ridge = ridge
        self.kind = kind
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit(self, block, codes):
        self._fit_path(block, codes, [{}])

    def _fit_path(self, block, codes, candidates):
        require_choice("kind", self.kind, KINDS)
        for c in candidates:
            require_positive("ridge", c.get("ridge", self.ridge))
        rows = filled(require_features(block).both_directions())
        self.priors_ = np.bincount(codes) / len(codes)
        self.discriminant_ = FisherDiscriminant.of(rows, codes, len(self.classes_))

    def _scores(self, block, rows):
        return self._path_scores(block, rows, [{}])[0]

    def _path_scores(self, block, rows, candidates, skip_self=False):
        ridges = np.array([c.get("ridge", self.ridge) for c in candidates])
        values = filled(require_features(block).both_directions(rows))
        return self.discriminant_.scores(values, ridges) + np.log(self.priors_)

    def _row_bytes(self, block):
        return super()._row_bytes(block) + 8 * 4 * block.shape[1]
