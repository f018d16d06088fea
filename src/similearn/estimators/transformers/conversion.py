"""A conversion that is learned from the training block, as a step of a pipeline."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from similearn.data.convert import max_minus, one_minus_scaled
from similearn.data.pairwise import Pairwise
from similearn.errors import InputError
from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.columns_out import block_or_frame
from similearn.estimators.shell.parameters import require_choice

_CONVERSIONS = {"one-minus-scaled": one_minus_scaled, "max-minus": max_minus}


class DissimilarityToSimilarity(PairwiseTransformer):
    """Turn dissimilarities into similarities, by the maximum of the training block.

    Parameters
    ----------
    method : {"one-minus-scaled", "max-minus"}, default="one-minus-scaled"
        1 - D / max, or max - D; the functions of `similearn.convert`.

    Attributes
    ----------
    maximum_ : float, the largest training dissimilarity

    Notes
    -----
    A query farther than that from a training sample gets a negative similarity or, in a
    sparse block, none.

    Examples
    --------
    >>> from similearn import DissimilarityToSimilarity
    >>> model = DissimilarityToSimilarity().fit([[0.0, 4.0], [4.0, 0.0]])
    >>> model.transform([[1.0, 2.0]])
    array([[0.75, 0.5 ]])
    """

    kind = "dissimilarity"
    _new_kind = "similarity"
    _both_directions = False

    def __init__(self, method="one-minus-scaled"):
        self.method = method

    def _fit(self, block):
        require_choice("method", self.method, _CONVERSIONS)
        if block.values.min() < 0:
            raise InputError(
                "Negative values in data passed to DissimilarityToSimilarity: expected "
                "dissimilarities of 0 or more. If large means near, these are similarities."
            )
        self.maximum_ = float(block.values.max())

    def _transform(self, block):
        convert = _CONVERSIONS[self.method]
        if block.is_sparse:
            block = _capped(block, self.maximum_)
        return convert(block, maximum=self.maximum_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _wrap(self, X, block, values):
        return block_or_frame(self, values) if isinstance(X, Pairwise) else values.values


def _capped(block, maximum):
    """Stored entries beyond the maximum are as far as an entry can be: cap them."""
    changes = {"values": block.values, "reverse": block.reverse}
    for name, values in changes.items():
        if values is not None:
            changes[name] = values.copy()
            entries = changes[name].data if sparse.issparse(values) else changes[name]
            np.minimum(entries, maximum, out=entries)
    return replace(block, **changes)
