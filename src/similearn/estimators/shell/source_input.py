"""The door of estimators that take `Sources`: several blocks and feature tables at once."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d, get_tags

from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources
from similearn.errors import InputError, InputTypeError
from similearn.estimators.shell.blocks import PairwiseInput
from similearn.estimators.shell.feature_tables import FeatureInput
from similearn.numerics.neighbors.row_search import nearest_rows, row_table


class SourcesInput:
    """Mixin: checks that X is `Sources`, square at training, and holds what is asked for."""

    def _training_sources(self, X, y):
        sources = self._checked_sources(X)
        if y is None:
            raise InputError(f"{type(self).__name__} requires y to be passed, but it is None.")
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        m, n = sources.shape
        if m != n:
            raise InputError(
                f"Training needs square blocks of samples with themselves, got {m} × {n}."
            )
        return sources, y

    def _checked_sources(self, X):
        if not isinstance(X, Sources):
            raise InputTypeError(
                f"{type(self).__name__} takes Sources, several blocks and tables under names; got "
                f"{type(X).__name__}. Pass Sources({{'name': X, ...}}), with blocks as Pairwise."
            )
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def named_source(X, name, owner):
    """Return one source by name, or say which there are."""
    if name not in list(X):
        raise InputError(f"{owner} asks for source {name!r}; X holds {', '.join(list(X))}.")
    return X[name]


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
    if not source.is_sparse:
        return source.values
    if source.kind == "dissimilarity":
        raise InputError(
            f"Source {name!r} is a sparse dissimilarity, whose missing entries are unknown: it "
            f"cannot serve {type(estimator).__name__} as a table of features. Fill it in before."
        )
    return source.values.toarray()


class BlockNeighbors(PairwiseInput, BaseEstimator):
    """The nearest training samples by one block of any kind."""

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
