"""A conversion that is learned from the training block, as a step of a pipeline."""

from similearn.data.conversions.to_similarity import CONVERSIONS, as_similarity, largest_of
from similearn.data.pairwise import Pairwise
from similearn.estimators.shell.base import PairwiseTransformer
from similearn.estimators.shell.columns_out import block_or_frame
from similearn.estimators.shell.parameters import require_choice


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
    _asks_only = True

    def __init__(self, method="one-minus-scaled"):
        self.method = method

    def _fit(self, block):
        require_choice("method", self.method, CONVERSIONS)
        self.maximum_ = largest_of(block, type(self).__name__)

    def _transform(self, block):
        return as_similarity(block, self.maximum_, self.method)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _wrap(self, X, block, values):
        return block_or_frame(self, values) if isinstance(X, Pairwise) else values.values
