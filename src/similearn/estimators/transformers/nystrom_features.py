"""Nyström features: machines on the whole matrix, from few of its columns."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from similearn.data.checks import require_random_state
from similearn.data.chunks import map_chunks
from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.parameters import require_choice, require_integer, require_positive
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.linalg.nystrom import core_root, leverages, nystrom_map
from similearn.numerics.linalg.units import FARTHEST, divided, divided_where_needed, unit_of
from similearn.numerics.neighbors.medoids import k_medoids
from similearn.numerics.scores.decide import SCORE_BOUND

CHOICES = ("random", "k-medoids", "leverage")
SPECTRA = ("clip", "flip")
_SAMPLES_PER_MEDOID = 4
_FEW_PROTOTYPES = 1000  # whose eigenvalues several threads would not find sooner


class NystromFeatures(ClassNamePrefixFeaturesOutMixin, PairwiseTransformer):
    """Features whose inner products are the clipped or flipped similarities, from few columns.

    The scalable form of machines that need all n² similarities: only those to p prototypes are
    computed, n p of them, and a linear machine on the features is the kernel machine on Nyström's
    approximation Ŝ = C W⁺ Cᵀ, with C the columns of the prototypes and W their rows of it:
    ``make_pipeline(NystromFeatures(500), LinearSVC())``, or `RidgeClassifierCV` for a machine with
    squared errors, which takes a tenth of the time where samples are many.

    Parameters
    ----------
    n_prototypes : int, default=100
        How many; all training samples if there are not more.
    prototypes : {"random", "k-medoids", "leverage"}, default="random"
        How they are chosen. "k-medoids": of a random sample of four for each prototype.
        "leverage": drawn by leverage scores, which random prototypes tell first: twice the
        comparisons, for data with small groups that a random draw may miss.
    spectrum : {"clip", "flip"}, default="clip"
        What becomes of negative eigenvalues of Ŝ, see `SpectrumTransformer`.
    tolerance : float, default=1e-3
        Eigenvalues of W whose magnitude is below this share of the largest count as zero.
    random_state : int, RandomState or None

    Attributes
    ----------
    prototypes_ : (p,) positions of the prototypes among the training samples
    eigenvalues_ : (r,) eigenvalues of Ŝ that were kept, by descending magnitude
    map_ : (p, r), from similarities to the prototypes to features
    unit_ : float, a power of two by which similarities are divided; one unless the largest is
        beyond 1e±30

    Notes
    -----
    Queries are treated consistently (JMLR §2.2): their features have with those of the training
    samples the products P ŝ, with the map P of Ŝ. If all samples are prototypes and `tolerance` is
    zero, Ŝ is S, and the features are those of `SpectrumTransformer`.

    Plain Nyström has no error bound on an indefinite S, since W may have eigenvalues near zero
    whose inverses are noise; `tolerance` leaves those out. Of asymmetric data the mean of both
    directions is taken. Dissimilarities d become 1 - d / max.
    Cost: n p similarities, O(n p² + p³) at fit and O(m p r) for m queries; memory O(n p).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> from similearn import NystromFeatures
    >>> points = np.r_[0:1:20j, 3:4:20j]
    >>> S = 4.0 - abs(points[:, None] - points)
    >>> y = np.repeat(["a", "b"], 20)
    >>> model = make_pipeline(NystromFeatures(10, random_state=0), LinearSVC()).fit(S, y)
    >>> model.predict(4.0 - abs(np.array([[0.2], [3.9]]) - points))
    array(['a', 'b'], dtype='<U1')
    """

    kind = "similarity"
    _asks_only = True

    def __init__(
        self,
        n_prototypes=100,
        *,
        prototypes="random",
        spectrum="clip",
        tolerance=1e-3,
        random_state=None,
    ):
        self.n_prototypes = n_prototypes
        self.prototypes = prototypes
        self.spectrum = spectrum
        self.tolerance = tolerance
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn from the square training block; `y` is ignored.

        Parameters
        ----------
        X : Pairwise, array, CSR matrix or DataFrame of shape (n, n)
        y : ignored

        Returns
        -------
        self
        """
        super().fit(X, y)
        del self._columns
        return self

    def _fit(self, block):
        require_choice("prototypes", self.prototypes, CHOICES)
        require_choice("spectrum", self.spectrum, SPECTRA)
        require_positive("tolerance", self.tolerance, zero=True)
        p = min(require_integer("n_prototypes", self.n_prototypes), len(block))
        self.prototypes_, C = self._chosen(block, p)
        self.unit_ = unit_of(C)
        C = divided_where_needed(C, self.unit_)
        W, gram = C[self.prototypes_], C.T @ C
        with one_blas_thread(p <= _FEW_PROTOTYPES):
            root, signs = core_root((W + W.T) / 2, self.tolerance)
            found = nystrom_map(gram, root, signs, self.spectrum)
        self.map_, self.eigenvalues_ = found.matrix, found.eigenvalues
        if not len(self.eigenvalues_):  # a table needs a column
            self.map_, self.eigenvalues_ = np.zeros((p, 1)), np.zeros(1)
        self._columns = C

    def _chosen(self, block, p):
        """Positions of the prototypes, and the columns (n, p) of similarities to them."""
        n, rng = len(block), require_random_state(self.random_state)
        drawn = rng.permutation(n)
        places = np.sort(drawn[:p])
        if self.prototypes == "k-medoids" and p < n:
            some = np.sort(drawn[: _SAMPLES_PER_MEDOID * p])
            S = _columns(block, some)[some]
            low, high = S.min(), S.max()
            S = (S / 2 - low / 2) / (high / 2 - low / 2) if high > low else np.ones_like(S)
            places = some[k_medoids(S, p)]
        C = _columns(block, places)
        if self.prototypes == "leverage" and p < n:
            scores = leverages(divided_where_needed(C, unit_of(C))) + np.finfo(float).tiny
            places = np.sort(rng.choice(n, size=p, replace=False, p=scores / scores.sum()))
            C = _columns(block, places)
        return places, C

    def _transform(self, block):
        C = _columns(block, self.prototypes_)
        # Queries so far away that their features would overflow are taken to be nearer.
        longest = np.abs(self.map_).sum(axis=0).max(initial=1.0)
        root = 2.0 ** (np.log2(self.unit_) / 2)  # features are roots of similarities
        most = min(FARTHEST, SCORE_BOUND / longest / max(root, 1.0))
        return divided(C, self.unit_, most) @ self.map_ * root

    def _transform_training(self, block):
        C = self.__dict__.pop("_columns")
        return C @ self.map_ * 2.0 ** (np.log2(self.unit_) / 2)

    def _wrap(self, X, block, values):
        return values  # features, no longer a block

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)


def _columns(block, places):
    """Similarities (n, p) of all rows to some references, both directions averaged."""
    if block.is_lazy:
        return block.columns(places, both=True)
    parts = map_chunks(
        lambda rows: block.columns(places, rows, both=True), len(block), row_bytes=32 * len(places)
    )
    return np.concatenate(parts)
