"""The door of the default: whatever a user passes becomes named blocks."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from similearn.data import Pairwise, Sources
from similearn.data.checks import refuse_below_zero, require_finite
from similearn.data.values import kind_by_diagonal, refuse_dtype
from similearn.errors import InputError, KindWarning, warn
from similearn.estimators import PairwiseSimilarity
from similearn.estimators.shell.blocks import PairwiseInput, refuse_other_columns
from similearn.estimators.shell.labels import class_codes, label_column
from similearn.estimators.shell.source_input import column_ids
from similearn.numerics.linalg.units import divided, largest_magnitude, unit_of
from similearn.selection.auto.named_blocks import Blocks, LearnedBlocks
from similearn.similarities.shell.choosing import decided
from similearn.similarities.shell.objects import count
from similearn.similarities.shell.similarity import Similarity

FEWEST_TO_DOUBT = 10
"""Samples from which on labels may speak against what the diagonal says."""
LARGEST_FEATURE = 1e300
"""Beyond it, differences and means of features overflow."""
ONLY = "pairs"
"""The name of a block that comes alone."""


class AnyInput(PairwiseInput):
    """Mixin: a block, a plain matrix, `Sources`, or objects and ``similarity=``."""

    _sets: tuple[str, ...] = (
        "comparison_",
        "reference_ids_",
        "source_names_",
        "table_columns_",
        "tables_",
    )

    _asks_only = True  # members that need all values of a lazy block compute them, or fail

    def _check_training(self, X, y):
        self.reference_ids_, self.comparison_ = None, None
        self.tables_, self.table_columns_, self.notes_ = {}, {}, []
        if self.similarity is not None:
            return self._training_objects(X, y)
        if isinstance(X, Sources):
            return self._training_sources(X, y)
        block, y = self._training_block(X, y)
        _refuse_negative(block)
        self.reference_ids_ = block.column_ids
        self._note_if_one_way("X", block)
        taken = f"X was taken as a {block.kind}"
        if self.kind is None and not isinstance(X, Pairwise):
            told = kind_by_diagonal(block.values) is not None
            taken += ", by its diagonal" if told else "; its values, all equal, do not tell"
            self.notes_.append(f"{taken}.")
            _warn_if_labels_disagree(block, y, taken)
        else:
            _doubt_kind(block, y, taken)
        return Blocks({ONLY: block}), y

    def _check_queries(self, X):
        if self.comparison_ is not None:
            return Blocks({ONLY: self.comparison_.transform(X)})
        if self.kind_ is None:
            return self._query_sources(X)
        return Blocks({ONLY: self._query_block(X)})

    def _training_objects(self, X, y):
        # Chosen once: folds are not to be compared in other ways than the whole.
        similarity, self.notes_ = decided(self.similarity, X)
        # A plain function cannot say whether the order of two objects matters: both are asked.
        plain = callable(similarity) and not isinstance(similarity, Similarity | type)
        self.comparison_ = PairwiseSimilarity(
            similarity, kind=self.kind, symmetric=False if plain else None, n_jobs=self.n_jobs
        )
        try:
            n = count(X)
        except (TypeError, LookupError):
            self.comparison_.fit(X)  # says what X is, and should be
            raise
        y = label_column(y, n)
        block = self.comparison_.fit_transform(X, y)
        self.kind_ = block.kind
        _refuse_negative(block)
        if plain:
            _doubt_kind(block, y, f"The function gives a {block.kind}")
        blocks = {ONLY: block}
        if self.comparison_.function_.learned:
            return LearnedBlocks(blocks, self.comparison_, X, y), y
        return Blocks(blocks), y

    def _training_sources(self, X, y):
        y = label_column(y, X.shape[0])
        self.kind_, self.source_names_ = None, list(X)
        self.reference_ids_, self.table_columns_ = column_ids(X), dict(X.table_columns)
        blocks = {}
        for name in X:
            source = X[name]
            if not isinstance(source, Pairwise):
                self._note_if_square(name, source)
                self.tables_[name], source = _compared_rows(_numbers(source, name))
                blocks[name] = _Door().training(source)
                continue
            told = f"The source {name!r}"
            try:
                blocks[name] = _Door().training(source)
                _refuse_negative(blocks[name])
            except InputError as error:
                raise InputError(f"{told}: {error}") from error
            self._note_if_one_way(told, blocks[name])
            _doubt_kind(blocks[name], y, f"{told} is a {source.kind}")
        return Blocks(blocks), y

    def _note_if_square(self, name, table):
        """A square matrix alone is read as a block; among sources only what says so is one."""
        if table.shape[0] == table.shape[1]:
            self.notes_.append(
                f"The source {name!r} is a square array, taken as a table of features. If it "
                "compares the samples, wrap it in Pairwise."
            )

    def _note_if_one_way(self, told, block):
        """Samples are held out as new ones will come: with one direction, if that is what is known.

        Otherwise members would be praised for what the other direction tells.
        """
        if block.one_way and not block.is_symmetric:
            self.notes_.append(
                f"{told} is asymmetric, and new samples are expected with one direction, what they "
                "are to the known ones; held-out samples were taken so. If both directions will be "
                "known, pass Pairwise(X, kind)."
            )

    def _query_sources(self, X):
        missing = [n for n in self.source_names_ if not isinstance(X, Sources) or n not in list(X)]
        if missing:
            raise InputError(
                f"The model was fitted to Sources named {', '.join(self.source_names_)}; "
                f"{missing[0]!r} is missing. Pass Sources with the same names."
            )
        refuse_other_columns(column_ids(X), self.reference_ids_)
        X, blocks = X.with_columns(getattr(self, "table_columns_", {})), {}
        for name in self.source_names_:
            source = X[name]
            if name in self.tables_:
                n_columns = self.tables_[name].n_features_in_
                source = self.tables_[name].transform(_numbers(source, name, n_columns))
            elif not isinstance(source, Pairwise):
                raise InputError(
                    f"The source {name!r} is of type {type(source).__name__}; expected a block, as "
                    "at fit. Wrap it in Pairwise."
                )
            elif source.shape[1] != len(self.codes_):
                raise InputError(
                    f"The source {name!r} has {source.shape[1]} columns; expected the "
                    f"{len(self.codes_)} training samples, in their order."
                )
            elif not source.is_lazy:
                require_finite(source.values, f"The source {name!r}", n_jobs=self.n_jobs)
            blocks[name] = source
        return Blocks(blocks)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.similarity is not None:
            tags.input_tags = get_tags(PairwiseSimilarity(self.similarity)).input_tags
        return tags


class _Door(PairwiseInput, BaseEstimator):
    """Checks one block among sources."""

    _asks_only = True

    def training(self, block):
        return self._training_block(block)[0]


def _numbers(table, name, n_columns=None):
    """The table of features as finite numbers, with as many columns as at fit."""
    told = f"The source {name!r}"
    if sparse.issparse(table) or isinstance(table, Pairwise):
        raise InputError(
            f"{told} is of type {type(table).__name__}; expected a dense table of numbers, as at "
            "fit. Call .toarray() on a sparse table."
        )
    try:
        if table.dtype.kind in "cmM":
            refuse_dtype(table.dtype, told)
        numbers = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{told} holds what is no number ({error}); expected a table of numbers. "
            "Make numbers of words, or a block of them: PairwiseSimilarity('value_difference')."
        ) from None
    if not numbers.size or n_columns not in (None, numbers.shape[1]):
        raise InputError(
            f"{told} has the shape {numbers.shape}; expected one row or more, and "
            f"{n_columns or 'one or more'} columns."
        )
    require_finite(numbers, told, remedy="Fill it in, by SimpleImputer for instance.")
    if largest_magnitude(numbers) > LARGEST_FEATURE:
        raise InputError(f"{told} holds numbers beyond {LARGEST_FEATURE:g}; divide them by that.")
    return numbers


def _compared_rows(table):
    """Distances of standardized rows: what compares them, and the block.

    Variances are those of the table in its unit, as squares of its values may be beyond floats.
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    unit = unit_of(table)
    scaler = StandardScaler().fit(divided(table, unit))
    scaler.mean_, scaler.scale_ = scaler.mean_ * unit, scaler.scale_ * unit
    compare = PairwiseSimilarity("euclidean", progress=False)
    block = compare.fit_transform(scaler.transform(table))
    return make_pipeline(scaler, compare), block


