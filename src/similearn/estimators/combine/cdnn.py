"""CDNN: nearest neighbours by a learned combination of dissimilarities."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from similearn.errors import InputError
from similearn.estimators.combine.combiner import DissimilarityCombiner
from similearn.estimators.names.old_names import renamed_function
from similearn.estimators.neighbors.classifier import NeighborsClassifier
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.explanation import Explanation
from similearn.estimators.shell.parameters import require_positive
from similearn.estimators.shell.source_input import SourcesInput


@dataclass(frozen=True, eq=False)
class BlockExplanation(Explanation):
    """An `Explanation` that also tells which blocks make a query near to its neighbours.

    Parameters
    ----------
    contributions : dict of block names to (m, k), parts of the combined dissimilarity
    """

    contributions: dict[str, np.ndarray] = field(default_factory=dict)

    def _neighbor_line(self, i, j):
        parts = sorted((values[i, j], name) for name, values in self.contributions.items())
        told = ", ".join(f"{name} {value:.3g}" for value, name in parts)
        return f"{super()._neighbor_line(i, j)}; of it {told}"


class CDNNClassifier(SourcesInput, ScoreClassifier):
    """Combine dissimilarities for nearest neighbours: `DissimilarityCombiner`, then k-NN.

    Parameters
    ----------
    combiner : DissimilarityCombiner, optional
        By default one with its own defaults.
    n_neighbors : int, default=1
        Of the classifier. The combiner has its own, by which it chooses.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    combiner_ : the fitted combiner
    neighbors_ : the fitted `NeighborsClassifier` of combined dissimilarities

    Notes
    -----
    Takes `Sources` of dissimilarity blocks; one block or plain matrix of dissimilarities alone is
    the source "pairs". `explain` tells, for each neighbour, how the
    dissimilarity splits into parts of the blocks, the most binding first.
    `PathSearchCV` scores all `n_neighbors` from one fit per fold.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import CDNNClassifier, DissimilarityCombiner, datasets
    >>> X, y = datasets.make_cylinder(120, return_X_y=True)
    >>> train, test = np.arange(100), np.arange(100, 120)
    >>> model = CDNNClassifier(DissimilarityCombiner(ridge=0.1, cone="spn"), n_neighbors=3)
    >>> model = model.fit(X[np.ix_(train, train)], y[train])
    >>> model.score(X[np.ix_(test, train)], y[test])
    0.85
    """

    kind = "dissimilarity"
    _path = ("n_neighbors",)
    _simpler = ("n_neighbors",)

    def __init__(
        self, combiner=None, *, n_neighbors=1, calibration="temperature", costs=None, n_jobs=None
    ):
        self.combiner = combiner
        self.n_neighbors = n_neighbors
        self.calibration = calibration
        self.costs = costs
        self.n_jobs = n_jobs

    def _check_training(self, X, y):
        return self._training_sources(X, y)

    def _check_queries(self, X):
        sources = self._checked_sources(X)
        return _Queries(sources, self.combiner_.transform(sources))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = True
        return tags

    def _fit_path(self, X, codes, candidates):
        given = DissimilarityCombiner() if self.combiner is None else self.combiner
        if not isinstance(given, DissimilarityCombiner):
            raise InputError(
                f"combiner is a {type(given).__name__}; expected a DissimilarityCombiner."
            )
        combiner = clone(given)
        block = combiner.fit_transform(X, codes)
        model = NeighborsClassifier(self.n_neighbors, kind="dissimilarity", calibration="none")
        self.combiner_ = combiner
        self.neighbors_ = model.fit_path(block, codes, candidates)

    def _scores(self, queries, rows):
        return self.neighbors_._scores(queries.block, rows)

    def _path_scores(self, queries, rows, candidates, skip_self=False):
        return self.neighbors_._path_scores(queries.block, rows, candidates)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Find the nearest training samples of each query by the combined dissimilarity.

        Parameters and what is returned are those of `NeighborsClassifier.kneighbors`, with
        `Sources` as queries.
        """
        check_is_fitted(self)
        block = None if X is None else self._queries(X).block
        return self.neighbors_.kneighbors(block, n_neighbors, return_distance)

    def explain(self, X):
        """Tell why each query is classified as it is, and by which blocks.

        Returns
        -------
        BlockExplanation
            Scores, decision and neighbours; of each its dissimilarity by blocks.
        """
        queries = self._queries(X)
        scores = self._all_scores(queries)
        found = self.neighbors_._explain(queries.block)
        found["labels"] = self.classes_[self.neighbors_.codes_[found["neighbors"]]]
        near = found["neighbors"]
        parts = self.combiner_.contributions(queries.sources)
        return BlockExplanation(
            classes=self.classes_,
            scores=scores,
            decisions=self.classes_[self._decide(scores)],
            contributions={n: np.take_along_axis(v, near, axis=1) for n, v in parts.items()},
            **found,
        )


class _Queries:
    """Sources of queries and their combination."""

    def __init__(self, sources, block):
        self.sources = sources
        self.block = block

    def __len__(self):
        return len(self.block)


def cdnn_generalization_bound(risk, *, n_samples, ridge, kappa, rho, epsilon=0.05):
    r"""Bound on the expected hinge loss of CDNN with one neighbour, as the slides print it.

    .. math:: R \le \hat R + \frac{2\kappa}{\rho N} + \Bigl( \frac{2\kappa}{\rho}
        + \frac{1}{\sqrt{\lambda\rho N}} \Bigr) \sqrt{\frac{\ln 1/\varepsilon}{2N}}

    Parameters
    ----------
    risk : float, the mean hinge loss of the training triples
    n_samples : int, N
    ridge : float, λ
    kappa, rho : floats
        The slides call κ a constant (of the stability of the method; it grows with the
        number of times that a sample is a neighbour) and do not define ρ. Both are yours.
    epsilon : float, default=0.05
        The bound holds with probability 1 - ε.

    Returns
    -------
    float

    See Also
    --------
    jmlr_kernel_bound, jmlr_features_bound : of machines on one similarity.

    Examples
    --------
    >>> from similearn import cdnn_generalization_bound
    >>> bound = cdnn_generalization_bound(0.1, n_samples=5000, ridge=0.1, kappa=2, rho=0.5)
    >>> round(bound, 3)
    0.241
    """
    ridge, kappa = require_positive("ridge", ridge), require_positive("kappa", kappa)
    rho, epsilon = require_positive("rho", rho), require_positive("epsilon", epsilon)
    risk = require_positive("risk", risk, zero=True)
    n_samples = require_positive("n_samples", n_samples)
    if epsilon >= 1 or n_samples < 1:
        raise InputError(
            f"epsilon={epsilon!r} and n_samples={n_samples:g}; expected a probability below 1 and "
            "at least one sample."
        )
    stability = 2 * kappa / rho
    deviation = np.sqrt(np.log(1 / epsilon) / (2 * n_samples))
    spread = stability + 1 / np.sqrt(ridge * rho * n_samples)
    return float(risk + stability / n_samples + spread * deviation)


generalization_bound = renamed_function("generalization_bound", cdnn_generalization_bound)
