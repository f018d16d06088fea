"""Several sources: tables that are no numbers, names of the samples, files of such models."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

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


TABLES = {
    "infinite": (lambda t: np.where(t > 1, np.inf, t), "'height' contains infinity at row"),
    "no columns": (lambda t: t[:, :0], r"'height' has the shape \(30, 0\)"),
    "complex": (lambda t: t + 1j, "'height' holds complex128 numbers"),
    "dates": (lambda t: np.zeros(t.shape, "datetime64[s]"), "'height' holds what is no number"),
    "beyond floats": (lambda t: np.full(t.shape, 10**400, dtype=object), "is no number"),
    "sparse": (sparse.csr_array, "'height' is of type csr_array"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_is_no_table_of_numbers_is_refused_by_its_name(model, sources, case):
    X, y = sources
    change, told = TABLES[case]
    changed = Sources({"height": change(X["height"]), "leaf": X["leaf"]})
    for ask in (
        lambda: SimilarityClassifier(**QUICK).fit(changed, y),
        lambda: model.predict(changed),
    ):
        with pytest.raises(InputError, match=told):
            ask()


def test_queries_are_of_the_same_sources(model, sources):
    X, _ = sources
    for changed, told in [
        (
            {"height": np.ones((30, 2)), "leaf": X["leaf"]},
            "expected one row or more, and 1 columns",
        ),
        ({"height": X["leaf"], "leaf": X["leaf"]}, "'height' is of type Pairwise"),
        ({"height": X["height"], "leaf": X["leaf"].values}, "'leaf' is of type ndarray"),
        ({"height": X["height"][:0], "leaf": X["leaf"][:0]}, r"the shape \(0, 1\)"),
    ]:
        with pytest.raises(InputError, match=told):
            model.predict(Sources(changed))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [2.0**-900, 2.0**900])
def test_the_unit_of_a_table_does_not_matter(model, sources, unit):
    X, y = sources
    scaled = Sources({"height": X["height"] * unit, "leaf": X["leaf"]})
    other = SimilarityClassifier(**QUICK).fit(scaled, y)
    assert_array_equal(other.predict_proba(scaled), model.predict_proba(X))
