"""Samples and classes that count more than others: `class_weight` and ``sample_weight``."""

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from similearn.data.checks import is_number, number_array, require_finite
from similearn.errors import InputError
from similearn.estimators.shell.parameters import require_positive
from similearn.numerics.linalg.units import divided_where_needed, unit_of


class WeightedSamples:
    """Mixin of `ScoreClassifier`: training samples have weights, with scikit-learn's conventions.

    The weight of a sample is its ``sample_weight`` times the `class_weight` of its class, scaled
    so that weights are one on average. ``_weights`` holds them, (n,), or None where all are equal;
    ``_shares(codes)`` are the shares of the classes among weighted samples.
    """

    class_weight = None
    _given_weights = None
    sample_weights_ = None

    def fit(self, X, y, sample_weight=None):
        """Learn from training samples and their labels.

        Parameters
        ----------
        X : the training samples, see the class
        y : (n,) class labels
        sample_weight : (n,) array, optional
            How much each sample counts; not negative. They are multiplied by `class_weight`.

        Returns
        -------
        self
        """
        if sample_weight is not None:
            self._given_weights = sample_weight
        try:
            return super().fit(X, y)
        finally:
            vars(self).pop("_weights", None)  # what predictions need of them has been kept

    def _keep_weights(self):
        """Keep them as ``sample_weights_``, where predictions need them."""
        vars(self).pop("sample_weights_", None)
        if self._weights is not None:
            self.sample_weights_ = self._weights

    def _weights_of(self, positions):
        """Kept weights of training samples; one where all are equal."""
        return 1.0 if self.sample_weights_ is None else self.sample_weights_[positions]

    def _unweighted(self):
        """A copy that weighs samples by ``_given_weights`` alone: for parts of the samples."""
        return super()._unweighted().set_params(class_weight=None)

    def _checked_training(self, X, y):
        given = vars(self).pop("_given_weights", None)  # before anything can fail
        self._weights = None  # of a path that was fitted before, to other samples
        data, codes = super()._checked_training(X, y)
        self._weights = training_weights(self.class_weight, given, self.classes_, codes)
        return data, codes


def training_weights(class_weight, sample_weight, classes, codes):
    """Weights (n,) of training samples, one on average; None where neither is given.

    Parameters
    ----------
    class_weight : None, "balanced" or a dict of labels to weights, where others have one
    sample_weight : None or (n,)
    classes : (n_classes,) labels
    codes : (n,) positions of the samples' labels among them
    """
    if class_weight is None and sample_weight is None:
        return None
    weights = np.ones(len(codes))
    if sample_weight is not None:
        weights = _given(sample_weight, len(codes))
    weights = divided_where_needed(weights, unit_of(weights))
    of_classes = _of_classes(class_weight, classes, codes, weights)
    weights = weights * divided_where_needed(of_classes, unit_of(of_classes))[codes]
    totals = np.bincount(codes, weights, minlength=len(classes))
    empty = np.flatnonzero(~(totals > 0))
    if len(empty):
        raise InputError(
            f"All samples of class {classes[empty[0]].item()!r} have sample_weight 0; leave "
            "the class out of X and y, or give it a positive weight."
        )
    return weights / weights.mean()


def _given(sample_weight, n):
    try:
        given = sample_weight
        if not is_number(given):
            given = number_array("sample_weight", given, "one number for each sample")
        weights = _check_sample_weight(
            given, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight cannot be used: {error}") from None
    require_finite(weights, "sample_weight")
    largest = weights.max(initial=0.0)
    return weights / largest if largest > 0 else weights


def _of_classes(class_weight, classes, codes, weights):
    """One weight for each class; "balanced" makes the classes weigh alike."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InputError(
                f"class_weight={class_weight!r} is unknown; expected 'balanced', a dict of labels "
                "to weights, or None."
            )
        totals = np.bincount(codes, weights, minlength=len(classes))
        return np.divide(1.0, totals, out=np.zeros(len(classes)), where=totals > 0)
    if not isinstance(class_weight, Mapping):
        raise InputError(
            f"class_weight is of type {type(class_weight).__name__}; expected 'balanced', a dict "
            "of labels to weights, or None."
        )
    place = {label: i for i, label in enumerate(classes.tolist())}
    found = np.ones(len(classes))
    for label, weight in class_weight.items():
        if label not in place:
            known = ", ".join(map(repr, list(place)[:8]))
            raise InputError(f"class_weight names {label!r}, which is no class; there are {known}.")
        found[place[label]] = require_positive(f"The weight of class {label!r}", weight, zero=True)
    return found
