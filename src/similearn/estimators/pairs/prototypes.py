"""Models of pairs of training samples: they predict from a few columns of the block."""

import copy

import numpy as np

from similearn.data.checks import require_random_state
from similearn.errors import InputError


class PrototypeModel:
    """Mixin: which training samples a model compares with, and the model on those alone."""

    _queries_ask_only = True
    _sets: tuple[str, ...] = ("pairs_", "places_", "prototypes_", "farthest_")

    def condensed(self):
        """Return the same model for blocks whose columns are the prototypes alone.

        Returns
        -------
        model
            A fitted copy that takes ``X[:, prototypes_]`` wherever this one takes X: only the
            dissimilarities of queries to the prototypes need ever be computed.

        Examples
        --------
        >>> import numpy as np
        >>> from similearn import DBoostClassifier
        >>> points = np.array([0.0, 1, 2, 9, 10, 11])[:, None]
        >>> D, y = abs(points - points.T), [0, 0, 0, 1, 1, 1]
        >>> model = DBoostClassifier(10, max_prototypes=1, random_state=0).fit(D, y)
        >>> len(model.prototypes_)
        2
        >>> model.condensed().predict(abs(np.array([[8.0]]) - points[model.prototypes_].T))
        array([1])
        """
        model = copy.copy(self)
        chosen = self.prototypes_
        model.n_features_in_ = len(chosen)
        model.prototypes_ = np.arange(len(chosen))
        model.pairs_ = self.places_
        if self.reference_ids_ is not None:
            model.reference_ids_ = self.reference_ids_[chosen]
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_[chosen]
        return model

    def _keep_pairs(self, pairs, used):
        """Store pairs of training samples, and as places among those that any of them uses."""
        self.pairs_ = pairs
        # A model without any cut still needs a column to look at.
        self.prototypes_ = np.unique(pairs[used]) if used.any() else np.zeros(1, dtype=np.intp)
        places = np.searchsorted(self.prototypes_, pairs)
        self.places_ = np.where(used[..., None], places, 0)

    def _entries(self, block, rows):
        """Entries of queries with the prototypes, (m, p), both directions averaged."""
        return block.columns(self.prototypes_, rows, both=True, unknown=self.farthest_)

    def _generator(self):
        """The generator that `random_state` means."""
        return np.random.default_rng(require_random_state(self.random_state).randint(2**31 - 1))

    def _known_codes(self, y, n):
        y = np.asarray(y)
        if y.shape != (n,):
            raise InputError(f"y has shape {y.shape}; expected one label for each of {n} rows.")
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        unknown = self.classes_[codes] != y
        if unknown.any():
            label = str(y[unknown][0])
            raise InputError(
                f"y holds {label!r}, which is no label of training; expected labels of classes_."
            )
        return codes


def farthest_known(block):
    """What an entry that is not stored stands for: zero, or the largest known dissimilarity."""
    if not block.is_sparse or block.large_is_near or not block.values.nnz:
        return 0.0
    return float(block.values.data.max())
