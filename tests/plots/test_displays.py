"""Displays: every chart of the reports by matplotlib, one column wide."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import confusion_matrix

from similearn import NeighborsClassifier, PathSearchCV, datasets, explain, plots
from similearn.errors import InputError, MissingExtraError, SimilearnError
from similearn.plots.judged_displays import judged_by

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")


@pytest.fixture(scope="module")
def problem():
    X, y = datasets.make_similarities(60, n_classes=3, noise=0.1, random_state=0, return_X_y=True)
    return X, np.array(["$a$", "b" * 60, "\x1b[31m"])[y]


@pytest.fixture(scope="module")
def model(problem):
    return NeighborsClassifier(7, weights="krr").fit(*problem)


@pytest.fixture(scope="module")
def search(problem):
    grid = {"n_neighbors": [1, 3, 30], "ridge": [0.1, 1.0]}
    return PathSearchCV(NeighborsClassifier(weights="krr"), grid, cv=3).fit(*problem)


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


def made(problem, model, search):
    X, y = problem
    return {
        "MapDisplay": lambda ax: plots.MapDisplay.from_estimator(model, X, y, ax=ax),
        "MatrixDisplay": lambda ax: plots.MatrixDisplay.from_block(X, y, ax=ax),
        "SpectrumDisplay": lambda ax: plots.SpectrumDisplay.from_block(X, ax=ax),
        "ReliabilityDisplay": lambda ax: plots.ReliabilityDisplay.from_estimator(
            model, X, y, ax=ax
        ),
        "CoverageDisplay": lambda ax: plots.CoverageDisplay.from_estimator(model, X, y, ax=ax),
        "ConfusionDisplay": lambda ax: plots.ConfusionDisplay.from_estimator(model, X, y, ax=ax),
        "ClassSizesDisplay": lambda ax: plots.ClassSizesDisplay.from_predictions(y, ax=ax),
        "MethodsDisplay": lambda ax: plots.MethodsDisplay.from_estimator(search, ax=ax),
        "CurvesDisplay": lambda ax: plots.CurvesDisplay.from_estimator(search, ax=ax),
        "NeighborsDisplay": lambda ax: plots.NeighborsDisplay.from_estimator(model, X, ax=ax),
    }


@pytest.mark.parametrize("name", plots.__all__)
def test_displays_are_one_column_wide_and_become_files(name, problem, model, search, tmp_path):
    draw = made(problem, model, search)[name]
    display = draw(None)
    assert display.figure_ is display.ax_.figure
    assert display.figure_.get_size_inches()[0] == pytest.approx(3.35)
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = tmp_path / f"figure.{ending}"
        display.figure_.savefig(path)
        assert path.read_bytes().startswith(start)
    ax = matplotlib.pyplot.figure().subplots()
    assert draw(ax).ax_ is ax


def test_samples_that_the_model_knows_are_held_out(problem, model):
    X, y = problem
    judged = judged_by(model, X, y)
    display = plots.ConfusionDisplay.from_estimator(model, X, y)
    assert display.counts.sum() == len(y)
    assert np.trace(display.counts) == judged.right.sum() <= (model.predict(X) == y).sum()


def test_predictions_are_enough(problem, model):
    X, y = problem
    P = model.predict_proba(X)
    shown = plots.ReliabilityDisplay.from_predictions(y, P)
    assert shown.count.sum() == len(y)
    coverage = plots.CoverageDisplay.from_predictions(y, P, classes=model.classes_)
    assert_allclose(coverage.error[-1], (model.predict(X) != y).mean())
    confused = plots.ConfusionDisplay.from_predictions(y, model.predict(X))
    assert (confused.counts == confusion_matrix(y, model.predict(X))).all()
    with pytest.raises(InputError, match="a column for each class"):
        plots.CoverageDisplay.from_predictions(y, P[:, :2])


def test_curves_and_their_chosen_points(search):
    display = plots.CurvesDisplay.from_estimator(search, parameter="ridge")
    (curve,) = display.curves
    assert curve.values == [0.1, 1.0] and curve.chosen == search.best_params_["ridge"]
    with pytest.raises(InputError, match="expected one of"):
        plots.CurvesDisplay.from_estimator(search, parameter="C")


def test_comparisons_are_drawn_from_their_folder(tmp_path):
    records = [
        {"key": f"{m}{s}", "problem": "p", "method": m, "split": s, "seed": 0, "version": "0"}
        | {"error": 0.1 * (m == "b") + 0.01 * s, "log_loss": 0.2, "brier": 0.1}
        | {"fit_seconds": 0.1, "predict_seconds": 0.1, "parameters": {}, "converted": False}
        | {"n_train": 8, "n_test": 2, "compile_seconds": 0.0, "warnings": []}
        for m in "ab"
        for s in range(6)
    ]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "results.jsonl").write_text(lines)
    display = plots.MethodsDisplay.from_folder(tmp_path)
    assert display.names == ["a", "b"] and display.used.tolist() == [True, False]


def test_what_cannot_be_drawn_is_a_sentence(problem, model, monkeypatch):
    X, y = problem
    with pytest.raises(InputError, match="no block of samples with themselves"):
        plots.MapDisplay.from_block(np.eye(3))
    with pytest.raises(InputError, match="no picture 'UMAP'"):
        plots.MapDisplay.from_block(X, y, picture="UMAP")
    with pytest.raises(InputError, match="compared nothing"):
        plots.MethodsDisplay.from_estimator(model)
    with pytest.raises(InputError, match="row=60 is larger than 59, the last row"):
        plots.NeighborsDisplay.from_explanation(explain(model, X), row=60)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"similearn\[plot\]"):
        plots.ClassSizesDisplay.from_predictions(y)


Y4, P4 = ["a", "b", "a", "b"], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]]
REFUSED = {
    "axes": (lambda X, y, m: plots.ClassSizesDisplay.from_predictions(y, ax=3), "matplotlib axes"),
    "a class": (
        lambda X, y, m: plots.ReliabilityDisplay.from_estimator(NeighborsClassifier, X, y),
        "expected a classifier",
    ),
    "labels": (lambda X, y, m: plots.ReliabilityDisplay.from_estimator(m, X, y[1:]), "59 labels"),
    "no labels": (lambda X, y, m: plots.CoverageDisplay.from_predictions([], []), "no classes"),
    "words": (lambda X, y, m: plots.CoverageDisplay.from_predictions(Y4, "x"), "as numbers"),
    "others": (
        lambda X, y, m: plots.ConfusionDisplay.from_predictions(Y4, Y4, classes=["a"]),
        "not among the classes",
    ),
    "a seed": (
        lambda X, y, m: plots.ReliabilityDisplay.from_estimator(m, X, y, random_state=-1),
        "random_state=-1 is too small",
    ),
    "a seed of a map": (
        lambda X, y, m: plots.MapDisplay.from_block(X, y, random_state=2**40),
        "the last seed",
    ),
    "a picture": (lambda X, y, m: plots.MapDisplay.from_block(X, y, picture=[]), "no picture"),
    "labels of a map": (lambda X, y, m: plots.MatrixDisplay.from_block(X, True), "y has shape"),
    "half a row": (
        lambda X, y, m: plots.NeighborsDisplay.from_estimator(m, X, row=0.5),
        "row=0.5 must be an integer",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_drawn_gets_a_sentence(case):
    X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    model = NeighborsClassifier(9).fit(X, y)
    attempt, told = REFUSED[case]
    with pytest.raises(SimilearnError, match=told):
        attempt(X, y, model)


def test_classes_are_those_of_the_columns_in_any_order():
    one = plots.CoverageDisplay.from_predictions(Y4, P4, classes=["a", "b"])
    turned = np.array(P4)[:, ::-1]
    other = plots.CoverageDisplay.from_predictions(Y4, turned, classes=["b", "a"])
    assert one.error.tolist() == other.error.tolist()
