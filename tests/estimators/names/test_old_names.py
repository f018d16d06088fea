"""Old names keep working until they are removed, and say so."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import similearn
from similearn import DBoostClassifier, DissimilarityToSimilarity
from similearn.errors import InputTypeError, RenamedWarning, SimilearnWarning
from similearn.estimators.names.old_names import REMOVED, renamed, renamed_function

POINTS = np.array([0.0, 1, 2, 3, 10, 11, 12, 13])[:, None]
D, Y = abs(POINTS - POINTS.T), np.repeat([0, 1], 4)


def test_old_names_are_removed_in_time():
    assert tuple(map(int, similearn.__version__.split(".")[:2])) < tuple(
        map(int, REMOVED.split("."))
    ), f"{REMOVED} is here: remove every use of estimators.names.old_names"


def test_old_parameters():
    with pytest.warns(FutureWarning, match=r"n_rounds was renamed to n_estimators in 0.1.* 0.3"):
        old = DBoostClassifier(n_rounds=7, random_state=0)
    with pytest.warns(RenamedWarning, match="patience was renamed to n_iter_no_change"):
        old.set_params(patience=2, kind="dissimilarity")
    new = DBoostClassifier(n_estimators=7, n_iter_no_change=2, kind="dissimilarity", random_state=0)
    assert old.get_params() == new.get_params() == clone(old).get_params()
    assert "n_rounds" not in old.get_params()
    assert repr(old) == repr(new)
    with pytest.warns(RenamedWarning):
        assert old.n_rounds == 7
    with pytest.warns(RenamedWarning):
        old.n_rounds = 3
    assert old.n_estimators == 3
    with pytest.raises(InputTypeError, match="both n_estimators and its old name n_rounds"):
        DBoostClassifier(n_estimators=1, n_rounds=1)
    with pytest.raises(TypeError, match="unexpected"):
        DBoostClassifier(rounds=1)


@pytest.mark.filterwarnings("ignore::similearn.errors.RenamedWarning")
def test_old_parameters_in_searches_and_pipelines():
    search = GridSearchCV(DBoostClassifier(random_state=0), {"n_rounds": [2, 5]}, cv=2).fit(D, Y)
    assert search.best_estimator_.n_estimators == search.best_params_["n_rounds"]
    model = make_pipeline(DissimilarityToSimilarity(), DBoostClassifier(kind="similarity"))
    model.set_params(dboostclassifier__n_rounds=3)
    assert model[-1].n_estimators == 3
    assert model.fit(D, Y)[-1].n_estimators_ == 3


def test_old_attributes():
    model = DBoostClassifier(5, random_state=0).fit(D, Y)
    with pytest.warns(FutureWarning, match="n_rounds_ was renamed to n_estimators_"):
        assert model.n_rounds_ == 5
    assert not hasattr(DBoostClassifier(), "n_rounds_")


def test_an_attribute_of_another_shape():
    @renamed(attributes={"old_": ("new_", lambda self: self.new_[None])})
    class Model(BaseEstimator):
        def fit(self):
            self.new_ = np.arange(3)
            return self

    with pytest.warns(RenamedWarning):
        assert_array_equal(Model().fit().old_, [[0, 1, 2]])


def test_an_old_function():
    def half(x):
        return x / 2

    with pytest.warns(FutureWarning, match="similearn: halve was renamed to half in 0.1"):
        assert renamed_function("halve", half)(4) == 2


def test_the_category_is_ours_and_shown_to_users():
    assert issubclass(RenamedWarning, SimilearnWarning) and issubclass(
        RenamedWarning, FutureWarning
    )
