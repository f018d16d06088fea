"""Diagnosis against literal loops, on tiny blocks, and in words."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from similearn import Pairwise
from similearn.data.diagnosis import diagnose
from similearn.errors import InputError
from tests.reference import diagnosis as reference
from tests.thinning import drawn


def problem(seed, n=12, kind="similarity", zeros=0.0):
    """Asymmetric, indefinite, non-metric, partly zero, with a diagonal that is often best."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    labels[:2] = 0, 1
    values = rng.random((n, n)) + (labels[:, None] == labels)
    values[rng.random((n, n)) < zeros] = 0
    np.fill_diagonal(values, rng.uniform(1, 2.5, size=n))
    if kind == "dissimilarity":
        values = 2.5 - values
        np.fill_diagonal(values, rng.choice([0.0, 0.8], size=n))
    return values, labels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_numbers_of_dense_blocks(seed, kind):
    values, labels = problem(seed, kind=kind)
    near = kind == "similarity"
    d = diagnose(values, labels, kind=kind)
    assert (d.n, d.kind, d.minimum, d.maximum) == (12, kind, values.min(), values.max())
    assert d.class_sizes == {g: int(np.sum(labels == g)) for g in np.unique(labels)}
    assert d.neighbor_error == reference.neighbor_error(values, labels, near)
    assert d.row_error == reference.row_error(values, labels)
    assert d.not_nearest_to_itself == reference.not_nearest_to_itself(values, near)
    assert_allclose((d.asymmetry_max, d.asymmetry_mean), reference.asymmetry(values))
    assert (d.violated_triangles, d.n_triples) == reference.violated_triangles(values, near)
    expected = reference.negative_spectrum(values, near)
    assert_allclose((d.negative_eigenvalues, d.negative_mass), expected, atol=1e-8)
    assert d.duplicates == 0 and d.isolated == 0 and d.sparsity == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("zeros", [0.5, 0.95])
def test_sparse_similarity_equals_dense(seed, zeros):
    values, labels = problem(seed, zeros=zeros)
    dense = diagnose(values, labels, kind="similarity")
    assert_allclose(dense.sparsity, reference.sparsity(values))
    assert dense.isolated == reference.isolated(values)
    assert_same(diagnose(sparse.csr_array(values), labels, kind="similarity"), dense)


def assert_same(one, other):
    for name, value in vars(one).items():
        if isinstance(value, float):
            assert_allclose(value, getattr(other, name), atol=1e-12, err_msg=name)
        else:
            assert value == getattr(other, name), name


def test_complete_sparse_dissimilarity_equals_dense():
    values, labels = problem(0, kind="dissimilarity")
    rows, columns = np.indices(values.shape).reshape(2, -1)
    stored = sparse.csr_array((values.ravel(), (rows, columns)), shape=values.shape)
    assert stored.nnz == values.size  # zeros are stored: they are known
    one = diagnose(Pairwise(stored, "dissimilarity"), labels)
    assert_same(one, diagnose(values, labels, kind="dissimilarity"))


def test_sparse_dissimilarity_with_unknown_entries():
    rows, columns = [0, 1, 0, 2, 3, 4], [1, 0, 2, 0, 4, 3]
    data = [1.0, 2.0, 4.0, 4.0, 1.0, 1.0]
    D = Pairwise(sparse.csr_array((data, (rows, columns)), shape=(6, 6)), "dissimilarity")
    d = diagnose(D, [0, 0, 1, 1, 1, 0])
    assert d.sparsity == 1 - 6 / 30
    assert d.isolated == 1
    assert d.negative_mass is None and d.row_error is None
    assert d.violated_triangles is None and d.n_triples == 0
    assert d.not_nearest_to_itself is None
    assert_allclose((d.asymmetry_max, d.asymmetry_mean), (1 / 3, 2 / 6 / 3))
    assert d.neighbor_error == 1 / 6
    assert "unknown" in str(d)


def test_known_triangles_of_a_sparse_dissimilarity():
    # 0-1-2 is known and violated (one direction suffices), 1-2-3 is known and kept.
    rows, columns = [0, 1, 2, 2, 3], [1, 2, 0, 3, 1]
    D = sparse.csr_array(([1.0, 1.0, 3.0, 1.0, 1.0], (rows, columns)), shape=(4, 4))
    d = diagnose(D, kind="dissimilarity")
    assert (d.violated_triangles, d.n_triples) == (0.5, 2)


