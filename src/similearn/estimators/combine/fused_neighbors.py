"""One vote of the nearest neighbours of all sources."""

import numpy as np

from similearn.errors import InputError, InputTypeError
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.parameters import require_neighbors
from similearn.estimators.shell.source_input import SourcesInput, named_source, neighbors_in
from similearn.numerics.scores.decide import break_ties, normalized, running_class_sums


class FusedNeighborsClassifier(WeightedSamples, SourcesInput, ScoreClassifier):
    """Majority vote of the k nearest neighbours in each of several sources (Fusing §6.2).

    The k nearest by every similarity or dissimilarity, and the k nearest by the Euclidean
    distance of every table of features, vote together; who is near in two sources has two
    votes. A tie goes to the class with the nearer members.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours in each source.
    sources : list of names, optional
        Which of the `Sources` vote; by default all.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    class_weight : dict, "balanced" or None, default=None
        {class_weight}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    codes_ : (n,) positions in ``classes_`` of the training labels
    sources_ : list of the names of the sources that vote
    priors_ : (n_classes,) shares of the classes among the training samples
    searches_ : what finds neighbours in each source

    Notes
    -----
    X is `Sources`. One block alone, a `Pairwise` or a plain matrix of similarities, is the source
    named "pairs". With one source this is `NeighborsClassifier`, or the nearest neighbours of
    features. A query of which no source knows a neighbour gets the class frequencies of training.
    Every k is scored from one neighbour search by `PathSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import FusedNeighborsClassifier, Pairwise, Sources
    >>> D = Pairwise([[0.0, 1.0, 4.0], [1.0, 0.0, 4.0], [4.0, 4.0, 0.0]], "dissimilarity")
    >>> X = Sources({"sound": D, "size": [[1.0], [3.0], [3.2]]})
    >>> model = FusedNeighborsClassifier(n_neighbors=1).fit(X, ["bat", "bat", "owl"])
    >>> query = Sources({"sound": D[np.ix_([0], [0, 1, 2])], "size": [[3.3]]})
    >>> model.predict_proba(query).round(2)
    array([[0.54, 0.46]])
    """

    _path = ("n_neighbors",)
    _path_leaves_one_out = True
    _simpler = ("n_neighbors",)
    _leaves_each_out = True

    def __init__(
        self,
        n_neighbors=5,
        *,
        sources=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.sources = sources
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _check_training(self, X, y):
        X, y = self._training_sources(X, y)
        if self.sources is not None and not isinstance(self.sources, (list, tuple)):
            raise InputTypeError(
                f"sources={self.sources!r} must be a list of names of sources, or None for all."
            )
        self.sources_ = list(X) if self.sources is None else list(self.sources)
        if not self.sources_:
            raise InputError("sources is empty; name at least one source, or leave it None.")
        self.searches_ = [neighbors_in(self._source(X, name)) for name in self.sources_]
        return X, y

    def _check_queries(self, X):
        return self._searched(X, own=False)

    def _check_own_block(self, X):
        return self._searched(X, own=True)

    def _as_queries(self, data):
        return self._searched(data, own=True)

    def _searched(self, X, *, own):
        X = self._checked_sources(X)
        named = zip(self.sources_, self.searches_, strict=True)
        return _Queries([s.search(self._source(X, name), own=own) for name, s in named], len(X))

    def _source(self, X, name):
        return named_source(X, name, type(self).__name__)

    def _fit_path(self, X, codes, candidates):
        for k in self._values_of("n_neighbors", candidates):
            require_neighbors(k, self._n_training(X))
        self.codes_ = codes
        self._keep_weights()
        self.priors_ = self._shares(codes)

    def _path_scores(self, queries, rows, candidates, skip_self=False):
        ks = np.array(self._values_of("n_neighbors", candidates))
        found = [nearest(ks.max(), rows) for nearest in queries.searches]
        shares = normalized(sum(self._votes(near, values, ks) for near, values in found))
        unknown = ~np.isfinite([values[:, 0] for _, values in found]).any(axis=0)
        shares[unknown] = self.priors_
        for near, _ in found:
            break_ties(shares, self.codes_[near], ks)
        return np.moveaxis(shares, 1, 0)

    def _votes(self, near, values, ks):
        """Votes (m, r, n_classes) of one source; what a sparse block does not know is inf."""
        known = np.isfinite(values) * self._weights_of(near)
        return running_class_sums(known, self.codes_[near], len(self.classes_), ks)

    def _row_bytes(self, queries):
        return super()._row_bytes(queries) + 8 * 6 * len(self.codes_) * len(self.sources_)

    def _explain(self, queries):
        found = [nearest(self.n_neighbors, slice(None)) for nearest in queries.searches]
        near, values = (np.hstack(parts) for parts in zip(*found, strict=True))
        ks = np.array([self.n_neighbors])
        votes = np.stack([self._votes(*one, ks)[:, 0] for one in found])
        shares = votes / np.maximum(votes.sum(axis=(0, 2), keepdims=True), 1)
        return {
            "neighbors": near,
            "values": values,
            "labels": self.classes_[self.codes_[near]],
            "weights": normalized(np.isfinite(values).astype(float)),
            "terms": dict(zip(self.sources_, shares, strict=True)),
        }


class _Queries:
    """Queries that know how to find their neighbours in every source."""

    def __init__(self, searches, n_queries):
        self.searches = searches
        self.n_queries = n_queries

    def __len__(self):
        return self.n_queries
