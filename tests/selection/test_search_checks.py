"""scikit-learn's own checks, on the search."""

from functools import partial

import numpy as np
import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from similearn import LocalBDAClassifier, NeighborsClassifier, PathSearchCV
from tests.library_checks import check_or_fail

# Checks look for the sentence of the estimator, which other values of error_score collect.
search = partial(PathSearchCV, error_score="raise", progress=False)
SEARCHES = [
    search(NeighborsClassifier(), {"n_neighbors": [1, 2]}, cv=2),
    search(NeighborsClassifier(weights="krr"), {"ridge": [0.1, 1.0]}, cv="loo"),
    search(NeighborsClassifier(), {"weights": ["uniform", "affinity"]}, cv=2),  # point by point
    search(LocalBDAClassifier(), {"n_neighbors": [3, 5]}, cv=2),  # features
]


def expected_failures(search):
    """Every exclusion, with its reason."""
    if not get_tags(search).input_tags.pairwise:
        return {}
    reason = "feeds features, not a kernel; test_parity.py compares both on a kernel"
    return {"check_decision_proba_consistency": reason}


@pytest.mark.thinned
@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning", "ignore:One or more")
@parametrize_with_checks(SEARCHES)
def test_scikit_learn_check(estimator, check):
    check_or_fail(estimator, check, expected_failures(estimator))


@pytest.mark.parametrize("grid", [{"n_neighbors": [1, 2]}, {"weights": ["uniform", "affinity"]}])
def test_nobody_starts_a_million_workers(grid):
    D = abs(np.arange(12.0)[:, None] - np.arange(12.0))
    model = NeighborsClassifier(2, kind="dissimilarity")
    search = PathSearchCV(model, grid, cv=2, n_jobs=2**40).fit(D, np.repeat([0, 1], 6))
    assert search.n_jobs == 2**40 and search.score(D, np.repeat([0, 1], 6)) == 1.0
