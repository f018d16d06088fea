import csv
import os
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from threadpoolctl import threadpool_limits

from similearn.data import Pairwise
from similearn.errors import FileError, InputError, SimilearnWarning
from similearn.experiments.models import fit_model, load_model, queries_for, save_model
from similearn.experiments.predictions import predicted_columns, write_predictions
from similearn.experiments.registry import get_method, input_of, methods
from tests.experiments.data import quick, small_problem


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads of linear algebra only wait for each other on problems this small."""
    with threadpool_limits(1):
        yield


def fitted(name="knn", kind="similarity", ids=None, n=60):
    block, y = small_problem(n, kind=kind)
    block = replace(block, row_ids=ids, column_ids=ids)
    method = get_method(name)  # the default with all its effort, so that all members are kept
    return fit_model(method if name == "auto" else quick(method), block, y), block, y


@pytest.mark.thinned
@pytest.mark.filterwarnings("ignore::similearn.errors.ConvergenceWarning")  # of quick grids
@pytest.mark.parametrize("name", [method.name for method in methods()])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_every_method_learns_and_comes_back_as_it_was(tmp_path, name, kind, two_folds):
    model, block, y = fitted(name, kind, n=40)
    assert model.estimator.score(input_of(get_method(name), block), y) > 0.6
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.parameters == model.parameters
    assert (loaded.kind, loaded.n_training, loaded.method) == (kind, 40, name)
    assert loaded.classes == ["blue", "green", "red"]
    # Not the training block itself, of whose product with itself NumPy makes use.
    queries = input_of(get_method(name), queries_for(loaded, block[np.ix_(range(30), range(40))]))
    assert_array_equal(loaded.estimator.predict(queries), model.estimator.predict(queries))
    if hasattr(model.estimator, "predict_proba"):
        again = loaded.estimator.predict_proba(queries)
        assert_array_equal(again, model.estimator.predict_proba(queries))
    assert os.listdir(tmp_path) == ["model"]


def test_models_of_sparse_blocks(tmp_path):
    block, y = small_problem()
    S = sparse.csr_array(np.where(block.values > 0.3, block.values, 0))
    model = fit_model(get_method("rbf-sim-knn"), Pairwise(S, "similarity"), y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert_array_equal(loaded.estimator.predict(S), model.estimator.predict(S))


def test_files_that_are_no_models(tmp_path):
    path = tmp_path / "model"
    with pytest.raises(FileError, match="There is no file"):
        load_model(path)
    path.write_bytes(b"hello")
    with pytest.raises(FileError, match="no model file, or a damaged one"):
        load_model(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_truncated_models(tmp_path, share):
    model, _, _ = fitted()
    path = tmp_path / "model"
    save_model(model, path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(FileError, match="no model file, or a damaged one"):
        load_model(path)


def test_another_version_is_told(tmp_path):
    model, _, _ = fitted()
    save_model(replace(model, version="0.0.9"), tmp_path / "model")
    with pytest.warns(SimilearnWarning, match=r"written by similearn 0\.0\.9, this is"):
        load_model(tmp_path / "model")


def test_columns_must_be_the_training_samples():
    ids = np.array([f"s{i}" for i in range(60)])
    model, block, _ = fitted(ids=ids)
    with pytest.raises(InputError, match=r"12 columns, but the model was fitted to 60 .*transpose"):
        queries_for(model, block[np.ix_(range(60), range(12))])
    with pytest.raises(InputError, match="holds a dissimilarity, but the model was fitted to a si"):
        queries_for(model, Pairwise(block.values, "dissimilarity"))
    others = replace(block, column_ids=np.array([f"s{i}" for i in range(1, 61)]))
    with pytest.raises(InputError, match=r"s0 is not among them \(1 of 60 are missing\)"):
        queries_for(model, others)


def test_columns_in_another_order_are_put_right_by_their_ids():
    ids = np.array([f"s{i}" for i in range(60)])
    model, block, _ = fitted(ids=ids)
    order = np.random.default_rng(0).permutation(60)
    rows = np.arange(60)
    turned = queries_for(model, replace(block, same_samples=False)[np.ix_(rows, order)])
    assert_array_equal(turned.values, block.values)
    assert turned.reverse is None


@pytest.mark.parametrize("ids", [None, [f"q{i}" for i in range(7)]])
def test_predictions_as_csv(tmp_path, ids):
    model, block, _ = fitted()
    queries = Pairwise(block.values[:7], "similarity", row_ids=ids)
    assert write_predictions(model, queries, tmp_path / "out.csv") == 7
    rows = list(csv.DictReader((tmp_path / "out.csv").open()))
    names = ["label", *(f"probability of {c}" for c in model.classes)]
    assert list(rows[0]) == ([] if ids is None else ["id"]) + names
    expected = model.estimator.predict_proba(queries)
    assert_array_equal([[float(row[n]) for n in names[1:]] for row in rows], expected)
    assert [row["label"] for row in rows] == list(model.estimator.predict(queries))


def test_sets_of_labels(tmp_path):
    block, y = small_problem()
    model = fit_model(quick(get_method("auto")), block, y)
    queries = block[np.ix_([0, 20, 40], range(60))]
    columns = predicted_columns(model, queries, coverage=0.9)
    told = zip(y[[0, 20, 40]], columns["possible labels"], strict=True)
    assert all(label in possible for label, possible in told)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert predicted_columns(loaded, queries, coverage=0.9) == columns
    possible = [loaded.classes_[row] for row in loaded.predict_set(queries, coverage=0.9)]
    assert ["; ".join(labels) for labels in possible] == columns["possible labels"]


@pytest.mark.parametrize("name", ["knn", "sda", "features-logistic"])
def test_single_methods_have_sets_of_labels(name, tmp_path):
    model, queries, truth = fitted(name)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    few, most = (loaded.predict_set(queries, coverage=c) for c in (0.7, 0.9))
    assert (few <= most).all() and not most.all()
    assert_array_equal(few, model.predict_set(queries, coverage=0.7))
    assert most[np.arange(len(truth)), np.searchsorted(model.classes_, truth)].mean() > 0.7
    with pytest.raises(InputError, match="without --method"):
        replace(model, held_out=None).predict_set(queries)
    with pytest.raises(InputError, match="without --method"):
        fitted("local-means")[0].predict_set(queries)
