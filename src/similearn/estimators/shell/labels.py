"""Labels become integer codes, in one place."""

import warnings
from numbers import Number

import numpy as np
from scipy import sparse
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets

from similearn.data.checks import as_labels, require_finite
from similearn.data.sources import names_of_samples
from similearn.data.values import as_array
from similearn.errors import InputError, InputTypeError


def class_codes(y):
    """Return the distinct labels (n_classes,), sorted, and the position of each of y in them."""
    _refuse_mixture(y)
    try:
        if not plainly_labels(y):
            _check_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except Exception as error:  # labels may do what they like when they are compared
        raise InputError(_told_unknown(y, str(error))) from None
    if classes.dtype.kind in "mM" and np.isnat(classes).any():
        raise InputError("y holds NaT; expected a label for every sample. Leave those out.")
    if len(classes) == 0:
        raise InputError("y is empty; expected a label for every training sample.")
    if len(classes) < 2:
        raise InputError(
            f"y holds one class only, {classes[0]!r}; a classifier needs at least two. "
            "Check the labels, or the split that left the other classes out."
        )
    return classes, codes.astype(np.intp)


def plainly_labels(y):
    """Whether y is a vector of integers, truth values or strings, in which nothing can be wrong."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU"


def _check_targets(y):
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # NaN is refused
        # Many classes with few samples each are no regression here.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)


def require_labels(estimator, y):
    """Refuse to learn from samples without labels, where the estimator needs them."""
    if y is None and get_tags(estimator).target_tags.required:
        raise InputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. Pass "
            "the label of each training sample."
        )


def as_column(y, n_samples=None):
    """Return labels as an array, for which scikit-learn has no sentence left but of their number.

    A single column stays one, of which scikit-learn warns.
    """
    y, n = as_labels(y), "" if n_samples is None else f"{n_samples} "
    what_to_do = f"expected a label for every sample. Pass y as a vector of {n}labels"
    shape = np.shape(y)
    if sparse.issparse(y):
        raise InputTypeError(f"y is sparse, of shape {shape}; {what_to_do}: y.toarray().ravel().")
    if shape == ():
        kind = type(y if y is None else y.item()).__name__
        raise InputTypeError(f"y is of type {kind}; {what_to_do}, such as a list.")
    if len(shape) > 1 and shape[1:] != (1,):
        raise InputError(f"y has shape {shape}; {what_to_do}: one of its columns, y[:, 0].")
    if y.dtype.kind == "c":
        raise InputError(
            "Complex data not supported: y holds complex numbers; expected words or whole numbers. "
            "Pass labels as strings."
        )
    require_finite(y, "y", remedy="Leave that sample out, or pass labels as strings.")
    return y


def label_column(y, n_samples):
    """Return labels as a vector, one for each of the samples."""
    y = as_column(y, n_samples)
    try:
        y = column_or_1d(y, warn=True)
    except Exception as error:  # objects may do what they like when they are asked for labels
        raise InputError(f"{error} Pass y as a vector of {n_samples} labels.") from None
    if len(y) != n_samples:
        raise InputError(
            f"X has {n_samples} rows but there are {len(y)} labels; expected one label per row."
        )
    return y


def group_column(groups, n_samples):
    """Return which group each sample is in, (n_samples,) integers."""
    groups = as_array(groups, "groups")
    if groups.shape != (n_samples,):
        raise InputError(
            f"groups has the shape {groups.shape}; expected one group for each of the {n_samples} "
            "samples."
        )
    if groups.dtype.kind in "fmM" and np.isnan(groups).any():
        raise InputError("groups holds NaN; expected a group for every sample.")
    try:
        return np.unique(groups, return_inverse=True)[1]
    except TypeError:
        raise InputError(
            f"groups mixes values of types {_types_in(groups)}; expected a group for every sample. "
            "Make them all strings, and give a sample without a group one of its own."
        ) from None


def refuse_labels_in_other_order(y, X):
    """Refuse a series of labels whose index names the samples of X in another order."""
    index = getattr(y, "index", None)
    row_ids = None if index is None or callable(index) else names_of_samples(X)[0]
    if row_ids is None:  # a list has a method of that name
        return
    names, rows = list(index), row_ids.tolist()
    if names != rows and len(names) == len(rows) and set(names) == set(rows):
        i = next(i for i, name in enumerate(names) if name != rows[i])
        raise InputError(
            f"Label {i} of y is that of {names[i]!r}, as its index says, and row {i} of X is "
            f"{rows[i]!r}; expected the samples in one order. Pass y.loc[X.index]."
        )


def _types_in(y):
    return ", ".join(sorted({type(label).__name__ for label in y.ravel().tolist()}))


def _told_unknown(y, told):
    """Scikit-learn's words on labels that it cannot take, and what to do next."""
    if "Unknown label type: unknown" in told:
        return (
            f"Unknown label type: y holds labels of type {_types_in(y)}; expected words, or "
            "numbers of at most 64 bits. Pass labels as strings: [str(label) for label in y]."
        )
    if "Unknown label type" in told:
        return f"{told} Pass classes: whole numbers, or strings."
    return f"{told} Pass labels that are all strings or all numbers."


def _refuse_mixture(y):
    """Labels of several types have no order to be sorted by."""
    if y.dtype.kind != "O":
        return
    kinds = {type(label) for label in y}
    if len(kinds) > 1 and not all(issubclass(kind, (Number, np.generic)) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"y mixes labels of types {names}; make them all strings or all numbers.")
