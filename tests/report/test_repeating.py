"""Reports of objects, several sources and comparisons by their commands; code that repeats them."""

import html
import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import similearn
from similearn import NeighborsClassifier, PairwiseSimilarity, PathSearchCV, datasets, write_report
from similearn.cli.app import app
from similearn.experiments.comparisons.runner import tried_points
from similearn.report.contents.method_sheet import methods_of_records
from similearn.report.made.repeating import code_of
from tests.report.pages import data_of

pytest.importorskip("jinja2")
WORDS = "anna anne hanna joanna susanna rosanna otto lotto ottone tottori motto potto".split()
LABELS = ["a"] * 6 + ["o"] * 6


@pytest.fixture
def words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{w},{y}\n" for w, y in zip([*WORDS, "nobody"], [*LABELS, ""], strict=True)]
    (tmp_path / "words.csv").write_text("word,kind\n" + "".join(rows))
    return ["words.csv", "--labels", "kind", "--similarity", "levenshtein"]


def shell(*command):
    result = CliRunner().invoke(app, list(command))
    assert result.exit_code == 0, result.output
    return result


def page_of(path):
    return path.read_text(encoding="utf-8")


def code_in(page):
    return html.unescape(re.findall(r"<code>(.*?)</code>", page, re.DOTALL)[-1])


def test_the_code_on_a_page_of_objects_repeats_it(words, tmp_path):
    shell("report", *words, "-o", "one.html")
    page = page_of(tmp_path / "one.html")
    exec(code_in(page).replace("one.html", "two.html"), {})
    assert data_of(page_of(tmp_path / "two.html")) == data_of(page)
    assert data_of(page)["samples"]["names"][3] == "joanna"  # a short text names itself
    assert data_of(page)["samples"]["n"] == 12  # "nobody" has no label
    assert "1 of 13 samples have no label" in page


def test_neighbours_of_new_objects_have_the_ids_of_the_models_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, some in (("old", slice(0, 12)), ("new", slice(2, 9))):
        told = [(f"{name}{i}", w, y) for i, (w, y) in enumerate(zip(WORDS, LABELS, strict=True))]
        (tmp_path / f"{name}.csv").write_text(
            "id,word,kind\n" + "".join(",".join(row) + "\n" for row in told[some])
        )
    columns = ("--column", "word", "--labels", "kind")
    shell("fit", "old.csv", *columns, "-s", "levenshtein", "--method", "knn", "-o", "w.model")
    shell("report", "w.model", "--data", "new.csv", *columns, "-o", "one.html")
    data = data_of(page_of(tmp_path / "one.html"))
    near = {name for told in data["details"].values() for _, name, *_ in told["near"]}
    assert near <= {f"old{i}" for i in range(12)} and len(near) > 1
    assert data["samples"]["names"] == [f"new{i}" for i in range(2, 9)]


def test_a_model_of_objects_and_its_report_by_one_command(words, tmp_path):
    shell("fit", *words, "--method", "knn", "-o", "w.model", "--report", "one.html")
    page = page_of(tmp_path / "one.html")
    assert data_of(page)["pictures"] is not None
    exec(code_in(page).replace("one.html", "two.html"), {"X": WORDS, "y": LABELS})
    assert data_of(page_of(tmp_path / "two.html"))["details"] == data_of(page)["details"]
    (tmp_path / "new.csv").write_text("word,kind\nlotta,o\n")
    shell("report", "w.model", "--data", "new.csv", "--labels", "kind", "-o", "new.html")
    told = data_of(page_of(tmp_path / "new.html"))
    near = told["details"]["0"]["near"][0]
    assert near[0] == -1 and told["references"][near[1]]["text"] in WORDS


def test_a_comparison_writes_its_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    similearn.compare(
        WORDS, LABELS, ["knn"], similarity="levenshtein", n_splits=2, name="words", report=True
    )
    data = data_of(page_of(tmp_path / "words.html"))
    (curve,) = data["methods"]["curves"]
    assert curve["chosen"] in curve["values"] and data["samples"]["names"][0] == "anna"


