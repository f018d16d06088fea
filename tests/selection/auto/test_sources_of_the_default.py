"""Several sources: tables that are no numbers, names of the samples, files of such models."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import similearn
from similearn import Pairwise, SimilarityClassifier, Sources
from similearn.errors import InputError

QUICK = {"effort": "quick", "progress": False, "random_state": 0}


@pytest.fixture(scope="module")
def sources():
    rng = np.random.default_rng(0)
    y = np.repeat(["oak", "ash"], 15)
    points = rng.normal(size=(30, 2)) + 2 * (y == "oak")[:, None]
    D = np.linalg.norm(points[:, None] - points, axis=2)
    ids = np.array([f"tree{i}" for i in range(30)])
    leaf = Pairwise(D, "dissimilarity", row_ids=ids, column_ids=ids)
    return Sources({"height": points[:, :1], "leaf": leaf}), y


@pytest.fixture(scope="module")
def model(sources):
    return SimilarityClassifier(**QUICK).fit(*sources)


def test_neighbours_are_told_by_the_names_of_the_first_block_that_has_some(model, sources):
    told = model.explain(sources[0]).tell(0)
    assert "tree" in told.split("largest shares")[1]


def test_a_table_of_words_is_refused_by_its_name(model, sources):
    X, y = sources
    words = Sources({"height": X["height"], "leaf": X["leaf"], "soil": [["clay"], ["sand"]] * 15})
    with pytest.raises(InputError, match=r"'soil' holds what is no number .*'clay'"):
        SimilarityClassifier(**QUICK).fit(words, y)
    with pytest.raises(InputError, match="'height' holds what is no number"):
        model.predict(Sources({"height": [["tall"]] * 30, "leaf": X["leaf"]}))


def test_a_model_of_several_sources_comes_back_as_it_was(model, sources, tmp_path):
    similearn.save(model, tmp_path / "trees.model")
    again = similearn.load(tmp_path / "trees.model")
    assert again.n_training == 30 and again.sources == ["height", "leaf"]
    assert_array_equal(again.predict_proba(sources[0]), model.predict_proba(sources[0]))
