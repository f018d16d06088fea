"""The door of estimators that take `Sources`: several blocks and feature tables at once."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources
from similearn.errors import InputError
from similearn.estimators.shell.blocks import PairwiseInput, refuse_other_columns
from similearn.estimators.shell.feature_tables import FeatureInput
from similearn.estimators.shell.labels import label_column, require_labels
from similearn.estimators.shell.parameters import require_flags
from similearn.numerics.neighbors.row_search import nearest_rows, row_table

ALONE = "pairs"
"""The name of a block that comes without others."""


class SourcesInput(PairwiseInput):
    """Mixin: whatever comes in becomes checked `Sources`, square at training.

    One block alone, a `Pairwise` or a plain matrix of the class's `kind`, is the source
    named "pairs". A class whose `kind` is None takes either, and reads a plain matrix as
    similarities, as every estimator does.
    """

    _sets: tuple[str, ...] = ("reference_ids_", "table_columns_")

    _both_directions = False  # each block is asked for both directions by whoever reads it

    def _training_sources(self, X, y):
        require_flags(self)
        require_labels(self, y)
        if isinstance(X, Sources):
            self.n_features_in_ = X.shape[1]
            vars(self).pop("feature_names_in_", None)
            self.table_columns_ = dict(X.table_columns)
        else:
            block, y = self._training_block(X, y)
            X, self.table_columns_ = Sources({ALONE: block}), {}
        m, n = X.shape
        y = label_column(y, m)
        if m != n:
            raise InputError(
                f"Training needs square blocks of samples with themselves, got {m} × {n}."
            )
        return X, y

    def _checked_sources(self, X):
        if isinstance(X, Sources):
            refuse_other_columns(column_ids(X), getattr(self, "reference_ids_", None))
            return X.with_columns(getattr(self, "table_columns_", {}))
        block = self._query_block(X)
        # The check forgets that training samples may come as queries; a Pairwise does not.
        return Sources({ALONE: X if isinstance(X, Pairwise) else block})


def named_source(X, name, owner):
    """Return one source by name, or say which there are."""
    if name not in list(X):
        raise InputError(f"{owner} asks for source {name!r}; X holds {', '.join(list(X))}.")
    return X[name]


def column_ids(X):
    """Names of the training samples that the first block with names has, or None."""
    named = (s.column_ids for s in X.values() if isinstance(s, Pairwise))
    return next((ids for ids in named if ids is not None), None)


def suited(source, name, estimator):
    """Return a source as an estimator takes it: a block, or a table of features.

    To a classifier of features a block is the table of its values, the similarities to the
    training samples.
    """
    if get_tags(estimator).input_tags.pairwise:
        if not isinstance(source, Pairwise):
            raise InputError(
                f"Source {name!r} is a table of features, but {type(estimator).__name__} needs a "
                "block of similarities or dissimilarities. Wrap the block in Pairwise, or "
                "compare the rows of the table with PairwiseSimilarity first."
            )
        return source
    if not isinstance(source, Pairwise):
        return source
    return source.rows()


class BlockNeighbors(PairwiseInput, BaseEstimator):
    """The nearest training samples by one block of any kind."""

    _asks_only = True

    def fit(self, X):
        """Check the training block."""
        self._training_block(X)
        return self

    def search(self, X, *, own=False):
        """Return a function of k and rows that finds neighbours of these queries.

        With `own` X is the training block, and samples are no neighbours of themselves.
        """
        block = self._training_block(X)[0] if own else self._query_block(X)
        return lambda k, rows: block.nearest(k, rows, skip_self=own)


class TableNeighbors(FeatureInput, BaseEstimator):
    """The nearest training samples by the Euclidean distance of features."""

    def fit(self, X):
        """Check and keep the training table."""
        self.table_ = row_table(self._feature_table(X, reset=True))
        return self

    def search(self, X, *, own=False):
        """Return a function of k and rows that finds neighbours of these queries."""
        queries = self._feature_table(X, reset=False)

        def nearest(k, rows):
            skip = np.arange(len(queries))[rows] if own else None
            return nearest_rows(queries[rows], self.table_, k, skip=skip)

        return nearest


def neighbors_in(source):
    """Return the fitted search for neighbours in a source."""
    search = BlockNeighbors() if isinstance(source, Pairwise) else TableNeighbors()
    return search.fit(source)
