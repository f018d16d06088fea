"""Collections of objects, whatever they are: counted, sliced, never looked into."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.objects.found import LabelledObjects
from similearn.data.values import as_values
from similearn.errors import InputError, InputTypeError
from similearn.similarities.shell.prepared import Prepared
from similearn.similarities.shell.similarity import Similarity


def as_objects(X: Any, similarity: Similarity) -> Any:
    """Return objects as a list, an array (whose rows are the objects) or CSR.

    A table with one column that does not hold numbers, such as a data frame of strings, is that
    column: n objects, not n rows of one object each. One column of numbers stays n rows.

    Examples
    --------
    >>> from similearn.similarities import get_similarity
    >>> from similearn.similarities.shell.objects import as_objects
    >>> as_objects(("plum", "pear"), get_similarity("tversky_ratio"))
    ['plum', 'pear']
    """
    if isinstance(X, LabelledObjects):
        X = X.objects
    if sparse.issparse(X):
        return _sparse_rows(X, similarity)
    if isinstance(X, str | bytes) or not (isinstance(X, Sequence) or hasattr(X, "__array__")):
        raise InputTypeError(
            f"X is of type {type(X).__name__}; expected a collection of objects: a list, an "
            "array or a data frame. One object is a list of one: [X]."
        )
    # A column of a data frame is a list of objects; a frame, a table.
    is_array = hasattr(X, "__array__") or isinstance(X, memoryview)
    objects: Any = np.asarray(X) if is_array else list(X)
    if isinstance(objects, np.ndarray) and objects.ndim == 0:
        raise InputTypeError("X is a single value; expected a collection of objects.")
    if len(objects) == 0:
        raise InputError("X holds no objects; at least one is needed.")
    if _is_one_column(objects):
        return objects[:, 0]
    return objects


def _is_one_column(objects: Any) -> bool:
    """Whether a table has one column of anything but numbers."""
    if not isinstance(objects, np.ndarray) or objects.ndim != 2:
        return False
    return objects.shape[1] == 1 and objects.dtype.kind not in "buifc"


def _sparse_rows(X: Any, similarity: Similarity) -> Any:
    if not similarity.has_matrix:
        raise InputTypeError(
            f"X is sparse, but {similarity.name} compares one pair of objects at a time; pass "
            "X.toarray(), or a list of whatever the function expects."
        )
    if X.shape[0] == 0:
        raise InputError("X holds no objects; at least one is needed.")
    return as_values(X, "X")  # looks at every index before SciPy follows it


def count(objects: Any) -> int:
    """How many objects a list, an array or CSR holds."""
    try:
        return int(objects.shape[0] if hasattr(objects, "shape") else len(objects))
    except (IndexError, TypeError):
        raise InputTypeError(
            f"Got one {type(objects).__name__}; expected several samples: a block, the rows of an "
            "array, or a list."
        ) from None


def taken(objects: Any, positions: NDArray[np.intp]) -> Any:
    """Return the objects at some positions; a slice where they are consecutive."""
    if len(positions) and positions[-1] - positions[0] == len(positions) - 1:
        first, last = int(positions[0]), int(positions[-1])
        if len(positions) < 3 or (np.diff(positions) == 1).all():
            return objects[first : last + 1]
    if isinstance(objects, Prepared):
        return Prepared(*(taken(part, positions) for part in objects.parts))
    if isinstance(objects, Sequence):
        return [objects[i] for i in positions.tolist()]
    return objects[positions]
