"""The structure of sparse input is checked before anything follows its indices; kinds are told."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from similearn import NeighborsClassifier, Pairwise, PairwiseSimilarity, Sources
from similearn.data import values as values_module
from similearn.data.stored import directions
from similearn.data.values import as_values, kind_by_diagonal
from similearn.errors import InputError

LABELS = [0, 0, 0, 1, 1, 1]


def whole(n=6, format="csr"):
    rng = np.random.default_rng(0)
    S = rng.random((n, n))
    S = (S + S.T) * (rng.random((n, n)) < 0.8) + np.eye(n)
    return sparse.csr_array((S + S.T) / 2).asformat(format)


def _set(field, place, value):
    def damage(matrix):
        getattr(matrix, field)[place] = value

    return damage


def _replace(field, change):
    def damage(matrix):
        setattr(matrix, field, change(getattr(matrix, field)))

    return damage


COMPRESSED = {
    "index beyond the end": (_set("indices", 3, 10**6), "an index is 1000000, outside of 0 to 5"),
    "negative index": (_set("indices", 3, -7), "an index is -7, outside of 0 to 5"),
    "start not zero": (_set("indptr", 0, 2), "indptr does not rise"),
    "negative start": (_set("indptr", 1, -5), "indptr does not rise"),
    "falling indptr": (_set("indptr", 2, 10**6), "indptr does not rise"),
    "end beyond the data": (_set("indptr", -1, 10**6), "indptr ends beyond the data"),
    "short indptr": (_replace("indptr", lambda a: a[:-2]), "not one entry more"),
    "long indptr": (_replace("indptr", lambda a: np.append(a, a[-1])), "not one entry more"),
    "float indptr": (_replace("indptr", lambda a: a.astype(float)), "not one entry more"),
    "float indices": (_replace("indices", lambda a: a.astype(float)), "list of integers"),
    "no indices": (_replace("indices", lambda a: None), "list of integers"),
    "short indices": (_replace("indices", lambda a: a[:5]), "indptr ends beyond the data"),
    "data in a list": (_replace("data", list), "data are not an array"),
    "short data": (_replace("data", lambda a: a[:5]), "indptr ends beyond the data"),
}


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("case", COMPRESSED)
def test_damaged_compressed_matrices_are_refused_everywhere(case, format):
    damage, message = COMPRESSED[case]
    damaged = whole(format=format)
    damage(damaged)
    model = NeighborsClassifier(2).fit(whole(), LABELS)
    attempts = [
        lambda: Pairwise(damaged, "similarity"),
        lambda: Pairwise(whole(), "similarity", reverse=damaged),
        lambda: NeighborsClassifier(2).fit(damaged, LABELS),
        lambda: model.predict(damaged),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match=f"damaged sparse matrix: .*{message}"):
            attempt()


@pytest.mark.parametrize("value", [6, -1])
@pytest.mark.parametrize("field", ["row", "col"])
def test_damaged_coordinates_are_refused(field, value):
    damaged = whole(format="coo")
    getattr(damaged, field)[4] = value
    with pytest.raises(InputError, match=f"an index is {value}, outside of 0 to 5"):
        as_values(damaged, "X")
    damaged = whole(format="coo")
    damaged.data = damaged.data[:-1]
    with pytest.raises(InputError, match="positions and data differ in length"):
        as_values(damaged, "X")


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, bool, np.uint64, np.longdouble])
def test_every_format_and_number_type(format, dtype):
    dense = (whole().toarray() * 3).astype(dtype)
    values = as_values(sparse.csr_array(dense).asformat(format), "X")
    assert values.format == "csr" and values.dtype == np.float64
    assert_array_equal(values.toarray(), dense.astype(float))


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_unsorted_and_repeated_entries_are_put_in_order_whatever_scipy_believes(index):
    indices = np.array([2, 0, 0, 1, 1], dtype=index)
    indptr = np.array([0, 3, 3, 5], dtype=index)
    matrix = sparse.csr_array((np.arange(1.0, 6.0), indices, indptr), shape=(3, 3))
    matrix.has_sorted_indices = matrix.has_canonical_format = True  # not so
    values = as_values(matrix, "X")
    assert_array_equal(values.toarray(), [[5, 0, 1], [0, 0, 0], [0, 9, 0]])
    assert_array_equal(values.indices, [0, 2, 1])
    assert_array_equal(matrix.indices, [2, 0, 0, 1, 1])
    assert values.indices.dtype == np.int32


def test_sound_matrices_are_not_copied():
    matrix = whole()
    assert np.shares_memory(as_values(matrix, "X").data, matrix.data)
    view = np.ones((4, 6))[:, ::2]
    assert as_values(view, "X") is view


def test_huge_shapes_are_refused_before_memory_is_asked_for():
    huge = sparse.coo_array(([1.0], ([0], [0])), shape=(10**12, 10**12))
    with pytest.raises(InputError, match="1000000000000 rows but only 1 stored entries"):
        as_values(huge, "X")


def test_one_dimension_is_refused():
    with pytest.raises(InputError, match=r"1 dimension.*expected two"):
        as_values(sparse.coo_array(np.ones(3)), "X")


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array(np.eye(6), mask=np.eye(6, dtype=bool))
    model = NeighborsClassifier(2).fit(whole(), LABELS)
    attempts = [
        lambda: Pairwise(masked, "similarity"),
        lambda: Pairwise(np.eye(6), "similarity", reverse=masked),
        lambda: Pairwise(np.eye(6), "similarity", self_values=masked[0]),
        lambda: NeighborsClassifier(2).fit(masked, LABELS),
        lambda: model.predict(masked),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match=r"masked array.*Fill it in"):
            attempt()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_self_values_and_reverse_must_be_finite(bad):
    with pytest.raises(InputError, match=r"self_values contains (NaN|infinity) at position 1"):
        Pairwise(np.eye(2), "similarity", self_values=[1.0, bad])
    reverse = np.ones((1, 6))
    reverse[0, 3] = bad
    queries = Pairwise(np.ones((1, 6)), "similarity", reverse=reverse)
    with pytest.raises(InputError, match="The reverse direction of X contains"):
        queries.nearest(1)
    with pytest.raises(InputError, match="The reverse direction of X contains"):
        NeighborsClassifier(2).fit(whole(), LABELS).predict(queries)


LENGTHS = np.array([1.0, 2.0, 5.0, 9.0])
GRAPH = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (abs(LENGTHS[:, None] - LENGTHS), "dissimilarity"),
        (-abs(LENGTHS[:, None] - LENGTHS), "similarity"),
        (np.outer(LENGTHS, LENGTHS), "similarity"),  # no row of which has its largest entry there
        (np.where(np.eye(4) > 0, np.nan, 1.0), None),
        (np.where(GRAPH > 0, np.nan, 3.0 * np.eye(4) + 1), "similarity"),
        (np.ones((4, 4)), None),
        (GRAPH, None),  # an adjacency is zero on its diagonal, and is a similarity
        (np.full((4, 4), np.inf), None),
        (np.ones((3, 4)), None),
        (np.ones((1, 1)), None),
    ],
)
def test_samples_are_near_to_themselves(values, kind):
    assert kind_by_diagonal(values) == kind


def test_a_sparse_block_tells_its_kind_only_if_it_stores_its_diagonal():
    assert kind_by_diagonal(sparse.csr_array(GRAPH)) is None
    assert kind_by_diagonal(sparse.csr_array(GRAPH + 2 * np.eye(4))) == "similarity"
    D = sparse.csr_array(GRAPH + np.eye(4))
    D.setdiag(0.0)
    assert kind_by_diagonal(D) == "dissimilarity"


POINTS = np.random.default_rng(0).normal(size=(60, 3))
D = np.sqrt(((POINTS[:, None] - POINTS) ** 2).sum(axis=2))
GRAMS = {  # semidefinite similarities, with diagonals that differ
    "centred": POINTS @ POINTS.T,
    "positive": abs(POINTS) @ abs(POINTS).T,
    "one feature": np.exp(np.add.outer(POINTS[:, 0], POINTS[:, 0])),
    "counts": (GRAPH.repeat(15, axis=0) @ GRAPH.repeat(15, axis=0).T) + np.diag(np.arange(60.0)),
}


def with_one(values, i, j, value):
    """The same with one fault."""
    values = values.copy()
    values[i, j] = values[j, i] = value
    return values


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (with_one(np.exp(-D), 3, 9, 5000.0), None),  # the mean of all tells a dissimilarity
        (with_one(np.exp(-D), 5, 5, -5000.0), None),
        (with_one(np.exp(-D), 5, 5, 5000.0), "similarity"),
        (with_one(D + 1e-9, 5, 5, 1e6), None),  # and here a similarity
        (with_one(D + 1e-9, 3, 9, -1e6), None),
        (with_one(D + 1e-9, 3, 9, 1e6), "dissimilarity"),
        (with_one(GRAMS["positive"], 3, 9, 1e6), None),
        (with_one(GRAMS["one feature"], 3, 9, 1e6), None),
    ],
)
def test_one_entry_decides_no_kind(form, values, kind):
    assert kind_by_diagonal(form(values)) == kind


def test_a_fault_below_zero_is_told_by_its_value():
    S = with_one(GRAMS["one feature"], 5, 5, -1e6)
    with pytest.raises(InputError, match=r"negative \(the smallest is -1e\+06\)"):
        NeighborsClassifier().fit(S, np.arange(60) % 2)


def test_the_mean_decides_for_few_samples_that_do_not_agree():
    noise = np.random.RandomState(0).uniform(size=(10, 10))[5:, 5:]  # as a fold may be
    assert kind_by_diagonal(noise) == "dissimilarity"


@pytest.mark.parametrize("name", GRAMS)
def test_semidefinite_similarities_pass_with_any_diagonal(name):
    assert kind_by_diagonal(GRAMS[name]) == "similarity"
    assert kind_by_diagonal(sparse.csr_array(GRAMS[name])) == "similarity"


def test_kinds_are_told_by_stretches_of_rows(monkeypatch):
    monkeypatch.setattr(values_module, "_COMPARED_AT_ONCE", 130)
    for kind, block in (("similarity", np.exp(-D)), ("dissimilarity", D + 1e-9)):
        assert kind_by_diagonal(block) == kind
    assert kind_by_diagonal(with_one(np.exp(-D), 3, 9, 5000.0)) is None


def test_kinds_are_told_of_the_largest_numbers():
    assert kind_by_diagonal(with_one(D, 3, 9, 1.7e308)) == "dissimilarity"
    assert kind_by_diagonal(D * 1e307) == "dissimilarity"
    assert kind_by_diagonal(np.exp(-D) * 1e308) == "similarity"
    assert kind_by_diagonal(with_one(np.exp(-D) * 1e308, 3, 9, np.nan)) == "similarity"
    assert kind_by_diagonal(-D * 1e307) == "similarity"


def test_what_a_sparse_similarity_does_not_store_is_zero():
    near = (D < 1.0).astype(float)
    assert kind_by_diagonal(near) == "similarity"
    assert kind_by_diagonal(sparse.csr_array(near)) == "similarity"
    assert kind_by_diagonal(sparse.csr_array(with_one(near, 4, 4, 0.0))) == "similarity"
    loop = with_one(near - np.eye(60), 4, 4, 1.0)  # no more than one is near to itself
    assert kind_by_diagonal(loop) is None
    assert kind_by_diagonal(sparse.csr_array(loop)) is None


def test_what_a_sparse_dissimilarity_does_not_store_is_unknown():
    near = np.where(D < 1.0, D, 0.0)
    block = sparse.csr_array(near)
    assert kind_by_diagonal(block) is None  # without its diagonal
    assert kind_by_diagonal(sparse.csr_array(with_one(near, 4, 4, 1e6))) is None
    block = sparse.csr_array(near + 1e-9 * np.eye(60))
    assert kind_by_diagonal(block) == "dissimilarity"
    block.data[block.data == 1e-9] = 0.0  # stored zeros
    assert kind_by_diagonal(block) == "dissimilarity"
    block = sparse.csr_array(near + 0.5 * np.eye(60))  # or a similarity, as likely
    assert kind_by_diagonal(block) is None


@pytest.mark.parametrize("absent", [0.0, np.inf])
def test_means_by_stretches_of_rows_are_the_same(monkeypatch, absent):
    rng = np.random.default_rng(0)
    one, other = (sparse.random_array((40, 30), density=0.3, rng=rng, format="csr") for _ in "ab")
    for matrix in (one, other):
        matrix.data[::5] = 0.0  # stored zeros are told
        matrix.sort_indices()
    all_at_once = directions.mean_of(one, other, absent)
    monkeypatch.setattr(directions, "_ENTRIES_AT_ONCE", 25)
    parts = directions.mean_of(one, other, absent)
    for name in ("data", "indices", "indptr"):
        assert_array_equal(getattr(parts, name), getattr(all_at_once, name))
        assert getattr(parts, name).dtype == getattr(all_at_once, name).dtype


@pytest.mark.parametrize("absent", [0.0, np.inf])
def test_symmetry_is_seen_by_stretches_of_rows(monkeypatch, absent):
    monkeypatch.setattr(directions, "_ENTRIES_AT_ONCE", 25)
    S = sparse.random_array((30, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    S = as_values(S + S.T, "S")
    assert directions.is_symmetric(S, absent)
    assert directions.is_symmetric(as_values(sparse.csr_array((5, 5)), "S"), absent)
    places = S.tocoo()
    S.data[np.flatnonzero(places.row != places.col)[-1]] += 1e-3
    assert not directions.is_symmetric(S, absent)


def beyond(form):
    """A matrix whose structure leads out of bounds, in one of SciPy's formats."""
    matrix = sparse.coo_array(np.eye(4)).asformat(form)
    if form == "coo":
        matrix.coords = (matrix.coords[0] + 1000, matrix.coords[1])
    elif form in ("csr", "csc", "bsr"):
        matrix.indices = matrix.indices + 1000
    elif form == "lil":
        matrix.rows[0] = [1000]
    else:
        matrix._dict[(1000, 0)] = 1.0
    return matrix


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr", "lil", "dok"])
def test_no_door_lets_a_damaged_matrix_in(form):
    """SciPy itself would follow its indices, out of the memory that it has."""
    for door in (
        lambda X: as_values(X, "X"),
        lambda X: Pairwise(X, "similarity"),
        lambda X: Sources({"a": X}),
        lambda X: PairwiseSimilarity("tversky_ratio").fit(X),
    ):
        with pytest.raises(InputError, match="damaged sparse matrix"):
            door(beyond(form))
