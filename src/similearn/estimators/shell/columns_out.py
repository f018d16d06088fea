"""What transformers give back: blocks, arrays or frames, and the names of their columns."""

import numpy as np
from sklearn import config_context
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from similearn.data.pairwise import Pairwise


class ReferenceColumns(OneToOneFeatureMixin):
    """Mixin: the columns of the result are the training samples, and bear their names."""

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of `transform`: those of the training samples.

        Parameters
        ----------
        input_features : (n,) names, optional
            Must equal the columns of the training frame, if it was one.

        Returns
        -------
        (n,) array of str
            The columns of the training frame, the column ids of the training `Pairwise`, or
            x0, x1, ... where the training samples have no names.
        """
        check_is_fitted(self)
        ids = getattr(self, "reference_ids_", None)
        if input_features is None and ids is not None:
            return np.array([str(name) for name in ids], dtype=object)
        return super().get_feature_names_out(input_features)


def plain_output():
    """Context, or decorator, within which transformers give blocks, whatever scikit-learn is told.

    ``set_config(transform_output="pandas")`` is for what users ask for, not for what we do inside.
    """
    return config_context(transform_output="default")


def block_or_frame(estimator, block):
    """Return the block, or its values where `set_output` asks for a frame of them.

    A frame keeps neither the kind nor the reverse direction of a block; one of pandas has the
    ids of the rows as its index.
    """
    asked = _get_output_config("transform", estimator)["dense"]
    if asked == "default" or not isinstance(block, Pairwise):
        return block
    if asked == "pandas" and block.row_ids is not None and isinstance(block.values, np.ndarray):
        import pandas

        return pandas.DataFrame(block.values, index=block.row_ids)
    return block.values
