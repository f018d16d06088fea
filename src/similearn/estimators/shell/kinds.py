"""What near means to an estimator: said by the user, told by the data, or converted to."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from similearn.data.convert import max_minus, one_minus_scaled
from similearn.data.values import KINDS, kind_by_diagonal
from similearn.errors import InputError

CONVERSIONS = {"one-minus-scaled": one_minus_scaled, "max-minus": max_minus}


def has_parameter(estimator):
    """Whether the kind of a plain matrix can be said."""
    return "kind" in estimator.get_params(deep=False)


def decided_kind(estimator, values):
    """The kind of a plain training matrix: as was said, or as its diagonal tells.

    An estimator that takes either kind alike, and has no parameter to say it, reads similarities.
    """
    kind = estimator.kind
    if kind is not None:
        if not isinstance(kind, str) or kind not in KINDS:
            raise InputError(f"kind={kind!r} is unknown; expected one of {', '.join(KINDS)}.")
        return kind
    if not has_parameter(estimator):
        return "similarity"
    told = kind_by_diagonal(values)
    if told is None and values.shape[0] == values.shape[1] and values.min() < values.max():
        raise InputError(
            "The diagonal of X does not tell whether X holds similarities or dissimilarities. Say "
            "kind='similarity' or kind='dissimilarity'."
        )
    return told or "similarity"


def refuse_kind(estimator, kind, *, reset):
    """Raise unless a `Pairwise` of this kind is what was asked for, or what was fitted."""
    fitted = None if reset else getattr(estimator, "kind_", None)
    if fitted is not None and kind != fitted:
        raise InputError(
            f"The queries hold a {kind}, but the model was fitted to a {fitted}. Pass the same "
            "kind as at fit."
        )
    asked = estimator.kind
    if asked is None or asked == kind:
        return
    if not isinstance(asked, str) or asked not in KINDS:
        raise InputError(f"kind={asked!r} is unknown; expected one of {', '.join(KINDS)}.")
    if has_parameter(estimator):
        raise InputError(f"X holds a {kind}, but kind={asked!r} was given. Leave kind out.")
    if asked == "dissimilarity":
        raise InputError(
            f"X holds a {kind}; {type(estimator).__name__} needs a dissimilarity. Converting is a "
            "modelling choice: see similearn.convert."
        )


def largest_of(block, owner):
    """The largest training dissimilarity, by which dissimilarities become similarities."""
    if block.values.min() < 0:
        raise InputError(
            f"Negative values in data passed to {owner}: expected dissimilarities of 0 or more. "
            "If large means near, these are similarities."
        )
    return float(block.values.max())


def as_similarity(block, maximum, method="one-minus-scaled"):
    """Similarities 1 - d / maximum (or maximum - d), the one rule wherever these are needed.

    What is farther than the maximum has a negative similarity or, in a sparse block, none.
    """
    if block.is_sparse:
        block = _capped(block, maximum)
    return CONVERSIONS[method](block, maximum=maximum)


def told_conversion(maximum):
    """The sentence on a conversion, for people."""
    return (
        f"Dissimilarities d were converted to similarities 1 - d / {maximum:.6g}, the largest in "
        "training."
    )


def _capped(block, maximum):
    """Stored entries beyond the maximum are as far as an entry can be: cap them."""
    changes = {"values": block.values, "reverse": block.reverse}
    for name, values in changes.items():
        if values is not None:
            changes[name] = values.copy()
            entries = changes[name].data if sparse.issparse(values) else changes[name]
            np.minimum(entries, maximum, out=entries)
    return replace(block, **changes)
