"""The shell of classifiers of feature tables, and their nearest neighbours class by class."""

import numpy as np

from similearn.data.checks import require_finite
from similearn.data.sources import Sources
from similearn.errors import InputTypeError
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.blocks import needs_no_check, validated
from similearn.estimators.shell.parameters import require_flags, require_integer
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.neighbors.row_search import nearest_rows, row_table


class FeatureInput:
    """Mixin: checks a table of features at the door, once."""

    _sets: tuple[str, ...] = ("n_features_in_",)

    def _feature_table(self, X, y="no_validation", *, reset):
        """Return the checked table (m, d), C order, float64; and y if it was given."""
        if isinstance(X, Sources):
            raise InputTypeError(
                f"{type(self).__name__} takes one table of features, got Sources. Pass one of "
                "them, X['name'], or fuse several with FusionClassifier."
            )
        if reset:
            require_flags(self)
        elif (
            type(X) is np.ndarray
            and X.flags.c_contiguous
            and needs_no_check(self, X, y, reset=reset)
        ):
            require_finite(X)
            return X
        checked = validated(
            self,
            X,
            y,
            reset=reset,
            hint=lambda error: " X must be a dense table of numbers.",
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
        )
        table = checked if isinstance(y, str) else checked[0]
        require_finite(table)
        return checked


class FeatureClassifier(FeatureInput, ScoreClassifier):
    """Classifiers of feature tables. Subclasses give `_fit` and `_scores`, with arrays as data.

    ``fit(X, y)`` takes a table (n, d): one row per sample, one column per feature, all numbers.
    A `Pairwise` is read as its values: the similarities to the samples of its columns are
    the features.
    """

    def _check_training(self, X, y):
        return self._feature_table(X, y, reset=True)

    def _check_queries(self, X):
        return self._feature_table(X, reset=False)

    def _check_own_block(self, X):
        return self._feature_table(X, reset=False)


class LocalFeatureClassifier(FeatureClassifier):
    """Classifiers by the k nearest training samples *of each class*, for every k at once.

    Subclasses give ``_class_scores(queries, rows, near, ks)``, the scores (m, r) that one
    class gets from its neighbours.
    """

    _sets: tuple[str, ...] = (
        "codes_",
        "counts_",
        "class_members_",
        "class_tables_",
    )

    _path = ("n_neighbors",)
    _path_leaves_one_out = True
    _simpler = ("n_neighbors",)
    _leaves_each_out = True

    def _fit_path(self, X, codes, candidates):
        for k in self._values_of("n_neighbors", candidates):
            require_integer("n_neighbors", k)
        self.codes_ = codes
        self.counts_ = np.bincount(codes)
        self.class_members_ = [np.flatnonzero(codes == g) for g in range(len(self.classes_))]
        self.class_tables_ = [row_table(X[members]) for members in self.class_members_]

    def _in_chunks(self, function, data, axis=0):
        # Thousands of small products: threads of their own would mostly wait for each other.
        with one_blas_thread():
            return super()._in_chunks(function, data, axis)

    def _path_scores(self, X, rows, candidates, skip_self=False):
        ks = np.array(self._values_of("n_neighbors", candidates))
        own = np.arange(len(X))[rows] if skip_self else None
        scores, found = self._likelihoods(X[rows], ks, own)
        return scores + self._log_priors(found, ks, own)

    def _likelihoods(self, queries, ks, own=None):
        """Scores (r, m, n_classes) without priors, and the neighbours they come from."""
        # A class that is left empty by leaving its one member out stays impossible.
        scores = np.full((len(ks), len(queries), len(self.classes_)), -np.inf)
        found = Neighborhoods(len(queries), np.minimum(ks.max(), self.counts_))
        for g, table in enumerate(self.class_tables_):
            for part, positions, distances in self._searches(queries, g, ks.max(), own):
                found.add(g, part, self.class_members_[g][positions], distances)
                few = np.minimum(ks, positions.shape[1])
                likelihoods = self._class_scores(queries[part], table.rows, positions, few)
                scores[:, part, g] = likelihoods.T
        return scores, found

    def _searches(self, queries, g, k, own):
        """Yield queries, and positions and distances of their k nearest within class g.

        Queries that belong to the class and are left out of it come by themselves, since
        they may find one neighbour less.
        """
        groups = [(slice(None), None, self.counts_[g])]
        if own is not None:
            mine = self.codes_[own] == g
            places = np.searchsorted(self.class_members_[g], own[mine])
            groups = [(~mine, None, self.counts_[g]), (mine, places, self.counts_[g] - 1)]
        for part, skip, size in groups:
            if size and len(queries[part]):
                found = nearest_rows(queries[part], self.class_tables_[g], min(k, size), skip=skip)
                yield part, *found

    def _log_priors(self, found, ks, own):
        """What is added to the scores (r, m, n_classes) of the classes."""
        return 0.0

    def _row_bytes(self, X):
        # Rough distances to one class, and candidates as many at worst (position, distance).
        search = 4 * max(self.counts_) + 2 * X.shape[1]
        return super()._row_bytes(X) + 8 * (search + 6 * self.counts_.sum())

    def _explain(self, X):
        ks = np.array([self.n_neighbors])
        likelihoods, found = self._likelihoods(X, ks)
        positions, distances = found.nearest_first()
        codes = self.codes_[positions]
        return {
            "neighbors": positions,
            "values": distances,
            "labels": self.classes_[codes],
            "weights": 1 / np.minimum(self.n_neighbors, self.counts_)[codes],
            "terms": self._terms(likelihoods[0], self._log_priors(found, ks, None)),
        }

    def _terms(self, likelihoods, log_priors):
        return {}


class Neighborhoods:
    """Neighbours of all classes side by side; a place that is not filled is infinitely far."""

    def __init__(self, n_queries, sizes):
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.positions = np.zeros((n_queries, self.starts[-1]), dtype=np.intp)
        self.distances = np.full((n_queries, self.starts[-1]), np.inf)

    def add(self, g, part, positions, distances):
        """Put down the neighbours that some queries have in class g."""
        places = slice(self.starts[g], self.starts[g] + positions.shape[1])
        self.positions[part, places] = positions
        self.distances[part, places] = distances

    def nearest_first(self):
        """Positions and distances in one order, by the library's tie rule."""
        order = np.lexsort((self.positions, self.distances), axis=1)
        return (
            np.take_along_axis(self.positions, order, axis=1),
            np.take_along_axis(self.distances, order, axis=1),
        )
