"""Similarities to kernels: clip, flip, shift or square the spectrum."""

from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.parameters import require_choice
from similearn.numerics.linalg.spectrum import modified, shift_map, spectrum_map
from similearn.numerics.linalg.units import divided, unit_of

METHODS = ("clip", "flip", "shift", "square")
ZEROS = ("drop", "keep")


class SpectrumTransformer(PairwiseTransformer):
    """Make an indefinite similarity positive semidefinite, consistently for queries.

    JMLR §2.1-2.2. The training block S becomes S̃ = S P, and the row s of a query becomes
    P s with the same P, so that a query equal to a training sample is treated as that
    sample is.

    Parameters
    ----------
    method : {"clip", "flip", "shift", "square"}, default="clip"
        "clip" sets negative eigenvalues to zero, which gives the nearest positive
        semidefinite matrix; "flip" takes their absolute values; "shift" adds
        the size of the lowest eigenvalue to every self-similarity and leaves queries
        alone, for which no consistent linear map exists; "square" takes S Sᵀ, the inner
        products of rows.
    zeros : {"drop", "keep"}, default="drop"
        What "clip" does with eigenvalues of zero, see the notes. The training block is the
        same with both; queries differ.

    Attributes
    ----------
    eigenvalues_ : (n,)
        Spectrum of the symmetric part of the training block, ascending; None for "square".
    unit_ : float, of "square" alone: a power of two by which similarities are divided before they
        are multiplied; one unless the largest is beyond 1e±30
    n_features_in_ : int
    spectrum_map_ : the linear map by which a spectrum is modified, or None
    rows_ : training rows that rows of queries are compared with, or None

    Notes
    -----
    An asymmetric block is replaced by its symmetric part ½(S + Sᵀ), as in the paper,
    except by "square", which needs no symmetry. Sparse blocks are filled in.

    The paper treats eigenvalues of zero in two ways. Its M_clip (§2.2) keeps them, λ ≥ 0:
    ``zeros="keep"``. Proposition 1 holds for λ > 0 only, since its proof drops the null
    space: ``zeros="drop"``, the default, as the sign of a numerical zero is chance. An
    eigenvalue within rounding error counts as zero. S̃ is the same in both; the row s of a
    query keeps or loses its part in the null space of S. "flip" always drops it, since
    sgn 0 = 0. The machines `SimilaritySVC` and `LocalSVC` drop it.

    With "shift", `fit_transform` shifts the training samples' own similarities, while
    `transform` treats every row as a new query.
    Cost: one eigendecomposition, O(n³), at fit; O(m n²) at most for m queries.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import SpectrumTransformer
    >>> S = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])
    >>> clip = SpectrumTransformer("clip")
    >>> clip.fit_transform(S).round(2)
    array([[1.07, 0.8 , 0.07],
           [0.8 , 1.14, 0.8 ],
           [0.07, 0.8 , 1.07]])
    >>> clip.eigenvalues_.round(2)
    array([-0.27,  1.  ,  2.27])
    """

    _scalable_form = "NystromFeatures(500)"
    kind = "similarity"

    def __init__(self, method="clip", *, zeros="drop"):
        self.method = method
        self.zeros = zeros

    def _fit(self, block):
        require_choice("method", self.method, METHODS)
        keep_zeros = require_choice("zeros", self.zeros, ZEROS) == "keep"
        self.eigenvalues_ = None
        if self.method == "square":
            self.rows_ = block.rows()
            self.unit_ = unit_of(self.rows_)
            self.rows_ = self.rows_ / self.unit_
            return
        S = block.rows(both=True)
        self.spectrum_map_ = (
            shift_map(S)
            if self.method == "shift"
            else spectrum_map(S, self.method, keep_zeros=keep_zeros)
        )
        self.eigenvalues_ = self.spectrum_map_.eigenvalues

    def _transform(self, block):
        if self.method == "square":
            return divided(block.rows(), self.unit_) @ self.rows_.T
        return self.spectrum_map_.rows(block.rows(both=True))

    def _transform_training(self, block):
        if self.method == "square":
            return self._transform(block)
        return modified(block.rows(both=True), self.spectrum_map_)
