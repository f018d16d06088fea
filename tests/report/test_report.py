"""Reports of data, models and comparisons: what they tell, how large they are, what they run."""

import base64
import hashlib
import json
import re
from itertools import pairwise

import numpy as np
import pytest

from similearn import (
    NeighborsClassifier,
    Pairwise,
    PathSearchCV,
    SimilarityClassifier,
    datasets,
    write_report,
)
from similearn.errors import InputError, MissingExtraError
from similearn.report.contents.gathering import (
    Asked,
    contents_of_comparison,
    contents_of_data,
    contents_of_model,
)
from similearn.report.html.packing import Limits, as_json, cut_text, script_data
from similearn.report.html.page import MOST_BYTES, rendered
from tests.report.pages import HOSTILE, data_of, elements, hostile_block, two_methods

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def problem():
    return datasets.make_similarities(60, n_classes=3, random_state=0, return_X_y=True)


@pytest.fixture(scope="module")
def page(problem, tmp_path_factory):
    X, y = problem
    model = NeighborsClassifier(5, weights="krr").fit(X, y)
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(model, path, X=X, y=y, title="Three classes").read_text(encoding="utf-8")


def test_the_page_has_all_that_a_model_with_data_can_tell(page):
    ids = {attributes.get("id") for _, attributes in elements(page)}
    assert {"glance", "map", "matrix", "errors", "sample", "made"} <= ids
    assert "methods" not in ids  # nothing was compared
    assert "60 samples" in page and "Three classes" in page and "write_report(model" in page


def test_numbers_are_those_of_held_out_samples(problem, page):
    X, y = problem
    data = data_of(page)
    model = NeighborsClassifier(5, weights="krr").fit(X, y)
    judged = contents_of_model(model, X, y, Asked()).judged
    wrong = (judged.decided != judged.truth).mean()
    assert data["glance"]["error"][0] == pytest.approx(wrong)
    assert (model.predict(X) != y).mean() <= wrong  # nothing speaks for itself
    near = data["details"]["0"]["near"]
    assert all(place != 0 for place, *_ in near)


def test_policy_allows_just_the_scripts_and_styles_that_are_there(page):
    (meta,) = [a for tag, a in elements(page) if a.get("http-equiv")]
    policy = meta["content"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    assert len(scripts) == 3 and len(styles) == 1
    for text in scripts + styles:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_nothing_in_the_markup_runs_or_fetches(page):
    for tag, attributes in elements(page):
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert "style" not in attributes, (tag, attributes)
        assert tag not in {"link", "iframe", "object", "embed", "base", "form"}
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), attributes


def test_headings_come_in_order_and_the_language_is_said(page):
    levels = [int(tag[1]) for tag, _ in elements(page) if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert dict(elements(page))["html"]["lang"] == "en"


def test_hostile_labels_and_ids_are_text(tmp_path):
    X, y = hostile_block()
    page = rendered(contents_of_model(NeighborsClassifier(3).fit(X, y), X, y, Asked(HOSTILE[0])))
    tags = [tag for tag, _ in elements(page)]
    assert "img" not in tags and "svg" not in tags and tags.count("script") == 4
    assert "<img" not in page.split("<script>")[0]
    assert len(data_of(page)["classes"]) == len(set(y))


def test_data_without_labels_show_themselves(problem, tmp_path):
    X, _ = problem
    page = write_report(X, tmp_path / "r.html").read_text()
    ids = {attributes.get("id") for _, attributes in elements(page)}
    assert {"map", "matrix", "sample"} <= ids and not {"errors", "methods"} & ids
    assert "give labels" in page
    assert data_of(page)["details"]["7"]["near"]


def test_labelled_data_are_tried_by_the_default(problem, tmp_path):
    X, y = problem
    contents = contents_of_data(X, y, Asked())
    assert contents.methods.lines and contents.glance.model == "SimilarityClassifier"
    assert sum(line.weight for line in contents.methods.lines) == pytest.approx(1)
    levels = [level for level, _ in contents.glance.findings]
    assert levels == sorted(levels, key=["act", "consider", "fine"].index)
    page = rendered(contents)
    assert all(line.name in page for line in contents.methods.lines)


def test_new_samples_are_judged_as_they_are(problem):
    X, y = problem
    train, test = np.arange(40), np.arange(40, 60)
    model = NeighborsClassifier(3).fit(X[np.ix_(train, train)], y[train])
    queries = X[np.ix_(test, train)]
    contents = contents_of_model(model, queries, y[test], Asked())
    assert contents.pictures is None and "new to the model" in contents.judged.how
    expected = model.predict_proba(queries)
    assert np.array_equal(contents.judged.probabilities, expected)
    page = rendered(contents)
    place, name, *_ = data_of(page)["details"]["0"]["near"][0]
    assert place == -1 and name == str(int(name))  # training samples, by name


def test_searches_show_their_curves(problem):
    X, y = problem
    grid = {"n_neighbors": [1, 3, 5, 9], "ridge": [0.1, 1.0]}
    search = PathSearchCV(NeighborsClassifier(weights="krr"), grid, cv=3).fit(X, y)
    methods = contents_of_model(search, X, y, Asked()).methods
    curves = {curve.parameter: curve for curve in methods.curves}
    assert curves["n_neighbors"].values == [1, 3, 5, 9]
    assert curves["n_neighbors"].chosen == search.best_params_["n_neighbors"]
    place = curves["n_neighbors"].values.index(curves["n_neighbors"].chosen)
    assert curves["n_neighbors"].errors[place] == pytest.approx(1 - search.best_score_)


def test_objects_are_shown_as_they_are():
    names = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "tottori"] * 2
    y = ["a"] * 4 + ["o"] * 4
    model = SimilarityClassifier(similarity="levenshtein", effort="quick").fit(names, y * 2)
    data = data_of(rendered(contents_of_model(model, names, y * 2, Asked())))
    assert data["details"]["3"]["object"] == {"text": "joanna"}
    assert data["pictures"] is not None


