"""The registry, and what similarities declare."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from similearn.errors import InputError, InputTypeError, MissingExtraError
from similearn.similarities import (
    Euclidean,
    FunctionSimilarity,
    Similarity,
    TverskyRatio,
    ValueDifference,
    get_similarity,
    register,
    registry,
)


def gap(a, b):
    return abs(a - b)


@pytest.fixture
def clean_registry():
    before = dict(registry)
    yield
    registry.clear()
    registry.update(before)


@pytest.mark.parametrize("name", sorted(registry))
def test_every_registered_similarity_declares_itself(name):
    similarity = registry[name]
    assert similarity.name == name
    assert similarity.kind in ("similarity", "dissimilarity")
    assert isinstance(similarity.symmetric, bool)
    assert similarity.range[0] < similarity.range[1]
    assert similarity.accepts in ("numbers", "table", "objects")
    assert type(similarity).__doc__
    assert repr(pickle.loads(pickle.dumps(clone(similarity)))) == repr(similarity)


def test_a_registered_function_is_found_again(clean_registry):
    decorated = register("gap", kind="dissimilarity", symmetric=True, range=(0, np.inf))(gap)
    assert decorated is gap
    found = get_similarity("gap")
    assert (found.kind, found.symmetric, found.name, found(1, 4)) == (
        "dissimilarity",
        True,
        "gap",
        3,
    )
    with pytest.raises(InputError, match="'gap' is taken"):
        register("gap", kind="dissimilarity", symmetric=True)(gap)


def test_a_registered_class_is_found_again(clean_registry):
    @register("length")
    class Length(Similarity):
        kind, symmetric = "similarity", True

        def __call__(self, a, b):
            return min(len(a), len(b))

    assert get_similarity("length")("abc", "ab") == 2
    assert_array_equal(get_similarity("length").matrix(["a", "ab"], ["abc"]), [[1], [2]])
    assert not get_similarity("length").has_matrix


def test_a_registered_function_must_declare_itself(clean_registry):
    with pytest.raises(InputError, match="say kind="):
        register("gap", symmetric=True)(gap)
    with pytest.raises(InputError, match="say symmetric=True"):
        register("gap", kind="similarity")(gap)
    assert "gap" not in registry


def test_parameters_and_copies():
    mine = TverskyRatio(alpha=2.0)
    found = get_similarity(mine)
    assert found is not mine and found.alpha == 2.0
    assert get_similarity("value_difference", q=1).q == 1
    assert registry["value_difference"].q == 2
    with pytest.raises(ValueError, match="Invalid parameter 'gamma'"):
        get_similarity("value_difference", gamma=1)


def test_one_pair_and_matrix_agree():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((3, 4)), rng.standard_normal((2, 4))
    expected = np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(Euclidean().matrix(A, B), expected, rtol=1e-14)
    assert Euclidean()(A[1], B[0]) == pytest.approx(expected[1, 0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: get_similarity("euclidian"),
            InputError,
            "named 'euclidian'. Did you mean 'euclidean'. Any function",
        ),
        (lambda: get_similarity("zzzz"), InputError, "named 'zzzz'. Known:"),
        (lambda: get_similarity(gap), InputError, "gap is a plain function.*say kind="),
        (lambda: get_similarity(gap, kind="distance"), InputError, "kind='distance' is unknown"),
        (lambda: get_similarity(gap, kind="similarity"), InputError, "say symmetric=True if gap"),
        (lambda: get_similarity("euclidean", kind="similarity"), InputError, "is a dissimilarity"),
        (lambda: get_similarity("euclidean", symmetric=False), InputError, "is symmetric, but"),
        (lambda: get_similarity(TverskyRatio), InputTypeError, r"Did you mean TverskyRatio\(\)"),
        (lambda: get_similarity(3), InputTypeError, "function is 3; expected a name"),
        (lambda: ValueDifference().matrix([["a"]], [["b"]]), ValueError, "not fitted"),
    ],
)
def test_messages(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_missing_extra_is_named(clean_registry):
    needs = ("no_such_module", "strings")
    register("edit", kind="dissimilarity", symmetric=True, requires=needs)(gap)
    with pytest.raises(MissingExtraError, match=r'needs no_such_module.*"similearn\[strings\]"'):
        get_similarity("edit")


def test_compiled_functions_run_in_threads():
    import numba

    compiled = numba.njit(nogil=True)(gap)
    assert FunctionSimilarity(compiled, kind="dissimilarity", symmetric=True).releases_lock
    assert not FunctionSimilarity(gap, kind="dissimilarity", symmetric=True).releases_lock
