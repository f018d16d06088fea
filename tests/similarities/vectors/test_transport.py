"""Earth mover's distance, against the linear program and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from similearn.errors import InputError, MissingExtraError
from similearn.similarities import (
    EarthMover,
    EarthMoverSets,
    get_similarity,
)
from similearn.similarities.shell import similarity
from similearn.similarities.vectors import transport
from tests.reference.similarities import earth_mover
from tests.thinning import drawn

seeds = st.integers(0, 10**6)


def histograms(seed, n=4, d=5):
    rows = np.random.default_rng(seed).integers(4, size=(n, d)).astype(float)
    rows[:, seed % d] += 1
    return rows


@given(seeds)
@drawn(15)
def test_on_a_line(seed):
    H = histograms(seed)
    positions = np.random.default_rng(seed).standard_normal(5)
    for ground, at in ((None, np.arange(5)), (positions, positions)):
        expected = [[wasserstein_distance(at, at, a, b) for b in H] for a in H]
        assert_allclose(EarthMover(ground).matrix(H, H), expected, atol=1e-12)


@given(seeds)
@drawn(8)
def test_with_costs_it_is_the_linear_program(seed):
    pytest.importorskip("ot")
    H = histograms(seed, n=3)
    costs = np.random.default_rng(seed).random((5, 5))
    model = EarthMover(costs)
    expected = [[earth_mover(a, b, costs) for b in H] for a in H]
    assert_allclose(model.matrix(H, H), expected, atol=1e-9)
    assert_allclose(model.self_values(H), np.diag(expected), atol=1e-9)
    assert not model.symmetric and EarthMover(costs + costs.T).symmetric


def test_costs_that_lie_on_a_line_agree_with_the_line():
    pytest.importorskip("ot")
    H = histograms(1)
    gaps = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    values = EarthMover().matrix(H, H)
    assert_allclose(EarthMover(gaps).matrix(H, H), values, atol=1e-12)


def test_sets_of_points_with_and_without_weights():
    pytest.importorskip("ot")
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((3, 2)), rng.standard_normal((4, 2))
    weights = np.array([1.0, 2.0, 0.0, 3.0])
    expected = earth_mover(np.ones(3), weights, cdist(A, B))
    assert EarthMoverSets()(A, (B, weights)) == pytest.approx(expected)
    assert EarthMoverSets()(A, B) == pytest.approx(earth_mover(np.ones(3), np.ones(4), cdist(A, B)))


def test_points_on_a_line_need_no_pot(monkeypatch):
    monkeypatch.setattr(similarity, "find_spec", lambda name: None)
    monkeypatch.setattr(transport, "find_spec", lambda name: None)
    a, b = [0.0, 1.0, 4.0], [2.0, 2.5]
    assert get_similarity("earth_mover_sets")(a, b) == pytest.approx(wasserstein_distance(a, b))
    assert get_similarity("earth_mover")([1, 0], [0, 1]) == 1
    with pytest.raises(MissingExtraError, match=r'"similearn\[emd\]"'):
        EarthMoverSets()([[0.0, 1.0]], [[1.0, 2.0]])
    with pytest.raises(MissingExtraError, match=r'"similearn\[emd\]"'):
        get_similarity(EarthMover(np.eye(2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EarthMover()([0, 0], [1, 1]), "all zeros"),
        (lambda: EarthMover()([-1, 2], [1, 1]), "at least 0"),
        (lambda: EarthMover([1.0])([1, 2], [1, 1]), "expected 2 finite positions"),
        (lambda: EarthMoverSets()([], [1.0]), "Object 0 .* at least one"),
        (lambda: EarthMoverSets()(([1.0], [-1.0]), [1.0]), "not negative"),
        (lambda: EarthMoverSets()("ab", [1.0]), "Object 0 .* type str"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_costs_of_another_size_are_refused():
    pytest.importorskip("ot")
    with pytest.raises(InputError, match=r"expected finite costs \(2, 2\)"):
        EarthMover(np.ones((3, 3)))([1, 2], [1, 1])
    with pytest.raises(InputError, match="Points have 2 and 3 coordinates"):
        EarthMoverSets()(np.ones((1, 2)), np.ones((1, 3)))
