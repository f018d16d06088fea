"""A matrix on disk or in single precision gives the bits of its copy in double precision."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal

from similearn import (
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    Pairwise,
    PathSearchCV,
    datasets,
    stored_pairwise,
)
from similearn.errors import FileError, InputError, InputTypeError

PROBLEM = datasets.make_similarities(120, n_classes=3, asymmetry=0.4, random_state=0)
LOPSIDED = np.asarray(PROBLEM.data, dtype=np.float32)
EVEN = ((LOPSIDED + LOPSIDED.T) / 2).astype(np.float32)
TRAIN, TEST = np.arange(90), np.arange(90, 120)
MODELS = [
    NeighborsClassifier(5),
    NeighborsClassifier(5, weights="krr"),
    LocalSDAClassifier(7, regularization="joint"),
    LocalSVC(8),
]


@pytest.mark.parametrize("single", [EVEN, LOPSIDED], ids=["symmetric", "asymmetric"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_local_methods_give_the_bits_of_the_copy(tmp_path, single, model):
    np.save(tmp_path / "S.npy", single)
    found = []
    for block in (
        Pairwise(single.astype(np.float64), "similarity"),
        stored_pairwise(tmp_path / "S.npy", "similarity"),
    ):
        fitted = sklearn.clone(model).fit(block[np.ix_(TRAIN, TRAIN)], PROBLEM.target[TRAIN])
        found.append(fitted.predict_proba(block[np.ix_(TEST, TRAIN)]))
    assert_array_equal(*found)


def test_leave_one_out_and_questions():
    copy, stored = Pairwise(EVEN.astype(float), "similarity"), stored_pairwise(EVEN, "similarity")
    assert stored.is_symmetric and stored.is_lazy
    for skip_self in (False, True):
        for one, other in zip(
            copy.nearest(6, slice(3, 50), skip_self=skip_self),
            stored.nearest(6, slice(3, 50), skip_self=skip_self),
            strict=True,
        ):
            assert_array_equal(one, other)
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 5, 9]}, cv="loo", refit=False)
    scores = [search.fit(X, PROBLEM.target).cv_results_["mean_test_score"] for X in (copy, stored)]
    assert_array_equal(*scores)
    queries = stored_pairwise(EVEN[:7], "similarity")
    assert not queries.knows_reverse
    assert_array_equal(queries.rows(), EVEN[:7].astype(float))
    assert "values" not in vars(stored) and "values" not in vars(queries)


def test_refusals(tmp_path):
    for wrong in (EVEN[0], np.empty((0, 0))):
        with pytest.raises(InputError, match="expected rows and columns"):
            stored_pairwise(wrong, "similarity")
    with pytest.raises(InputTypeError, match="Pairwise takes other forms"):
        stored_pairwise([[1.0]], "similarity")
    with pytest.raises(InputError, match="kind='near'"):
        stored_pairwise(EVEN, "near")
    with pytest.raises(InputError, match="square"):
        stored_pairwise(EVEN[:3], "similarity", same_samples=True)
    (tmp_path / "a.npy").write_bytes(b"nonsense")
    for name in ("a.npy", "b.npy"):
        with pytest.raises(FileError, match="cannot be mapped"):
            stored_pairwise(tmp_path / name, "similarity")
    damaged = EVEN.copy()
    damaged[4, 7] = damaged[7, 4] = np.nan
    with pytest.raises(InputError, match="NaN"):
        stored_pairwise(damaged, "similarity", symmetric=True).nearest(2)


def test_a_stored_matrix_of_one_direction_shows_one_of_held_out_samples():
    copy = Pairwise(LOPSIDED.astype(float), "similarity", one_way=True)
    stored = stored_pairwise(LOPSIDED, "similarity", one_way=True)
    assert stored.one_way and stored.computed().one_way
    parts = [block[np.ix_(TEST, TRAIN)] for block in (copy, stored)]
    assert not any(part.knows_reverse for part in parts) and parts[1].one_way
    assert_array_equal(*[part.nearest(5)[0] for part in parts])
    assert_array_equal(*[part.both_directions() for part in parts])
    assert stored_pairwise(LOPSIDED, "similarity")[np.ix_(TEST, TRAIN)].knows_reverse
    for both in (True, False):  # what is asked of the references themselves knows both
        assert_array_equal(*[b.columns(TEST, TRAIN, both=both) for b in (copy, stored)])