def test_duplicates_are_equal_rows_as_near_as_can_be():
    points = np.array([0.0, 1.0, 1.0, 5.0, 1.0, 5.0])
    D = abs(points[:, None] - points)
    assert diagnose(D, kind="dissimilarity").duplicates == 3
    assert diagnose(9 - D, kind="similarity").duplicates == 3
    assert diagnose(sparse.csr_array(9 - D), kind="similarity").duplicates == 3


def test_equal_rows_without_mutual_similarity_are_no_duplicates():
    S = np.zeros((5, 5))
    S[2, :2] = S[:2, 2] = 1.0  # 0 and 1 know the same sample; 3 and 4 know none
    for X in (S, sparse.csr_array(S)):
        d = diagnose(X, kind="similarity")
        assert d.duplicates == 0
        assert d.isolated == 2


def test_euclidean_distances_have_no_negative_eigenvalues_and_obey_triangles():
    points = np.random.default_rng(0).normal(size=(30, 3))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    d = diagnose(D, kind="dissimilarity")
    assert d.negative_mass == 0 and d.negative_eigenvalues == 0
    assert d.violated_triangles == 0
    squared = diagnose(D**2, kind="dissimilarity")
    assert squared.negative_mass > 0 and squared.violated_triangles > 0


def test_huge_values_do_not_overflow():
    values, labels = problem(1, kind="dissimilarity")
    small = diagnose(values, labels, kind="dissimilarity")
    large = diagnose(values * 1e200, labels, kind="dissimilarity")
    assert_allclose(large.negative_mass, small.negative_mass, atol=1e-12)
    assert large.row_error == small.row_error
    assert large.violated_triangles == small.violated_triangles


def test_samples_of_samples_and_of_triples():
    values, labels = problem(0, n=60)
    whole = diagnose(values, labels, kind="similarity")
    part = diagnose(values, labels, kind="similarity", n_spectrum=25, n_triples=9000)
    assert (part.spectrum_samples, part.n_triples) == (25, 9000)
    assert abs(part.violated_triangles - whole.violated_triangles) < 0.05
    assert part.negative_mass != whole.negative_mass
    again = diagnose(values, labels, kind="similarity", n_spectrum=25, n_triples=9000)
    assert again == part
    other = diagnose(values, labels, kind="similarity", n_spectrum=25, random_state=1)
    assert other.negative_mass != part.negative_mass
    assert "estimated from 25 samples" in str(part)
    assert part.neighbor_error == whole.neighbor_error