def test_several_matrices_are_several_sources(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = datasets.make_similarities(30, random_state=0, return_X_y=True)
    for name in ("one", "two"):
        np.savez(tmp_path / f"{name}.npz", S=X.values, y=y, kind="similarity")
    shell("report", "one.npz", "two.npz", "-o", "both.html")
    page = page_of(tmp_path / "both.html")
    exec(code_in(page).replace("both.html", "again.html"), {})
    assert data_of(page_of(tmp_path / "again.html")) == data_of(page)


def test_curves_are_means_over_splits_with_what_was_chosen_most_often():
    def record(split, errors, chosen):
        return {
            "problem": "p", "method": "knn", "split": split, "error": 0.1, "log_loss": 0.2,
            "fit_seconds": 0.1,
            "predict_seconds": 0.1, "parameters": {"n_neighbors": chosen}, "converted": False,
            "warnings": [], "tried": {"n_neighbors": [1, 3, 9][: len(errors)], "error": errors},
        }  # fmt: skip

    records = [record(0, [0.3, 0.1, 0.2], 3), record(1, [0.1, 0.3], 1), record(2, [0.2, 0.2], 3)]
    (curve,) = methods_of_records(records).curves
    assert curve.values == [1, 3] and curve.errors == pytest.approx([0.2, 0.2])
    assert curve.chosen == 3
    assert not methods_of_records([{**r, "tried": None} for r in records]).curves


def test_a_search_tells_every_point_that_it_tried():
    X, y = datasets.make_similarities(30, random_state=0, return_X_y=True)
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3).fit(X, y)
    (tried,) = tried_points(search).values()
    assert tried["n_neighbors"] == [1, 3]
    best = tried["n_neighbors"].index(search.best_params_["n_neighbors"])
    assert tried["error"][best] == pytest.approx(1 - search.best_score_, abs=1e-5)
    assert tried_points(search.best_estimator_) == {}


def test_code_of_a_model_makes_it_again(tmp_path):
    model = make_pipeline(PairwiseSimilarity("levenshtein"), NeighborsClassifier(3))
    search = PathSearchCV(model, {"neighborsclassifier__n_neighbors": [1, 3]}, cv=2)
    search.fit(WORDS, LABELS)
    known = {"X": WORDS, "y": LABELS}
    exec(code_of(search, WORDS, tmp_path / "r.html", 0), known)
    assert known["model"].best_params_ == search.best_params_
    new = code_of(model.fit(WORDS, LABELS), ["lotta"], "r.html", 0)
    assert "model.fit(X_train, y_train)" in new


def test_what_has_no_words_is_called_a_model():
    model = make_pipeline(
        PairwiseSimilarity(lambda a, b: float(a == b), kind="similarity", symmetric=True),
        NeighborsClassifier(1),
    ).fit(WORDS, LABELS)
    assert code_of(model, WORDS, "r.html", 0).startswith("from similearn import write_report")


def test_samples_without_a_label_are_left_out(tmp_path):
    X, y = datasets.make_similarities(30, random_state=0, return_X_y=True)
    some = np.array([None if i < 4 else str(label) for i, label in enumerate(y)], dtype=object)
    page = page_of(
        write_report(X, tmp_path / "r.html", y=some, objects=[f"o{i}" for i in range(30)])
    )
    assert data_of(page)["samples"]["n"] == 26
    assert data_of(page)["samples"]["names"][0] == "o4"


def test_neighbourhoods_larger_than_a_fold_are_cut(tmp_path):
    X, y = datasets.make_similarities(30, random_state=0, return_X_y=True)
    page = write_report(NeighborsClassifier(30).fit(X, y), tmp_path / "r.html", X=X, y=y)
    assert data_of(page_of(page))["details"]["0"]["near"]