def test_images_become_small_pictures():
    from similearn.report.contents.objects_shown import shown_object

    told = shown_object(np.arange(100 * 80).reshape(100, 80))["image"]
    raw = base64.b64decode(told.removeprefix("data:image/png;base64,"))
    assert raw.startswith(b"\x89PNG") and raw[16:24] == bytes([0, 0, 0, 40, 0, 0, 0, 50])


def test_alike_neighbours_are_grouped():
    from similearn.report.contents.suspects import shared_weight_groups

    among = np.array([[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]])
    groups = shared_weight_groups(np.array([0.5, 0.5, 0.5]), among, True)
    assert groups[0] == groups[1] != groups[2]
    assert len(set(shared_weight_groups(np.array([0.5, 0.5, 0.5]), 1 - among, False))) == 2
    unknown = np.array([[0, 0.1, np.inf], [0.1, 0, np.inf], [np.inf, np.inf, 0]])
    assert shared_weight_groups(np.array([0.5, 0.5, np.inf]), unknown, False) == [0, 0, 1]


def test_a_chain_of_neighbours_is_no_group():
    from similearn.report.contents.suspects import shared_weight_groups

    places = np.array([0.0, 1.0, 2.0, 3.0])
    groups = shared_weight_groups(np.full(4, 1.5), np.abs(places[:, None] - places), False)
    assert groups == [0, 0, 1, 1]


def test_classes_are_ordered_as_people_order_them():
    from similearn.report.contents.gathering import natural_order

    assert natural_order(["10", "9", "b2", "b10", "", "1"]) == [4, 5, 1, 0, 2, 3]


def test_every_size_stays_below_two_megabytes():
    """Many samples with long names and many classes: the page shows fewer, and says so."""
    rng = np.random.default_rng(0)
    n, names = 21_000, 100
    contents = contents_of_data(
        *datasets.make_similarities(40, random_state=0, return_X_y=True), Asked()
    )
    judged = contents.judged
    P = rng.dirichlet(np.full(names, 0.1), size=n)
    many = type(judged)(
        classes=np.arange(names),
        truth=rng.integers(names, size=n),
        decided=P.argmax(axis=1),
        probabilities=P,
        how="",
    )
    whole = type(contents)(
        title="Large",
        glance=contents.glance,
        made=contents.made,
        names=[f"{i} " + "ü" * 100 for i in range(n)],
        class_names=[f"class {g} " + "é" * 200 for g in range(names)],
        codes=many.truth,
        judged=many,
    )
    page = rendered(whole)
    assert len(page.encode()) <= MOST_BYTES
    assert len(data_of(page)["samples"]["names"]) < n
    told = data_of(page)["whole"]  # the hardest are shown, but charts are of all
    assert sum(told["sizes"]) == n == sum(count for _, _, count in told["confusion"])
    assert told["coverage"][-1][1] == pytest.approx((many.decided != many.truth).mean(), rel=1e-4)
    assert sum(told["reliability"][2]) == n