@drawn(25)
@given(st.integers(0, 1000), st.permutations(range(9)), st.floats(0.01, 100))
def test_order_and_scale_of_samples_do_not_matter(seed, order, scale):
    values, labels = problem(seed, n=9)
    one = diagnose(values, labels, kind="similarity")
    ix = np.ix_(order, order)
    two = diagnose(values[ix] * scale, labels[list(order)], kind="similarity")
    for name in ("neighbor_error", "not_nearest_to_itself", "violated_triangles", "duplicates"):
        assert getattr(one, name) == getattr(two, name)
    for name in ("asymmetry_max", "asymmetry_mean", "negative_mass", "negative_eigenvalues"):
        assert_allclose(getattr(one, name), getattr(two, name), atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("labels", [None, "one", "many"])
@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_tiny_blocks(n, kind, make, labels, fill):
    values = make(np.full((n, n), fill) + np.eye(n) * (kind == "similarity"))
    y = {None: None, "one": np.zeros(n), "many": np.arange(n)}[labels]
    d = diagnose(values, y, kind=kind)
    assert d.n == n
    assert (d.neighbor_error is None) == (labels != "many" or n == 1)
    assert (d.violated_triangles is None) == (d.n_triples == 0)
    assert len(d.findings) == 12
    assert all(
        finding.advice.endswith(".") or finding.advice.endswith("?") for finding in d.findings
    )
    assert json.loads(json.dumps(d.to_dict()))["n"] == n


def advice(d, name):
    return next(finding.advice for finding in d.findings if finding.name == name)


def test_words_for_a_swapped_kind():
    points = np.arange(10.0)
    D = abs(points[:, None] - points)
    d = diagnose(D, kind="similarity")
    assert "is this a dissimilarity?" in advice(d, "Not nearest to itself")


def test_words_for_rows_that_tell_more():
    """As in JMLR's Protein: near samples are of the other class, rows of a class are alike."""
    labels = np.repeat([0, 1], 30)
    S = np.where(labels[:, None] == labels, 0.2, 0.8)
    S = S + np.random.default_rng(0).uniform(0, 0.1, size=S.shape)
    np.fill_diagonal(S, 1)
    d = diagnose((S + S.T) / 2, labels, kind="similarity")
    assert d.neighbor_error == 1 and d.row_error == 0
    assert "RowRBFSimilarity" in advice(d, "Error by the most alike row")
    assert "flip" in advice(d, "Not as points in a space")
    assert "order of the labels" in advice(d, "Error by the nearest sample")


def test_words_for_sparse_data_without_maximal_self_similarity():
    S = np.zeros((40, 40))
    for i in range(40):
        S[i, (i + 1) % 40], S[i, i - 1] = 1.0, 0.8
    d = diagnose(S, np.arange(40) % 2, kind="similarity")
    assert d.sparsity > 0.9 and d.not_nearest_to_itself == 1
    assert "Amazon-47" in advice(d, "Pairs without a value")
    assert "reverse=" in advice(d, "Directions that differ")
    assert "regularized local SDA" in advice(d, "Detours that are shorter")


def test_words_for_a_kernel():
    points = np.random.default_rng(0).normal(size=(20, 4))
    d = diagnose(points @ points.T, kind="similarity")
    assert "a kernel as it is" in advice(d, "Not as points in a space")
    assert "convert.minmax_scale" in advice(d, "Values")
    assert "Classes: no labels" in str(d)


def test_class_words():
    S = np.eye(30)
    one = diagnose(S, [0] * 30, kind="similarity")
    assert "two are needed" in advice(one, "Classes")
    single = diagnose(S, [0] * 29 + ["rare"], kind="similarity")
    assert "Class rare has a single sample" in advice(single, "Classes")
    unequal = diagnose(S, [0] * 28 + [1] * 2, kind="similarity")
    assert "class_weight='balanced', or give costs=" in advice(unequal, "Classes")
    uneven = diagnose(S, [0] * 24 + ["few"] * 6, kind="similarity")
    assert "how few fares, so look at the balanced error too" in advice(uneven, "Classes")
    alike = diagnose(S, [0] * 22 + [1] * 8, kind="similarity")
    assert "comparable size" in advice(alike, "Classes")
    assert "of 1 sample each" in str(diagnose(S, np.arange(30), kind="similarity"))


def test_bad_input():
    S = np.eye(3)
    with pytest.raises(InputError, match=r"kind is unknown; say kind='similarity'"):
        diagnose(S)
    with pytest.raises(InputError, match=r"kind 'similarity' and kind='dissimilarity'"):
        diagnose(Pairwise(S, "similarity"), kind="dissimilarity")
    with pytest.raises(InputError, match="2 queries against 3 references"):
        diagnose(S[:2], kind="similarity")
    with pytest.raises(InputError, match="empty block"):
        diagnose(np.zeros((0, 0)), kind="similarity")
    with pytest.raises(InputError, match=r"y has shape \(2,\), but X has 3 samples"):
        diagnose(S, [0, 1], kind="similarity")
    with pytest.raises(InputError, match="NaN at row 0, column 1"):
        diagnose([[1, np.nan], [0, 1]], kind="similarity")
    with pytest.raises(InputError, match="reverse direction of X contains NaN"):
        diagnose(Pairwise(S, "similarity", reverse=np.where(S == 1, np.nan, S)))
    with pytest.raises(InputError, match="n_spectrum=0 is too small"):
        diagnose(S, kind="similarity", n_spectrum=0)
    with pytest.raises(InputError, match="random_state='x' cannot seed"):
        diagnose(S, kind="similarity", random_state="x")
    with pytest.raises(InputError, match="labels of several types"):
        diagnose(S, np.array([0, "a", 1], dtype=object), kind="similarity")


def test_one_sample_for_the_eigenvalues():
    values, y = problem(0)
    found = diagnose(values, y, kind="similarity", n_spectrum=1)
    assert found.spectrum_samples == 1
    assert found.row_error is None
    assert "not computed" in str(found)


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e200, 8e307])
def test_a_diagnosis_does_not_depend_on_units(kind, scale):
    values, y = problem(0)
    values = np.round(values * 2**20) / 2**20 / values.max()
    expected = diagnose(values, y, kind=kind).to_dict()
    found = diagnose(values * scale, y, kind=kind).to_dict()
    for name in ("minimum", "maximum"):
        assert_allclose(found.pop(name), expected.pop(name) * scale)
    for name in expected.keys() - {"findings"}:
        if isinstance(expected[name], float):
            assert_allclose(found[name], expected[name], rtol=1e-6, atol=1e-12)
