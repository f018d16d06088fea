"""The one rule by which dissimilarities become similarities wherever these are needed."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.checks import refuse_below_zero
from similearn.data.convert import max_minus, one_minus_scaled
from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.lazy.value_changes import CHANGES
from similearn.data.pairwise import Pairwise
from similearn.errors import InputError

CONVERSIONS = {"one-minus-scaled": one_minus_scaled, "max-minus": max_minus}


def largest_of(block: Pairwise, owner: str) -> float:
    """The largest training dissimilarity, by which dissimilarities become similarities."""
    values = block.representative()[0].values
    refuse_below_zero(values, told=f"Negative values in data passed to {owner}")
    return float(values.max())


def as_similarity(block: Pairwise, maximum: float, method: str = "one-minus-scaled") -> Pairwise:
    """Similarities 1 - d / maximum (or maximum - d), the one rule wherever these are needed.

    What is farther than the maximum has a negative similarity or, in a sparse block, none.
    """
    if isinstance(block, LazyPairwise):
        if maximum <= 0 and method == "one-minus-scaled":
            raise InputError(
                f"The largest dissimilarity is {maximum:g}; expected more than 0, so that 1 - d / "
                "max is a similarity."
            )
        return block.changed(CHANGES[method](maximum), "similarity")
    if block.is_sparse:
        block = _capped(block, maximum)
    converted: Pairwise = CONVERSIONS[method](block, maximum=maximum)
    return converted


def told_conversion(maximum: float) -> str:
    """The sentence on a conversion, for people."""
    return (
        f"Dissimilarities d were converted to similarities 1 - d / {maximum:.6g}, the largest in "
        "training."
    )


def _capped(block: Pairwise, maximum: float) -> Pairwise:
    """Stored entries beyond the maximum are as far as an entry can be: cap them."""
    changes: dict[str, Any] = {"values": block.values, "reverse": block.reverse}
    for name, values in changes.items():
        if values is not None:
            changes[name] = values.copy()
            entries = changes[name].data if sparse.issparse(values) else changes[name]
            np.minimum(entries, maximum, out=entries)
    return replace(block, **changes)
