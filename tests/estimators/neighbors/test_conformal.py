"""Conformal sets of nearest neighbours: exact, and as sure as they say."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn import NeighborsClassifier, Pairwise
from similearn.errors import AsymmetryWarning, InputError
from tests.reference.conformal import reference_p_values, reference_strangeness


def drawn(n, m, rng, n_classes=3, spread=1.2):
    """Points of overlapping classes, and their distances."""
    codes = rng.integers(n_classes, size=n + m)
    codes[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
    points = spread * rng.standard_normal((n + m, 2)) + 2.0 * np.eye(n_classes, 2)[codes]
    D = np.linalg.norm(points[:, None] - points, axis=2)
    return D[:n, :n], D[n:, :n], codes[:n], codes[n:]


@pytest.mark.parametrize("k", [1, 3, 7, 24])  # 24: more than any class has
@pytest.mark.parametrize("values", ["distances", "levels", "similarities", "both signs"])
def test_equals_judging_all_samples_anew(k, values):
    rng = np.random.default_rng(k)
    D, queries, codes, _ = drawn(24, 6, rng)
    if values == "levels":
        D, queries = np.rint(D), np.rint(queries)
    if values == "both signs":
        D, queries = D - 1.5, queries - 1.5
    kind = "similarity" if values == "similarities" else "dissimilarity"
    sign = -1.0 if kind == "similarity" else 1.0
    model = NeighborsClassifier(k, kind=kind).fit(Pairwise(sign * D, kind), codes)
    expected = reference_p_values(D, queries, codes, k)
    X = Pairwise(sign * queries, kind)
    assert_allclose(model.conformal_p_values(X), expected, rtol=0, atol=1e-15)
    assert_array_equal(model.predict_set(X, coverage=0.7), expected > 0.3 + 1e-12)
    smoothed = model.conformal_p_values(X, ties="smoothed", random_state=1)
    shares = np.random.RandomState(1).uniform(size=6)
    literal = [
        reference_p_values(D, q[None], codes, k, u)[0] for q, u in zip(queries, shares, strict=True)
    ]
    assert_allclose(smoothed, literal, rtol=0, atol=1e-12)


def shaped(values, rng):
    """Dissimilarities among 200 points, and of 4 queries to them; classes of 150, 40 and 10."""
    points = rng.standard_normal((204, 2))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    codes = np.repeat([0, 1, 2], [150, 40, 10])
    if values == "levels":
        D = np.rint(2 * D)
    if values == "mostly zero":  # as sparse similarities are
        D = -np.where(D < 0.5, 1.0 - D, 0.0)
    if values == "far apart":
        D = np.where(np.triu(rng.random(D.shape) < 0.7), 1e300, D)
        D = np.minimum(D, D.T)
    if values == "near at every 16th":  # many candidates, as few parts of the class have any
        D[200:, :150] = 10.0 - np.arange(150) / 100 - 8.0 * (np.arange(150) % 16 < 6)
    return D[:200, :200], D[200:, :200], codes


@pytest.mark.thinned
@pytest.mark.parametrize("k", [1, 7, 20])
@pytest.mark.parametrize(
    "values", ["distances", "levels", "mostly zero", "far apart", "near at every 16th"]
)
def test_candidates_of_larger_classes(k, values):
    D, queries, codes = shaped(values, np.random.default_rng(k))
    model = NeighborsClassifier(k, kind="dissimilarity").fit(D, codes)
    expected = reference_p_values(D, queries, codes, k)
    assert_allclose(model.conformal_p_values(queries), expected, rtol=0, atol=1e-15)
    order = np.random.default_rng(0).permutation(200)
    model.fit(D[np.ix_(order, order)], codes[order])
    assert_allclose(model.conformal_p_values(queries[:, order]), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 17, 149, 150, 199])
def test_entries_that_are_not_finite(entry, column):
    D, queries, codes = shaped("distances", np.random.default_rng(0))
    model = NeighborsClassifier(3, kind="dissimilarity").fit(D, codes)
    queries[2, column] = entry
    with pytest.raises(InputError, match=f"row 2, column {column}"):
        model.predict_set(queries)


def test_both_directions_and_sparse_similarities():
    rng = np.random.default_rng(0)
    S = rng.random((30, 30)) * (rng.random((30, 30)) < 0.7)
    codes = np.repeat([0, 1, 2], 10)[rng.permutation(30)]
    train, test = np.arange(24), np.arange(24, 30)
    codes = np.r_[codes[:24][np.argsort(codes[:24], kind="stable")]]
    mean = (S + S.T) / 2
    expected = reference_p_values(-mean[:24, :24], -mean[24:, :24], codes, 4)
    for store in (np.asarray, sparse.csr_array):
        block = Pairwise(store(S), "similarity")
        model = NeighborsClassifier(4).fit(block[np.ix_(train, train)], codes)
        told = model.conformal_p_values(block[np.ix_(test, train)])
        assert_allclose(told, expected, atol=1e-15)


def test_two_lone_samples_and_extreme_values():
    D = np.array([[0.0, 1.0], [1.0, 0.0]])
    for scale in (1.0, 1e-300, 1.7e308):
        model = NeighborsClassifier(2, kind="dissimilarity").fit(scale * D, ["a", "b"])
        told = model.conformal_p_values(scale * np.array([[0.0, 1.0], [0.5, 0.5]]))
        assert ((told == 0.5) | (told == 1.0)).all()
        assert_array_equal(told[0], [1.0, 0.5])
    model = NeighborsClassifier(1).fit(np.zeros((4, 4)), [0, 0, 1, 1])
    assert_array_equal(model.conformal_p_values(np.zeros((1, 4))), 1.0)


def test_coverage_overall_and_of_every_class():
    rng = np.random.default_rng(5)
    hits, sizes, truths = [], [], []
    for _ in range(60):
        D, queries, codes, truth = drawn(90, 40, rng)
        model = NeighborsClassifier(5, kind="dissimilarity").fit(D, codes)
        p_values = model.conformal_p_values(queries, ties="smoothed", random_state=rng.integers(99))
        hits.append(p_values[np.arange(40), truth])
        truths.append(truth)
        sizes.append(model.predict_set(queries).sum(axis=1))
    own, truth = np.concatenate(hits), np.concatenate(truths)
    for coverage in (0.8, 0.9, 0.95):
        inside = own > 1 - coverage
        for chosen in (truth >= 0, truth == 0, truth == 1, truth == 2):
            # Queries that share a training set err together: the error is over the sets.
            by_set = [np.mean(part) for part in np.array_split(inside[chosen], 60)]
            error = np.std(by_set, ddof=1) / np.sqrt(60)
            assert abs(inside[chosen].mean() - coverage) < 2 * error + 1e-9
    assert 1.0 < np.mean(np.concatenate(sizes)) < 2.5


def test_against_crepes():
    """Given the strangeness of a class with the query in it, crepes finds the same p-values."""
    crepes = pytest.importorskip("crepes")
    rng = np.random.default_rng(2)
    D, queries, codes, _ = drawn(40, 5, rng)
    D, queries = np.rint(2 * D), np.rint(2 * queries)
    ours = NeighborsClassifier(3, kind="dissimilarity").fit(D, codes).conformal_p_values(queries)
    for q, row in enumerate(queries):
        whole = np.block([[D, row[:, None]], [row[None], 0.0]])
        for g in range(3):
            labels = [*codes, g]
            members = np.flatnonzero(np.equal(labels, g))
            told = [reference_strangeness(i, g, whole, labels, 3) for i in members]
            *others, own = np.round(told, 10)
            rival = crepes.ConformalClassifier().fit(np.array(others))
            assert_allclose(ours[q, g], rival.predict_p(np.array([[own]]), smoothing=False))


def test_sets_are_smaller_than_those_of_split_conformal_prediction():
    """No sample is kept apart for calibration."""
    rng = np.random.default_rng(6)
    whole, split = [], []
    for _ in range(10):
        D, queries, codes, _ = drawn(60, 60, rng)
        model = NeighborsClassifier(5, kind="dissimilarity").fit(D, codes)
        whole.append(model.predict_set(queries).sum())
        half, rest = np.arange(30), np.arange(30, 60)
        first = NeighborsClassifier(5, kind="dissimilarity").fit(D[:30, :30], codes[:30])
        known = first.conformal_p_values(D[np.ix_(rest, half)])[np.arange(30), codes[rest]]
        new = first.conformal_p_values(queries[:, :30])
        for g in range(3):
            of_class = known[codes[rest] == g]
            p_values = (1 + np.sum(of_class <= new[:, [g]], axis=1)) / (1 + len(of_class))
            split.append(np.sum(p_values > 0.1))
    assert np.sum(whole) < np.sum(split)


def test_sizes_grow_with_coverage_and_refits_forget():
    rng = np.random.default_rng(3)
    D, queries, codes, _ = drawn(60, 30, rng)
    model = NeighborsClassifier(5, kind="dissimilarity").fit(D, codes)
    small, large = (model.predict_set(queries, coverage=c) for c in (0.5, 0.95))
    assert (small <= large).all() and small.sum() < large.sum()
    model.set_params(n_neighbors=2)
    expected = reference_p_values(D, queries, codes, 2)
    assert_allclose(model.conformal_p_values(queries), expected)
    copy = pickle.loads(pickle.dumps(model))  # what was asked before is kept
    assert_allclose(copy.conformal_p_values(queries), expected)
    model.fit(D, 2 - codes)
    assert_allclose(model.conformal_p_values(queries), expected[:, ::-1])


@pytest.mark.parametrize("coverage", [0, 1, 1.5, -1, "0.9", None, np.nan, True])
def test_bad_coverage(coverage):
    model = NeighborsClassifier(1).fit(np.eye(4), [0, 0, 1, 1])
    with pytest.raises(InputError, match="between 0 and 1"):
        model.predict_set(np.eye(4), coverage=coverage)


def test_what_cannot_be_told():
    D = np.ones((6, 6)) - np.eye(6)
    model = NeighborsClassifier(2, kind="dissimilarity").fit(D, [0, 0, 0, 1, 1, 1])
    with pytest.raises(InputError, match="ties='none'"):
        model.conformal_p_values(D, ties="none")
    with pytest.raises(InputError, match="not kept in a file"):
        pickle.loads(pickle.dumps(model)).predict_set(D)
    gaps = sparse.csr_array(np.triu(D) + np.tril(D) * (np.arange(6) > 1))
    model = NeighborsClassifier(2, kind="dissimilarity").fit(gaps, [0, 0, 0, 1, 1, 1])
    with pytest.raises(InputError, match="leaves entries unknown"):
        model.predict_set(D)


def test_sets_of_a_plain_asymmetric_matrix_are_those_of_its_block():
    """Own classes were compared by both directions, others by one: sets were a third too large."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    points = y + rng.normal(size=80)
    D = np.abs(points[:, None] - points) * rng.uniform(0.2, 1.8, (80, 80))
    train, queries = np.arange(60), D[60:, :60]
    plain, block = D[:60, :60], Pairwise(D[:60, :60], "dissimilarity")
    found = []
    for X in (plain, block, Pairwise(plain, "dissimilarity", one_way=True)):
        model = NeighborsClassifier(5, kind="dissimilarity").fit(X, y[train])
        with pytest.warns(AsymmetryWarning):
            found.append(model.conformal_p_values(queries))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[2], found[1])
