import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from similearn.numerics.pairs.boosting import (
    class_scores,
    different_pairs,
    draw_pairs,
    label_weights,
    leaf_votes,
    log_probabilities,
    marked_labels,
    n_labels,
    uncut_loss,
)
from similearn.numerics.pairs.far import farness
from similearn.numerics.pairs.stump_trees import leaves, running_votes
from similearn.numerics.pairs.stumps import GRAIN, Cut, best_cut, best_sign, threshold
from tests.reference import dboost as reference
from tests.thinning import drawn


def problem(seed, n=40, n_classes=2, n_pairs=6, levels=None):
    """Distances, codes, marked labels, weights of a boosted state, and pairs."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, 3)).astype(float) if levels else rng.standard_normal((n, 3))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    codes = np.arange(n) % n_classes
    marked = marked_labels(codes, n_classes)
    weights, _ = label_weights(rng.standard_normal((n, n_labels(n_classes))), marked)
    pairs = draw_pairs(rng.random((n_pairs, 2)), weights.sum(axis=1), codes)
    return D, codes, marked, weights, pairs


def positives(marked, weights):
    return marked[:, None] == np.arange(weights.shape[1])


def far_of(D, *, squared=True):
    return farness(D.max(), large_is_near=False, squared=squared)


@drawn(60)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 4]), st.sampled_from([None, 2, 5]))
def test_no_threshold_of_any_pair_is_better(seed, n_classes, levels):
    D, _, marked, weights, pairs = problem(seed, 30, n_classes, levels=levels)
    found = best_cut(D, far_of(D), pairs, np.arange(30), weights, marked)
    expected = reference.best_cut(reference.squares(D), pairs, weights, positives(marked, weights))
    assert tuple(found) == expected


@drawn(20)
@given(st.integers(0, 10**6), st.sampled_from([2, 5]), st.integers(20, 400))
def test_cuts_of_some_samples_with_many_buckets(seed, n_classes, m):
    D, _, marked, weights, pairs = problem(seed, 400, n_classes, n_pairs=20)
    members = np.sort(np.random.default_rng(seed).permutation(400)[:m])
    found = best_cut(D, far_of(D), pairs, members, weights[members], marked[members])
    F = reference.squares(D)[:, members]
    positive = positives(marked, weights)[members]
    assert_allclose(found, reference.best_cut_sorted(F, pairs, weights[members], positive))


@pytest.mark.parametrize("chunk", [1, 3, 7])
def test_searching_pairs_in_parts_finds_the_same(chunk):
    D, _, marked, weights, pairs = problem(3, 200, n_pairs=30, levels=3)
    everyone, far = np.arange(200), far_of(D)
    whole = best_cut(D, far, pairs, everyone, weights, marked)
    parts = []
    for start in range(0, 30, chunk):
        cut = best_cut(D, far, pairs[start : start + chunk], everyone, weights, marked)
        parts.append(cut._replace(pair=cut.pair + start))
    assert min(parts, key=lambda cut: cut.loss) == whole


def test_outliers_and_tiny_steps_do_not_hide_a_cut():
    points = np.concatenate([np.arange(50) * 1e-9, [1e6, 3e6]])
    D = np.abs(points[:, None] - points)
    codes = np.concatenate([np.arange(50) >= 17, [0, 1]]).astype(np.intp)
    weights, _ = label_weights(np.zeros((52, 1)), codes - 1)
    pairs = np.array([[0, 49], [50, 51]])
    args = D, far_of(D, squared=False), pairs, np.arange(52), weights, codes - 1
    unit = 2.0**-22
    expected = reference.best_cut(D * unit, pairs, weights, positives(codes - 1, weights))
    assert tuple(best_cut(*args)) == expected
    assert best_cut(*args).pair == 0


@pytest.mark.parametrize("factor", [1e-300, 2.0**-600, 2.0**600, 1e305])
def test_extreme_distances_neither_overflow_nor_vanish(factor):
    D, _, marked, weights, pairs = problem(1)
    everyone = np.arange(len(D))
    plain = best_cut(D, far_of(D), pairs, everyone, weights, marked)
    scaled = best_cut(D * factor, far_of(D * factor), pairs, everyone, weights, marked)
    assert (scaled.loss, scaled.pair) == (plain.loss, plain.pair)


def test_pairs_that_tell_nothing_apart():
    D = np.ones((6, 6))
    codes = np.arange(6) % 2
    weights, _ = label_weights(np.zeros((6, 1)), codes - 1)
    args = D, far_of(D), np.array([[0, 1], [2, 3]]), np.arange(6), weights, codes - 1
    assert best_cut(*args).pair == -1
    assert best_sign(*args).pair == -1


@drawn(40)
@given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.sampled_from([None, 2]))
def test_sign_stumps_are_the_best_too(seed, n_classes, levels):
    D, _, marked, weights, pairs = problem(seed, 30, n_classes, levels=levels)
    everyone, positive = np.arange(30), positives(marked, weights)
    found = best_sign(D, far_of(D, squared=False), pairs, everyone, weights, marked)
    losses = [reference.split_loss(D[a] < D[b], weights, positive) for a, b in pairs]
    usable = [len(np.unique(D[a] < D[b])) == 2 for a, b in pairs]
    losses = np.where(usable, losses, np.inf)
    assert (found.loss, found.pair) == (losses.min(), losses.argmin())


@drawn(50)
@given(st.floats(-1e300, 1e300), st.integers(1, 3))
def test_a_threshold_separates_even_neighbouring_floats(low, steps):
    high = low
    for _ in range(steps):
        high = np.nextafter(high, np.inf)
    assert low < threshold(Cut(0.0, 0, low, high)) <= high


@drawn(50)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5]))
def test_pairs_follow_the_masses(seed, n_classes):
    """Each draw against a literal inversion; two draws of different classes, by their masses."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=9)])
    masses = np.rint(rng.random(len(codes)) ** 8 / GRAIN / 20) * GRAIN
    uniforms = rng.random((40, 2))
    pairs = draw_pairs(uniforms, masses, codes)
    assert_array_equal(pairs, reference.draw_pairs(uniforms, masses, codes))


