"""Scikit-learn's distances and kernels under their own names."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import (
    PAIRWISE_DISTANCE_FUNCTIONS,
    PAIRWISE_KERNEL_FUNCTIONS,
    distance_metrics,
    pairwise_kernels,
)

from similearn import PairwiseSimilarity
from similearn.errors import InputError
from similearn.similarities import (
    SklearnKernel,
    SklearnMetric,
    evaluate_square,
    get_similarity,
    registry,
)

METRICS = sorted(n for n, s in registry.items() if isinstance(s, SklearnMetric))
KERNELS = sorted(n for n, s in registry.items() if isinstance(s, SklearnKernel))


def rows(name, seed=0, n=9):
    X = np.random.default_rng(seed).random((n, 2 if name == "haversine" else 4))
    if (registry[name].range == (0.0, 1.0) and name not in KERNELS) or name == "yule":
        X = np.round(X)
        X[:, 0], X[:, 1] = 1, 0  # yule and others divide by counts
    return X


@pytest.mark.parametrize("name", METRICS)
def test_metrics(name):
    X, Y = rows(name), rows(name, seed=1, n=5)
    model = get_similarity(name).fit(X)
    options = {}
    if name == "seuclidean":
        options["V"] = X.var(axis=0, ddof=1)
    if name == "mahalanobis":
        options["VI"] = np.linalg.inv(np.cov(X.T))
    typed = (X != 0, Y != 0) if set(np.unique(X)) <= {0, 1} else (X, Y)
    expected = pairwise_distances(*typed, metric=name, **options)
    assert_allclose(model.matrix(X, Y), expected, rtol=1e-9, atol=1e-12)
    assert model.kind == "dissimilarity" and model.name == name
    assert np.isfinite(PairwiseSimilarity(name).fit_transform(X).values).all()


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name):
    X, Y = rows(name), rows(name, seed=1, n=5)
    expected = pairwise_kernels(X, Y, metric="cosine" if name == "cosine_similarity" else name)
    model = get_similarity(name)
    assert_allclose(model.matrix(X, Y), expected, rtol=1e-12)
    assert model.kind == "similarity" and model.symmetric


def test_none_is_missing():
    assert set(distance_metrics()) | set(PAIRWISE_DISTANCE_FUNCTIONS) <= {
        *METRICS,
        "euclidean",
        "precomputed",
    }
    assert set(PAIRWISE_KERNEL_FUNCTIONS) - {"poly", "cosine"} <= set(KERNELS)


def test_parameters():
    X = rows("minkowski")
    model = SklearnMetric("minkowski", params={"p": 3})
    assert_allclose(model.matrix(X, X), cdist(X, X, "minkowski", p=3), atol=1e-12)
    same = get_similarity("minkowski", params={"p": 3})
    assert_allclose(evaluate_square(same, X, n_jobs=2), model.matrix(X, X))
    variances = np.arange(1.0, 5.0)
    known = SklearnMetric("seuclidean", params={"V": variances})
    assert not known.needs_fit
    assert_allclose(known.matrix(X, X), cdist(X, X, "seuclidean", V=variances), atol=1e-12)


def test_gaps_are_allowed_where_the_metric_knows_them():
    X = rows("nan_euclidean")
    X[0, 0] = np.nan
    block = PairwiseSimilarity("nan_euclidean").fit_transform(X).values
    assert_allclose(block, pairwise_distances(X, metric="nan_euclidean"), atol=1e-12)


def test_messages():
    X = rows("manhattan")
    with pytest.raises(InputError, match="metric='gower' is unknown; expected one of braycurtis"):
        SklearnMetric("gower").matrix(X, X)
    with pytest.raises(InputError, match="kernel='gower' is unknown"):
        SklearnKernel("gower").matrix(X, X)
    with pytest.raises(NotFittedError):
        SklearnMetric("mahalanobis").matrix(X, X)
    with pytest.raises(InputError, match="a column is constant"):
        SklearnMetric("seuclidean").fit(np.ones((3, 2)))
    with pytest.raises(InputError, match="at least two rows"):
        SklearnMetric("mahalanobis").fit(X[:1])