def _refuse_negative(block):
    """Refuse dissimilarities below zero: most members could not take them."""
    if not block.large_is_near and not block.is_lazy:
        refuse_below_zero(block.values)


def _doubt_kind(block, y, taken):
    """Ask the labels about a kind that was said, where the diagonal tells the other one.

    Of a lazy block nothing is computed for that.
    """
    if not block.is_lazy and kind_by_diagonal(block.values) not in (None, block.kind):
        _warn_if_labels_disagree(block, y, taken)


def _warn_if_labels_disagree(block, y, taken):
    """Warn if the farthest samples tell labels, and the nearest tell them worse than guessing.

    Both by more than three standard errors from what the most frequent class alone would give.
    """
    y = class_codes(y)[1]  # labels are checked before they are compared
    if block.is_sparse or len(block) < FEWEST_TO_DOUBT:
        return
    nearest = block.nearest(1, skip_self=True)[0][:, 0]
    values = block.values
    farthest = values.argmin(axis=1) if block.large_is_near else values.argmax(axis=1)
    near, far = np.mean(y[nearest] == y), np.mean(y[farthest] == y)
    chance = np.bincount(y).max() / len(y)
    slack = 3.0 * np.sqrt(0.25 / len(y))
    if not near + slack < chance < far - slack:
        return
    other = "dissimilarity" if block.large_is_near else "similarity"
    warn(
        f"{taken}, but {far:.0%} of the samples have the label of the farthest sample and "
        f"{near:.0%} that of the nearest: it looks like a {other}. If it is one, pass "
        f"Pairwise(X, {other!r}).",
        KindWarning,
        stacklevel=5,
    )