def test_frequencies_of_pairs():
    codes = np.array([0, 0, 1, 2])
    masses = np.array([1, 2, 2, 3]) / 8
    pairs = draw_pairs(np.random.default_rng(0).random((200_000, 2)), masses, codes)
    counts = np.zeros((4, 4))
    np.add.at(counts, tuple(pairs.T), 1)
    expected = np.outer(masses, masses) * (codes[:, None] != codes)
    assert_allclose(counts / len(pairs), expected / expected.sum(), atol=0.004)


def test_draws_at_the_ends_stay_inside():
    codes = np.array([1, 0, 1, 0])
    ends = np.array([[0.0, 0.0], [1 - 2.0**-53, 1 - 2.0**-53], [0.0, 1 - 2.0**-53]])
    for masses in ([1 - GRAIN, 0, 0, GRAIN], [GRAIN, 1 - GRAIN, 0, 0], [0.5, 0, 0.5, 0]):
        pairs = draw_pairs(ends, np.array(masses), codes)
        assert (codes[pairs[:, 0]] != codes[pairs[:, 1]]).all()


def test_repeated_and_turned_pairs_are_left_out():
    pairs = np.array([[3, 1], [0, 2], [1, 3], [0, 2], [2, 1]])
    assert_array_equal(different_pairs(pairs), [[3, 1], [0, 2], [2, 1]])


@drawn(40)
@given(st.integers(0, 10**6), st.sampled_from([2, 4]), st.sampled_from([1.0, 50.0, 100.0]))
def test_weights_are_exact_multiples_and_the_loss_is_the_mean(seed, n_classes, spread):
    rng = np.random.default_rng(seed)
    codes = np.arange(20) % n_classes
    marked = marked_labels(codes, n_classes)
    sums = spread * rng.standard_normal((20, n_labels(n_classes)))
    weights, loss = label_weights(sums, marked)
    signs = np.where(positives(marked, sums), 1.0, -1.0)
    assert_array_equal(weights / GRAIN, np.rint(weights / GRAIN))
    assert abs(weights.sum() - 1) < 1e-12
    assert weights.sum() == weights[::-1].sum() == np.cumsum(weights)[-1]
    if spread == 1.0:
        assert_allclose(loss, np.exp(-signs * sums).mean(), rtol=1e-12)
        ratio = np.exp(-signs * sums)
        assert_allclose(weights, ratio / ratio.sum(), atol=GRAIN)


def test_votes_and_the_loss_of_no_cut():
    codes = np.array([0, 1, 1, 0])
    weights = np.array([0.125, 0.25, 0.5, 0.125])[:, None]
    votes = leaf_votes(weights, codes - 1, np.array([0, 0, 1, 1]), 2, 0.25)
    expected = 0.5 * np.log([[0.5 / 0.375], [0.75 / 0.375]])
    assert_allclose(votes, expected)
    assert_allclose(uncut_loss(weights, codes - 1), np.sqrt(0.75 * 0.25))


def test_trees_route_as_drawn():
    """Children of node i are 2i + 1, below the threshold, and 2i + 2."""
    D = np.array([[0.0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]])
    far = farness(1.0, large_is_near=False, squared=False)._replace(scale=1.0)
    pairs = np.array([[0, 3], [0, 1], [2, 3]])
    thresholds = np.array([1.0, 1.0, np.inf])  # reached exactly by samples 2 and 1
    assert_array_equal(leaves(D, far, pairs, thresholds), [0, 1, 2, 2])
    votes = np.arange(8.0).reshape(2, 4, 1)
    sums = running_votes(
        D, far, np.stack([pairs, pairs]), np.stack([thresholds] * 2), votes, np.array([1, 2])
    )
    assert_array_equal(sums[:, :, 0], [[0, 1, 2, 2], [4, 6, 8, 8]])


def test_probabilities_of_votes():
    two = class_scores(np.array([[0.3], [-400.0]]))
    assert_allclose(
        np.exp(log_probabilities(two))[0], [1 / (1 + np.exp(0.6)), 1 / (1 + np.exp(-0.6))]
    )
    assert_allclose(log_probabilities(two)[1], [0, -800])
    three = np.array([[0.2, -0.1, 0.4]])
    odds = 1 / (1 + np.exp(-2 * three))
    assert_allclose(np.exp(log_probabilities(three)), odds / odds.sum())
    assert_allclose(np.exp(log_probabilities(np.array([[-900.0, -900.0, -901.0]]))).sum(), 1)
