"""What `diagnose` tells of a lazy block from some of its samples."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.values import Indices


def of_a_sample(
    X: LazyPairwise, y: Any, codes: Indices | None, sizes: Any, examine: Callable[..., Any]
) -> Any:
    """A diagnosis of the samples that tell of all, with what is known of all; see `diagnose`."""
    seen, places = X.representative(codes)
    if len(places) == len(X):
        return examine(seen, y)
    found = examine(seen, None if y is None else np.asarray(y)[places])
    error = found.neighbor_error
    if codes is not None and X.knows_others:
        error = float(np.mean(codes[X.nearest(1, skip_self=True)[0][:, 0]] != codes))
    return replace(found, n=len(X), class_sizes=sizes, neighbor_error=error)
