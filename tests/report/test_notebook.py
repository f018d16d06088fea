"""What notebooks show of blocks, diagnoses, explanations, leaderboards and searches."""

import numpy as np
import pytest

from similearn import (
    NeighborsClassifier,
    Pairwise,
    PathSearchCV,
    SimilarityClassifier,
    datasets,
    diagnose,
)
from tests.report.pages import HOSTILE, elements, hostile_block

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def problem():
    return datasets.make_similarities(60, n_classes=3, random_state=0, return_X_y=True)


def checked(page):
    """A fragment without script, whose headings, if any, cannot clash with the notebook's."""
    tags = [tag for tag, _ in elements(page)]
    assert "script" not in tags and "h1" not in tags and "table" in tags
    return page


def test_explanations_show_scores_and_neighbours(problem):
    X, y = problem
    model = NeighborsClassifier(5, weights="krr").fit(X, y)
    page = checked(model.explain(X)._repr_html_())
    assert "55 more samples" in page and page.count("Neighbour</th>") == 5


def test_the_default_shows_what_it_tried_and_why(problem):
    X, y = problem
    model = SimilarityClassifier(effort="quick").fit(X, y)
    board = checked(model.leaderboard_._repr_html_())
    assert all(row["method"] in board for row in model.leaderboard_.rows) and "Weight" in board
    assert "Probability" in checked(model.explain(X)._repr_html_())


def test_diagnoses_tell_the_most_consequential_first(problem):
    X, y = problem
    page = diagnose(X, y)._repr_html_()
    assert page.index("Consider it") < page.index("As it should be")


def test_searches_show_their_outcome_once_fitted(problem):
    X, y = problem
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 3, 5]}, cv=3)
    before = search._repr_mimebundle_()["text/html"]
    after = search.fit(X, y)._repr_mimebundle_()["text/html"]
    assert "Best of 3 points" not in before and "Best of 3 points" in after
    assert f"n_neighbors = {search.best_params_['n_neighbors']}" in after


def test_blocks_show_a_corner_and_a_picture(problem):
    page = checked(problem[0]._repr_html_())
    assert "data:image/png;base64," in page and "upper left corner" in page
    assert "img" not in [tag for tag, _ in elements(problem[0][:3]._repr_html_())]


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (1, 5), (0, 3)])
def test_small_blocks_show_themselves(shape):
    kind = "dissimilarity"
    assert "<table>" in Pairwise(np.zeros(shape), kind)._repr_html_()


def test_hostile_names_are_text():
    X, y = hostile_block()
    for page in (X._repr_html_(), NeighborsClassifier(3).fit(X, y).explain(X)._repr_html_()):
        tags = [tag for tag, _ in elements(page)]
        assert not {"script", "svg", "iframe", "a", "meta"} & set(tags)
        assert "onerror" not in str([a for _, a in elements(page)])
    assert HOSTILE[0] not in page


def test_without_jinja_the_text_is_shown(problem, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    assert problem[0]._repr_html_() is None


def test_models_and_searches_report_on_themselves(problem, tmp_path):
    X, y = problem
    model = NeighborsClassifier(5).fit(X, y)
    path = model.report(X, y, tmp_path / "model.html", title="Mine")
    assert "<title>Mine</title>" in path.read_text(encoding="utf-8")
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3).fit(X, y)
    told = search.report(X, y, tmp_path / "search.html").read_text(encoding="utf-8")
    assert 'id="methods"' in told
