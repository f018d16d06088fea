"""Sets of labels from what a search said of samples that it had not seen."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from similearn.errors import InputError, InputTypeError
from similearn.estimators.neighbors.conformal import require_coverage
from similearn.selection.held_out import known_out_of_fold


class PredictsSets:
    """Mixin of searches that keep out-of-fold probabilities, and the labels in ``_held_out_y``."""

    def predict_set(self, X, coverage=0.9):
        """Find the labels that cannot be ruled out; needs ``keep_out_of_fold=True``.

        Parameters
        ----------
        X : queries, as for ``predict``
        coverage : float, default=0.9
            How often a set is to hold the true label, in each class by itself.

        Returns
        -------
        boolean array (m, n_classes), in the order of ``classes_``. See `conformal_sets`.
        """
        return conformal_sets(self, X, getattr(self, "_held_out_y", None), coverage)


def conformal_sets(search, X, y, coverage=0.9):
    """Find the labels that cannot be ruled out, from out-of-fold probabilities.

    Parameters
    ----------
    search : fitted `PathSearchCV` with ``keep_out_of_fold=True`` and probabilities
    X : queries, as for its ``predict``
    y : (n,) labels that it was fitted to
    coverage : float, default=0.9
        How often a set is to hold the true label, in each class by itself.

    Returns
    -------
    boolean array (m, n_classes), in the order of ``classes_``
        Whether each label belongs to the set: unless the query is less probable in that class
        than all but a share 1 - `coverage` of its members were when they were held out.

    Notes
    -----
    Cross-conformal prediction, class by class, without a further fit. It supposes that the
    model of all samples speaks of a query as the models of the folds speak of their held-out
    samples. They learned from a little less, so that coverage is close to what is asked, most
    often above, but not guaranteed: `NeighborsClassifier.predict_set` guarantees it. A class
    of n_g members can be ruled out only if 1 - `coverage` is at least 1 / (n_g + 1). Cost: that
    of ``predict_proba``, and O((m + n) log n).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier, PathSearchCV, conformal_sets
    >>> points, y = np.r_[0:1:12j, 3:4:12j], np.repeat(["a", "b"], 12)
    >>> knn = NeighborsClassifier(kind="dissimilarity")
    >>> search = PathSearchCV(knn, {"n_neighbors": [1, 3, 5]}, cv=4, keep_out_of_fold=True)
    >>> search = search.fit(abs(points[:, None] - points), y)
    >>> conformal_sets(search, abs(np.array([[0.5], [3.2]]) - points), y)
    array([[ True, False],
           [False,  True]])
    """
    if not isinstance(search, BaseEstimator):
        raise InputTypeError(f"search is of type {type(search).__name__}; expected a PathSearchCV.")
    check_is_fitted(search)
    share = 1.0 - require_coverage(coverage)
    probabilities, codes = known_out_of_fold(search, y)
    if probabilities is None:
        raise InputError(
            f"{type(search).__name__} kept no out-of-fold probabilities; expected a PathSearchCV "
            "with keep_out_of_fold=True over a classifier with predict_proba, fitted with refit. "
            "NeighborsClassifier and SimilarityClassifier have predict_set of their own."
        )
    own = np.where(probabilities.mask.any(axis=1), np.nan, probabilities.data[range(len(y)), codes])
    return sets_by_class(own, codes, np.asarray(search.predict_proba(X)), share)


def sets_by_class(own, codes, said, share):
    """Labels of which a query is not among the least probable members.

    Parameters
    ----------
    own : (n,) probabilities of the samples' own classes when they were held out, NaN if never
    codes : (n,) those classes
    said : (m, n_classes) probabilities of the queries
    share : how many of its members a class may lose

    Returns
    -------
    boolean array (m, n_classes)
    """
    sets = np.empty(said.shape, dtype=bool)
    for g in range(said.shape[1]):
        known = np.sort(own[(codes == g) & ~np.isnan(own)])
        # Probabilities are sums: those that differ in rounding alone are equal.
        as_strange = np.searchsorted(known, said[:, g] + 1e-9, side="right")
        sets[:, g] = (1 + as_strange) / (1 + len(known)) > share + 1e-12
    return sets
