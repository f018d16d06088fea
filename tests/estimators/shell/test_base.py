"""What the shell does for every classifier: labels, threads, costs, and the state of paths."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn import Pairwise, Sources
from similearn.errors import SimilearnError
from tests.uncalibrated import FusedNeighborsClassifier, NeighborsClassifier

S = np.eye(6) + 0.1
Y = [0, 0, 0, 1, 1, 1]


def test_a_plain_fit_after_a_path_forgets_it():
    model = NeighborsClassifier(6)
    model.fit_path(S, Y, [{"n_neighbors": 2}, {"n_neighbors": 5}], leave_one_out=True)
    model.fit(S, Y)
    assert not hasattr(model, "candidates_")
    assert_allclose(model.predict_proba(S), np.full((6, 2), 0.5))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", None, "a", "b", "b", "b"], "y holds None"),
        (np.array([1, "a", 2.5, 2, 2, 2], dtype=object), "y mixes labels of types float, int, str"),
        ([b"a", b"a", b"b", b"b", b"b", b"b"], "bytes"),
        (np.ma.masked_array(Y, mask=[1, 0, 0, 0, 0, 0]), "y is a masked array"),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "Unknown label type: continuous"),
        (np.zeros(6, dtype=np.int64), "one class only, 0; a classifier"),
        (["x" * 100_000] * 6, r"one class only, 'x+\.\.\.x+'; a classifier"),
        (["\x1b[31m"] * 6, r"one class only, '\\x1b\[31m'"),
    ],
)
def test_labels_that_cannot_be_used(labels, message):
    with pytest.raises(SimilearnError, match=message) as caught:
        NeighborsClassifier(2).fit(S, labels)
    assert len(str(caught.value)) < 1500


def test_a_class_for_every_sample_is_no_regression():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NeighborsClassifier(2).fit(S, [5, 4, 3, 2, 1, 0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"costs": "abc"}, "costs='abc' is unknown"),
        ({"costs": [[0, "x"], [1, 0]]}, "costs cannot be read as numbers"),
        ({"costs": 5}, r"costs has shape \(\); expected \(2, 2\)"),
        ({"n_jobs": "x"}, "n_jobs='x' must be an integer or None, got str"),
        ({"n_jobs": 0}, "n_jobs=0 means no thread at all"),
        ({"n_jobs": object()}, "n_jobs=<object> must be an integer or None, got object"),
        ({"n_jobs": 1.5}, "n_jobs=1.5 must be an integer"),
        ({"n_neighbors": 10**30}, "n_neighbors is an integer beyond 64 bits"),
        ({"weights": "krr", "ridge": -(10**400)}, "ridge is an integer beyond 1e308"),
    ],
)
def test_parameters_that_cannot_be_used(parameters, message):
    with pytest.raises(SimilearnError, match=message):
        NeighborsClassifier(**{"n_neighbors": 2} | parameters).fit(S, Y)


def test_threads_are_checked_at_predict_too():
    model = NeighborsClassifier(2).fit(S, Y).set_params(n_jobs=0)
    with pytest.raises(SimilearnError, match="n_jobs=0"):
        model.predict(S)


@pytest.mark.parametrize("sources", [5, "abc"])
def test_sources_are_a_list_of_names(sources):
    X = Sources({"a": Pairwise(S, "similarity")})
    with pytest.raises(SimilearnError, match="must be a list of names of sources"):
        FusedNeighborsClassifier(2, sources=sources).fit(X, Y)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Sources got nothing"),
        ([], "Sources takes names and what they stand for.*got list"),
        (5, "got int"),
        ({1: S}, "Source names must be strings, got 1"),
        ({"a": [[1, 2], [3]]}, "Source 'a' is ragged"),
        ({"a": np.ma.masked_array(S)}, "Source 'a' is a masked array"),
    ],
)
def test_what_sources_take(given, message):
    with pytest.raises(SimilearnError, match=message):
        Sources(given)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", None, "b", "c", "d", "e"], "row_ids holds None or NaN"),
        ([1.0, np.nan, 3, 4, 5, 6], "row_ids holds None or NaN"),
        (np.array(["a", 1, 2, 3, 4, 5], dtype=object), "row_ids mixes types"),
        ([["a"], ["b"], ["c", "d"], [], [], []], "row_ids is ragged"),
        (["b" * 9000] * 6, r"row_ids repeats .b+\.\.\."),
    ],
)
def test_ids_that_cannot_be_used(ids, message):
    with pytest.raises(SimilearnError, match=message):
        Pairwise(S, "similarity", row_ids=ids)
