"""Samples that a model is judged on: its own, or new ones as `predict` reads them."""

import html
import re

import numpy as np
import pytest

import similearn.report
from similearn.cli.app import run
from similearn.experiments.models import load_model
from similearn.experiments.things.queries_read import read_queries
from tests.report.pages import data_of

pytest.importorskip("jinja2")
IDS = [f"t{i}" for i in range(24)]
Y = np.array(["oak", "elm"] * 12)
OLD, NEW = range(18), range(18, 24)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Trees and a model of eighteen of them; its kind was told, since no file says it."""
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=24) + 4 * (Y == "oak")
    S = 5 - abs(x[:, None] - x)
    written("old.csv", S, OLD, OLD)
    written("new.csv", S, NEW, OLD)
    written("wide.csv", S, NEW, range(24))
    written("all.csv", S, range(24), range(24))
    written("mixed.csv", S, range(16, 24), OLD)
    hits = [f"{IDS[i]}\t{IDS[j]}\t{float(S[i, j])!r}\n" for i in NEW for j in OLD]
    (tmp_path / "hits.tsv").write_text("".join(hits))
    lines = [f"{name},{y}\n" for name, y in zip(IDS, Y, strict=True)]
    (tmp_path / "labels.csv").write_text("id,label\n" + "".join(lines))
    fit = ["fit", "old.csv", "--labels", "labels.csv", "--kind", "similarity", "--method", "knn"]
    assert run([*fit, "-o", "m"]) == 0
    return tmp_path


def written(name, S, rows, columns):
    lines = [",".join(["id", *(IDS[j] for j in columns)])]
    lines += [",".join([IDS[i], *(repr(float(S[i, j])) for j in columns)]) for i in rows]
    with open(name, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def judged(monkeypatch, *words):
    """What `similearn report` judges the model on."""
    seen = {}
    monkeypatch.setattr(similearn.report, "write_report", lambda *_, **given: seen.update(given))
    assert run(["report", "m", "--labels", "labels.csv", "-o", "r.html", "--data", *words]) == 0
    return seen


@pytest.mark.parametrize("file", ["new.csv", "wide.csv", "all.csv", "hits.tsv"])
@pytest.mark.parametrize("kind", [[], ["--kind", "similarity"]])
def test_new_samples_are_read_as_predict_reads_them(folder, monkeypatch, file, kind):
    seen = judged(monkeypatch, file, *kind)
    model = load_model("m")
    expected = model.predict_proba(read_queries(model, [folder / file]).X)
    np.testing.assert_array_equal(model.predict_proba(seen["X"]), expected)
    assert list(seen["names"]) == IDS[18:] and list(seen["y"]) == list(Y[18:])
    assert not seen["X"].same_samples


def test_own_samples_are_known_as_such_without_their_kind(folder, monkeypatch):
    assert judged(monkeypatch, "old.csv")["X"].same_samples


def test_samples_that_the_model_knows_are_told(folder, monkeypatch, capsys):
    seen = judged(monkeypatch, "mixed.csv")
    assert len(seen["X"]) == 8
    assert "2 of 8 samples of mixed.csv are called as those that the model was fitted to, the " in (
        capsys.readouterr().out
    )
    assert any("2 of 8 samples" in note for note in seen["notes"])


def test_the_code_of_a_page_on_new_samples_repeats_it(folder):
    words = ["report", "m", "--data", "hits.tsv", "--labels", "labels.csv", "-o", "one.html"]
    assert run(words) == 0
    page = (folder / "one.html").read_text(encoding="utf-8")
    code = html.unescape(re.findall(r"<code>(.*?)</code>", page, re.DOTALL)[-1])
    exec(code.replace("one.html", "two.html"), {})
    again = (folder / "two.html").read_text(encoding="utf-8")
    assert data_of(again)["details"] == data_of(page)["details"]


@pytest.mark.parametrize("option", ["--similarity", "--objects", "--column"])
def test_options_that_the_model_answers_are_refused(folder, capsys, option):
    given = [option, "strings", "--labels", "labels.csv", "-o", "r.html"]
    assert run(["report", "m", "--data", "new.csv", *given]) == 2
    assert f"{option} says how objects are read" in capsys.readouterr().err
