import re
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from similearn.data import Pairwise, Sources
from similearn.data.datasets import make_similarities
from similearn.errors import InputError, SimilearnError
from similearn.estimators import DissimilarityToSimilarity, NeighborsClassifier
from similearn.experiments import registry
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.families.calibrated_trees import BoostedTreesClassifier
from similearn.experiments.registry import (
    Method,
    chosen_parameters,
    get_method,
    input_of,
    methods,
    register,
)
from similearn.experiments.tuning import tuned
from tests.experiments.data import quick, small_problem


@pytest.fixture
def own_method(monkeypatch):
    """Adds methods for one test only."""
    monkeypatch.setattr(registry, "_METHODS", dict(registry._METHODS))

    def add(**changes):
        fields = {"summary": "own", "source": "here", "family": "own"} | changes
        return register(Method(**fields))

    return add


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads of linear algebra only wait for each other on problems this small."""
    with threadpool_limits(1):
        yield


def few_folds(y):
    """Enough to choose between two points of a grid."""
    return tuning_folds(y, 0, 0)[:1]


@pytest.mark.thinned
@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_every_method_takes_sparse_blocks_or_says_why_not(method, kind):
    dense, y = small_problem(n=40, kind=kind)
    near = dense.values > 0.4 if kind == "similarity" else dense.values < 2
    block = Pairwise(sparse.csr_array(np.where(near, dense.values, 0)), kind)
    try:
        search = tuned(quick(method), block, few_folds(y)).fit(input_of(method, block), y)
    except SimilearnError:
        return
    assert set(search.predict(input_of(method, block))) <= set(y)


def test_every_method_is_named_and_described():
    """That it learns from either kind is in test_models.py, which fits all of them anyway."""
    for method in methods():
        assert method.summary and method.source and re.fullmatch(r"[a-z0-9-]+", method.name)


def test_grid_of_table_2_is_trimmed_to_the_smallest_training_fold():
    block, y = small_problem(n=40)
    folds = tuning_folds(y, 0, 0)
    search = tuned(get_method("knn"), block, folds)
    assert search.param_grid == {"n_neighbors": [*range(1, 17), 32, 36]}
    assert min(len(train) for train, _ in folds) == 36


def test_dissimilarities_are_converted_by_an_explicit_step():
    block, y = small_problem(n=40, kind="dissimilarity")
    method = get_method("affinity-knn")
    search = tuned(method, block, tuning_folds(y, 0, 0)).fit(block, y)
    assert method.converts("dissimilarity") and not method.converts("similarity")
    assert isinstance(search.best_estimator_, Pipeline)
    assert isinstance(search.best_estimator_.steps[0][1], DissimilarityToSimilarity)
    assert set(chosen_parameters(search)) == {"n_neighbors"}


def test_unknown_name_suggests_near_ones():
    with pytest.raises(InputError, match=r"No method is named 'afinity-knn'. Did you mean affini"):
        get_method("afinity-knn")
    with pytest.raises(InputError, match="There are auto, knn, affinity-knn"):
        get_method("zzz")


def test_registering_twice_is_refused(own_method):
    own_method(name="mine", build=lambda kind: NeighborsClassifier(3, kind=kind))
    with pytest.raises(InputError, match="'mine' is registered already"):
        own_method(name="mine", build=lambda kind: NeighborsClassifier(3, kind=kind))


def test_methods_without_a_grid_are_fitted_as_they_are(own_method):
    block, y = small_problem(n=40)
    method = own_method(name="mine", build=lambda kind: NeighborsClassifier(3, kind=kind))
    fitted = tuned(method, block, tuning_folds(y, 0, 0)).fit(block, y)
    assert isinstance(fitted, NeighborsClassifier)
    assert chosen_parameters(fitted) == {}


def test_open_random_states_are_seeded(own_method):
    block, y = small_problem(n=40)
    method = own_method(name="dummy", build=lambda kind: DummyClassifier(strategy="uniform"))
    assert tuned(method, block, tuning_folds(y, 0, 0), seed=7).random_state == 7


def test_sources_get_the_block_and_its_rows_as_features(own_method):
    block, _ = small_problem(n=40)
    method = own_method(name="fused", build=lambda kind: None, needs="sources")
    sources = input_of(method, block)
    assert isinstance(sources, Sources)
    assert sources["pairs"] is block
    assert np.array_equal(sources["features"], block.values)
    assert input_of(method, sources) is sources


def test_chosen_parameters_keep_apart_what_has_the_same_short_name():
    fitted = SimpleNamespace(
        best_params_={"sda__n_neighbors": 3, "bda__n_neighbors": 5, "sda__alpha": 0.1}
    )
    assert chosen_parameters(fitted) == {"sda__n_neighbors": 3, "bda__n_neighbors": 5, "alpha": 0.1}


@pytest.mark.parametrize("name", ["rbf-sim-knn", "features-rbf-svm"])
def test_rows_are_compared_in_units_of_the_data(name):
    made = make_similarities(60, bayes_error=0.05, random_state=0)
    X, y = made.data.values, made.target
    predictions = [
        get_method(name).build("similarity").fit(c * X[:40, :40], y[:40]).predict(c * X[40:, :40])
        for c in (1e-6, 1.0, 1e6)
    ]
    assert np.mean(predictions[1] == y[40:]) > 0.8
    for other in (predictions[0], predictions[2]):
        np.testing.assert_array_equal(other, predictions[1])


def test_each_family_holds_the_methods_that_the_registry_expects_of_it():
    for family, names in registry._FAMILIES.items():
        module = import_module(f"similearn.experiments.families.{family}")
        assert tuple(method.name for method in module.METHODS) == names


def test_boosted_trees_are_calibrated_and_decide_as_scikit_learns_do():
    rng = np.random.default_rng(0)
    for n_classes in (2, 3):
        y = np.array(["a", "b", "c"])[rng.integers(n_classes, size=240)]
        X = rng.normal(size=(240, 8)) + 0.8 * (y == "b")[:, None]  # "a" and "c" are the same
        train, test = np.arange(120), np.arange(120, 240)
        ours = BoostedTreesClassifier().fit(X[train], y[train])
        theirs = HistGradientBoostingClassifier().fit(X[train], y[train])
        assert_array_equal(ours.predict(X[test]), theirs.predict(X[test]))
        plain = BoostedTreesClassifier(calibration="none").fit(X[train], y[train])
        assert_allclose(plain.predict_proba(X[test]), theirs.predict_proba(X[test]))
        losses = [log_loss(y[test], m.predict_proba(X[test])) for m in (ours, theirs)]
        assert losses[0] < losses[1] - 0.1
        costs = np.ones((n_classes, n_classes))
        costs[0] = 1e6
        assert "a" not in BoostedTreesClassifier(costs=costs).fit(X, y).predict(X)
