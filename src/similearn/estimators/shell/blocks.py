"""The door: whatever a user passes in becomes one checked `Pairwise`, once."""

import re
import warnings
from contextlib import contextmanager
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from similearn.data.checks import below_zero, require_choice, require_finite
from similearn.data.conversions.to_similarity import as_similarity, largest_of
from similearn.data.formats.other_libraries import as_pairwise, holds_pairs
from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources
from similearn.data.stored.fields import checked_ids, names_of_frame, refuse_other_order
from similearn.data.values import (
    KINDS,
    as_values,
    kind_by_diagonal,
    refuse_dtype,
    refuse_masked,
)
from similearn.errors import (
    AsymmetryWarning,
    InputError,
    InputTypeError,
    KindWarning,
    SimilearnError,
    SimilearnWarning,
    warn,
)
from similearn.estimators.shell.labels import as_column, plainly_labels
from similearn.estimators.shell.parameters import SharedDocs, require_flags

# What scikit-learn goes on with after its first words: all the values, and what is not meant here.
_DUMPED = re.compile(r" instead:\narray=.*| instead\. Pass a DataFrame .*|(?<=supported)\n.*", re.S)


class PairwiseInput(SharedDocs):
    """Mixin: `_training_block` at fit, `_query_block` afterwards.

    A class says what it takes by an attribute ``kind``, "similarity" or "dissimilarity"; one
    with a parameter ``kind`` takes either, and by default whatever comes, unless `_needed_kind`
    says otherwise. Dissimilarities become similarities where those are needed. One that never
    looks at ψ(reference, query) says ``_both_directions = False``; one that first asks for the
    nearest of every query, a search that refuses what is not finite,
    ``_search_comes_first = True``; one that asks a block questions and never reads all of its
    values, ``_asks_only = True`` (of queries alone, ``_queries_ask_only``): others get lazy blocks
    computed, if memory holds them; beyond, the message tells the ``_scalable_form``, an expression.

    Learned: ``kind_``, that of the training block (None where nobody said it and it does not
    matter), and ``conversion_maximum_``, the largest training dissimilarity where these were
    converted, else None.
    """

    _sets: tuple[str, ...] = (
        "n_features_in_",
        "kind_",
        "asymmetric_",
        "conversion_maximum_",
    )

    kind: str | None = None
    _both_directions = True
    _search_comes_first = False
    _asks_only = False
    _queries_ask_only = False
    _scalable_form = "make_pipeline(NystromFeatures(500), LinearSVC())"

    def _training_block(self, X, y="no_validation"):
        """Return the checked square block, and y if it was given."""
        require_flags(self)
        if self.kind is not None:
            require_choice("kind", self.kind, KINDS)
        block, y = _checked_block(self, X, y, reset=True)
        m, n = block.shape
        if m != n:
            raise InputError(
                f"Training needs a square block of samples with themselves, got {m} × {n}. Pass "
                "the similarities of all training samples to all training samples."
            )
        refuse_other_order(block.row_ids, block.column_ids)
        block = block.of_same_samples(True)
        if self.kind is not None and not isinstance(X, Pairwise):
            _warn_if_other_kind(block)
        self.asymmetric_ = not block.is_symmetric
        known = isinstance(X, Pairwise) or self.kind is not None or _has_parameter(self)
        self.kind_, self.conversion_maximum_ = block.kind if known else None, None
        if self._needed_kind == "similarity" and block.kind == "dissimilarity":
            self.conversion_maximum_ = largest_of(block, type(self).__name__)
        return self._converted(block), y

    def _query_block(self, X):
        """Return the checked block of queries against the training samples."""
        block, _ = _checked_block(self, X, "no_validation", reset=False)
        refuse_other_columns(block.column_ids, getattr(self, "reference_ids_", None))
        expected = block.knows_reverse or block.one_way
        if self._both_directions and self.asymmetric_ and not expected:
            warn(
                "The training block is asymmetric and the reverse direction of these queries is "
                "unknown, so neighbours are found by ψ(query, reference) alone. Pass "
                "Pairwise(values, kind, reverse=...) to use the mean of both directions.",
                AsymmetryWarning,
                stacklevel=3,
            )
        return self._converted(block.of_same_samples(False))

    @property
    def _needed_kind(self):
        """The kind without which the method cannot do; None where it takes either."""
        return type(self).kind

    def _converted(self, block):
        if getattr(self, "conversion_maximum_", None) is None:
            return block
        return as_similarity(block, self.conversion_maximum_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        return tags


def _of_library(estimator, X):
    """A block of scikit-bio, NetworkX or AnnData as a `Pairwise`; anything else as it is."""
    if isinstance(X, Pairwise | np.ndarray) or not holds_pairs(X):
        return X
    fitted = getattr(estimator, "kind_", None)
    said = estimator.kind if _has_parameter(estimator) else None
    return as_pairwise(X, said or (fitted if hasattr(X, "is_directed") else None))


def _checked_block(estimator, X, y, *, reset):
    X = _of_library(estimator, X)
    if isinstance(X, Pairwise):
        _refuse_kind(estimator, X.kind, reset=reset)
        asks_only = estimator._asks_only or (estimator._queries_ask_only and not reset)
        if X.is_lazy and not asks_only:
            X = X.computed(type(estimator).__name__, estimator._scalable_form)
        # What scikit-learn checks of a lazy block is its shape: zeros that take no memory.
        values = np.broadcast_to(0.0, X.shape) if X.is_lazy else X.values
        block, y = X, _validated(estimator, values, y, reset=reset)[1]
    else:
        values, y = _validated(estimator, _source(estimator, X), y, reset=reset)
        ids = dict(zip(("row_ids", "column_ids"), names_of_frame(X), strict=True))
        kind = getattr(estimator, "kind_", None) or estimator.kind or "similarity"
        block = Pairwise.unchecked(
            values=values, kind=kind, same_samples=False, one_way=reset, **ids
        )
    if reset or block.is_sparse or not estimator._search_comes_first:
        block.require_finite(n_jobs=getattr(estimator, "n_jobs", None))
    if reset and not isinstance(X, Pairwise):
        block = block._with(kind=_decided_kind(estimator, block.values))
    return block, y


def _source(estimator, X):
    """What was passed, checked as far as scikit-learn does not; no sparse index goes astray."""
    if isinstance(X, Sources):
        told = f"{type(estimator).__name__} takes one block here, got Sources"
        raise InputTypeError(f"{told}. Pass one of them: X[{next(iter(X))!r}].")
    refuse_masked(X, "X")
    if sparse.issparse(X):
        return as_values(X, "X")
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":  # scikit-learn would count them
        refuse_dtype(X.dtype, "X")
    if hasattr(X, "columns") and hasattr(X, "index"):
        checked_ids(X.columns, X.shape[1], "The column names of X")
        checked_ids(X.index, X.shape[0], "The row names of X")
    return X


def refuse_other_columns(column_ids, reference_ids):
    """Refuse queries whose columns are named, and are not the training samples in their order."""
    if column_ids is None or reference_ids is None or column_ids is reference_ids:
        return
    if len(column_ids) != len(reference_ids):  # of which the check of shapes tells
        return
    other = np.flatnonzero(column_ids != reference_ids)
    if len(other):
        i = other[0]
        raise InputError(
            f"Column {i} of X is {column_ids[i]!r}, but training sample {i} was "
            f"{reference_ids[i]!r}; expected the training samples as columns, in their order."
        )


def _validated(estimator, values, y, *, reset):
    """Checked values and y; keeps scikit-learn's own sentences, and adds what to do next."""
    if needs_no_check(estimator, values, y, reset=reset):
        if reset:
            estimator.n_features_in_ = values.shape[1]
            vars(estimator).pop("feature_names_in_", None)  # of a fit before
        return values, None if isinstance(y, str) else y
    options = {"dtype": np.float64, "accept_sparse": "csr", "ensure_all_finite": False}
    hint = partial(_hint, estimator, values, y, reset=reset)
    checked = validated(estimator, values, y, reset=reset, hint=hint, **options)
    return (checked, None) if isinstance(y, str) else checked


def validated(estimator, X, y="no_validation", *, reset, hint, **options):
    """Return what scikit-learn's `validate_data` makes of X, and y if it was given.

    Parameters
    ----------
    hint : function of scikit-learn's error, giving the words to be added: what was expected
    options : of `validate_data`
    """
    y = y if y is None or isinstance(y, str) else as_column(y)
    try:
        with _names_told(estimator, X, reset), np.errstate(over="ignore", invalid="ignore"):
            return validate_data(estimator, X, y, reset=reset, **options)
    except SimilearnError:
        raise
    except TypeError as error:
        raise InputTypeError(_joined(error, hint(error))) from error
    except (ValueError, OverflowError) as error:
        raise InputError(_joined(error, hint(error))) from error
    except Exception as error:  # objects may do what they like when they are asked for numbers
        which = "X" if isinstance(y, str) else "X or y"
        told = f"{which} cannot be read as an array ({type(error).__name__}: {error})."
        raise InputError(_joined(told, hint(error))) from error


def _joined(error, more):
    """A sentence of scikit-learn, without the values that it writes out, and what to do next."""
    told = _DUMPED.sub("", str(error))
    if "1D array" in told or "2-dimensional container" in told:
        more += " Reshape your data: a single sample is X[None], or [X]."
    gap = "\n" if told.endswith("\n") else ". "  # a list of names ends its line
    return f"{told.rstrip(gap)}{gap}{more.lstrip('. ')}".rstrip()


@contextmanager
def _names_told(estimator, X, reset):
    """Warn in scikit-learn's words, but as ours, where only X or only the fit had names."""
    was_named = hasattr(estimator, "feature_names_in_")
    if reset or was_named == _is_named(X):
        yield
        return
    name = type(estimator).__name__
    told = (
        f"X does not have valid feature names, but {name} was fitted with feature names"
        if was_named
        else f"X has feature names, but {name} was fitted without feature names"
    )
    warn(f"{told}: columns are taken in their order.", SimilearnWarning, stacklevel=6)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X (has|does not have valid) feature names", UserWarning)
        yield


def _is_named(X):
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    try:
        return len(names) > 0 and all(isinstance(name, str) for name in names)
    except TypeError:
        return False


def needs_no_check(estimator, values, y, *, reset):
    """Whether all is plainly what it should be: most of the time of small blocks, saved."""
    plain = (
        (type(values) is np.ndarray or sparse.issparse(values))
        and values.dtype == np.float64
        and values.ndim == 2
        and values.shape[0] > 0
    )
    if not plain:
        return False
    if reset:
        labelled = isinstance(y, str) or (plainly_labels(y) and len(y) == values.shape[0])
        return labelled and values.shape[1] > 0
    return values.shape[1] == estimator.n_features_in_ and not hasattr(
        estimator, "feature_names_in_"
    )


def _hint(estimator, values, y, error, *, reset):
    told = str(error)
    if (isinstance(error, TypeError) and "np.matrix" not in told) or "could not convert" in told:
        if "similarity" in estimator.get_params(deep=False):
            return "X must hold numbers; objects are compared by similarity='auto', or a name."
        return "X must hold numbers; compare objects with PairwiseSimilarity first."
    try:
        shape = np.shape(values)
    except Exception:  # rows of several lengths, or no array at all
        return "Pass a table of numbers whose rows are equally long."
    if len(shape) != 2:
        return _told_shape(values, shape, reset)
    if "Complex" in told:
        refuse_dtype(np.asarray(values).dtype, "X")
    if "feature names" in told:
        return "Take the columns by the names that they had at fit: X[model.feature_names_in_]."
    if not reset and "features" in told:
        require_finite(as_values(values, "X"))  # the plainer fault of the two comes first
        n = estimator.n_features_in_
        told = f"The columns of X must be the {n} training samples, in their order."
        return told + (" Did you mean X.T?" if shape[0] == n else "")
    if "inconsistent numbers of samples" in told:
        return f"X has {shape[0]} rows but there are {len(y)} labels; expected one label per row."
    if "0 sample" in told or "0 feature" in told:
        return "X is empty: pass at least one row and one reference sample."
    return ""


def _told_shape(values, shape, reset):
    """What was expected of what is no matrix; n(n - 1) / 2 numbers may be pairs of n samples."""
    got = f"has shape {shape}" if shape else f"is of type {type(values).__name__}"
    told = f"X {got}; expected a matrix whose columns are the training samples."
    n = int(np.sqrt(2 * shape[0])) + 1 if reset and len(shape) == 1 else 0
    if n < 2 or n * (n - 1) != 2 * shape[0]:
        return told
    return f"{told} Of condensed distances make one: scipy.spatial.distance.squareform(X)."


def _warn_if_other_kind(block):
    """Warn if the diagonal is farthest of all: then a matrix is of the other kind, most likely."""
    if block.is_sparse or len(block) < 2:
        return
    diagonal = block.values.diagonal()
    farthest = block.values.min() if block.large_is_near else block.values.max()
    if (diagonal != farthest).any() or np.count_nonzero(block.values == farthest) > len(block):
        return
    other = "dissimilarity" if block.kind == "similarity" else "similarity"
    warn(
        f"X was taken as a {block.kind}, but every sample is farther from itself than from any "
        f"other: it looks like a {other}. Pass Pairwise(X, {other!r}), or kind={other!r} where "
        "the estimator has it.",
        KindWarning,
        stacklevel=4,
    )


def _has_parameter(estimator):
    """Whether the kind of a plain matrix can be said."""
    return "kind" in estimator.get_params(deep=False)


def _decided_kind(estimator, values):
    """The kind of a plain training matrix: as was said, or as its diagonal tells.

    An estimator that takes either kind alike, and has no parameter to say it, reads similarities.
    """
    kind = estimator.kind
    if kind is not None:
        return kind
    if not _has_parameter(estimator):
        return "similarity"
    told = kind_by_diagonal(values)
    if told == "dissimilarity" and below_zero(values):  # no dissimilarity is; a similarity may be
        raise InputError(
            f"By its diagonal X holds dissimilarities, but some are negative (the smallest is "
            f"{values.min():g}). Say kind='similarity' if large means near; if not, make them 0 or "
            "more, and say kind='dissimilarity'."
        )
    if told is None and values.shape[0] == values.shape[1] and values.min() < values.max():
        raise InputError(
            "The diagonal of X does not tell whether X holds similarities or dissimilarities. Say "
            "kind='similarity' or kind='dissimilarity'."
        )
    return told or "similarity"


def _refuse_kind(estimator, kind, *, reset):
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
    if _has_parameter(estimator):
        raise InputError(f"X holds a {kind}, but kind={asked!r} was given. Leave kind out.")
    if asked == "dissimilarity":
        raise InputError(
            f"X holds a {kind}; {type(estimator).__name__} needs a dissimilarity. Converting is a "
            "modelling choice: see similearn.convert."
        )
