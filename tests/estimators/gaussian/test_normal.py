"""NormalClassifier against scikit-learn's discriminants and SciPy's densities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV

from similearn import PathSearchCV
from similearn.errors import InputError
from tests.uncalibrated import NormalClassifier


def table(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, d)) * [1, 2, 3, 4][:d] + 1.5 * y[:, None], y


def test_shared_covariance_is_a_shrunk_linear_discriminant():
    X, y = table()
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)
    # scikit-learn shrinks each class's correlations; without them both are the same.
    model = NormalClassifier(shrinkage=1.0).fit(X, y)
    centred = X - np.array([X[y == g].mean(axis=0) for g in range(3)])[y]
    unit = np.mean(centred**2)
    lda.shrinkage, lda.covariance_estimator = None, _Known(unit * np.eye(4))
    expected = lda.fit(X, y).predict_proba(X)
    assert_allclose(model.predict_proba(X), expected, atol=1e-9)


class _Known:
    """A covariance estimator that knows its answer."""

    def __init__(self, covariance):
        self.covariance_ = covariance

    def fit(self, X):
        return self


@pytest.mark.parametrize("covariance", ["shared", "own"])
def test_densities_as_scipy_computes_them(covariance):
    X, y = table()
    model = NormalClassifier(covariance, shrinkage=0.2).fit(X, y)
    within = X - np.array([X[y == g].mean(axis=0) for g in range(3)])[y]
    expected = []
    for g in range(3):
        members = within[y == g] if covariance == "own" else within
        S = members.T @ members / len(members)
        S = 0.8 * S + 0.2 * np.trace(S) / 4 * np.eye(4)
        density = multivariate_normal(X[y == g].mean(axis=0), S)
        expected.append(density.logpdf(X) + np.log(1 / 3))
    assert_allclose(model.decision_function(X), np.transpose(expected), rtol=1e-9)


def test_more_features_than_samples_and_classes_of_one():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((7, 20)), np.array([0, 0, 0, 1, 1, 1, 2])
    for covariance in ("shared", "own"):
        assert np.isfinite(NormalClassifier(covariance).fit(X, y).predict_proba(X)).all()


def test_path_equals_refit():
    X, y = table()
    grid = {"shrinkage": [0.01, 0.5, 1.0]}
    model = NormalClassifier("own")
    by_path = PathSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(X, y)
    by_point = GridSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(X, y)
    expected = by_point.cv_results_["mean_test_score"]
    assert by_path.searched_by_path_
    assert_allclose(by_path.cv_results_["mean_test_score"], expected)


def test_shrinkage_beyond_one_is_refused():
    X, y = table()
    with pytest.raises(InputError, match="at most 1"):
        NormalClassifier(shrinkage=1.5).fit(X, y)