def test_json_holds_nothing_that_html_knows():
    text = as_json({"a": "</script><!-- & \u2028 \ud800"})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"a": "</script><!-- & \u2028 \ud800"}


def test_long_texts_keep_both_ends():
    assert cut_text("abcdefghij", 5) == "ab…ij" and cut_text("abc", 5) == "abc"
    assert len(cut_text("x" * 99, 12)) == 12
    assert "\x1b" not in cut_text("\x1b[31m", 20)


def test_folders_files_and_extras_that_are_missing_are_sentences(tmp_path, monkeypatch, problem):
    with pytest.raises(InputError, match="expected the folder of a comparison"):
        write_report(tmp_path, tmp_path / "r.html")
    X, y = problem
    with pytest.raises(InputError, match="needs the labels"):
        write_report(NeighborsClassifier(3).fit(X, y), tmp_path / "r.html", X=X)
    with pytest.raises(InputError, match="2 names for 60 samples"):
        write_report(X, tmp_path / "r.html", names=["a", "b"])
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"similearn\[report\]"):
        write_report(X, tmp_path / "r.html")


def test_limits_shrink():
    sizes = [limits.samples for limits in Limits().ever_smaller()]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] < sizes[0]


def test_a_sparse_dissimilarity_is_drawn_too():
    from scipy import sparse

    D = sparse.random(30, 30, density=0.3, random_state=0, format="csr")
    block = Pairwise(D + D.T, "dissimilarity")
    contents = contents_of_data(block, None, Asked())
    assert contents.pictures.spectrum is None
    assert np.isfinite(contents.pictures.planes[0].points).all()
    assert script_data(contents, Limits())["spectrum"] is None


def test_a_comparison_with_its_data_shows_both(problem):
    X, y = problem
    records = two_methods()
    alone = contents_of_comparison(records, Asked())
    assert alone.pictures is None and "give the data" in alone.left_out[0]
    both = contents_of_comparison(records, Asked(), X, y)
    assert both.pictures is not None and both.glance.majority_error is not None
    assert both.glance.error == alone.glance.error and both.methods.p_values[0][1] is not None
    page = rendered(both)
    assert "krr-knn has the lowest error" in page and "signed-rank test over the splits" in page


def test_the_method_its_equation_and_its_paper_are_told(problem, page):
    assert "w = (S + λI)⁻¹ s" in page and "JMLR §5.2.1" in page
    assert "Similarity-based Classification" in page and "On Learning with" in page  # by findings
    assert "Ensemble Selection" not in page


def test_fusion_and_blocks_tell_their_parts(problem):
    from similearn import CDNNClassifier, DissimilarityCombiner, FusionClassifier, Sources

    X, y = problem
    D = Pairwise(1.0 - X.values / X.values.max(), "dissimilarity")
    both = Sources({"one": D, "two": D})
    combined = CDNNClassifier(DissimilarityCombiner(ridge=0.1)).fit(both, y)
    told = data_of(rendered(contents_of_model(combined, both, y, Asked())))
    near = told["details"]["0"]
    assert [name for name, _ in near["parts"]] == ["one", "two"] and told["members"] is None
    steps = [("a", NeighborsClassifier(5), "one"), ("b", NeighborsClassifier(7), "two")]
    fused = FusionClassifier(steps).fit(both, y)
    told = data_of(rendered(contents_of_model(fused, both, y, Asked())))
    assert {"a", "b"} <= {name for name, _ in told["details"]["0"]["terms"]}


def test_goodness_of_many_samples_is_that_of_some_and_says_so(problem, monkeypatch):
    from similearn.report.contents import scoring

    X, y = problem
    whole = scoring.goodness_told(X, y)
    monkeypatch.setattr(scoring, "MOST_FOR_GOODNESS", 40)
    some = scoring.goodness_told(X, y)
    assert [f.name for f in some] == [f.name for f in whole]
    assert all("estimated from 40 samples" in f.value for f in some)
