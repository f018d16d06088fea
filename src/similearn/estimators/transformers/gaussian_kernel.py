"""The Gaussian of dissimilarities: a kernel in which only what is near counts."""

import numpy as np

from similearn.data.checks import refuse_below_zero
from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.parameters import require_positive
from similearn.numerics.linalg.units import divided, unit_of


class GaussianSimilarity(PairwiseTransformer):
    r"""Similarity :math:`\exp(-m\, q / \bar q)` of squared dissimilarities q.

    Of dissimilarities d, q is d²; of similarities s, it is their training maximum minus s, which
    for inner products of equally long vectors is half the squared distance. Its mean
    over the training block makes the result the same in whatever units the data are.

    Parameters
    ----------
    multiple : float, default=1.0
        The factor m: the larger, the nearer samples must be to be similar.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}

    Attributes
    ----------
    maximum_ : float, the largest training similarity; None for dissimilarities
    scale_ : float, the mean of q
    unit_ : float, a power of two in which the two are

    Notes
    -----
    Of asymmetric data, the mean of both directions is taken. The result is positive semidefinite
    if the dissimilarities are Euclidean distances, and may not be otherwise. It is dense: what
    a sparse dissimilarity does not know has similarity zero. Cost: O(m n).

    Examples
    --------
    >>> from similearn import GaussianSimilarity
    >>> model = GaussianSimilarity().fit([[0.0, 2.0], [2.0, 0.0]])
    >>> model.transform([[1.0, 4.0]]).round(3)
    array([[0.607, 0.   ]])
    """

    _scalable_form = "PrototypeFeatures('random', n_prototypes=500, sigma=1.0)"
    _new_kind = "similarity"

    def __init__(self, multiple=1.0, *, kind=None):
        self.multiple = multiple
        self.kind = kind

    def _fit(self, block):
        require_positive("multiple", self.multiple)
        values = block.rows(both=True, unknown=np.inf)
        known = np.isfinite(values)
        self.unit_ = unit_of(values[known]) if not known.all() else unit_of(values)
        self.maximum_ = None
        if block.kind == "similarity":
            self.maximum_ = float(values.max()) / self.unit_
        else:
            told = f"Negative values in data passed to {type(self).__name__}"
            refuse_below_zero(values if known.all() else values[known], told=told)
        squares = self._squares(values)
        self.scale_ = (float(squares.mean(where=known)) if known.any() else 0.0) or 1.0

    def _squares(self, values):
        """The squared dissimilarities q, in units."""
        values = divided(values, self.unit_)
        if self.maximum_ is None:
            return np.square(values, out=values)
        return np.maximum(np.subtract(self.maximum_, values, out=values), 0.0, out=values)

    def _transform(self, block):
        # What is unknown counts as 1e100 units, which is as far as exp(-1e200) = 0.
        found = self._squares(block.rows(both=True, unknown=np.inf))
        with np.errstate(over="ignore", under="ignore"):
            found *= -self.multiple / self.scale_
            return np.exp(found, out=found)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.kind == "dissimilarity"
        return tags
