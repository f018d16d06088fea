"""Holes of new samples: told, and filled by what was learned, never by other new samples."""

import json
import zipfile

import numpy as np
import pytest

import similearn
import similearn.report
from similearn.cli.app import run


@pytest.fixture(scope="module")
def problem():
    """Distances (60, 60) and (6, 60), symmetric, and labels of three classes."""
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [2.2, 0], [1.1, 2.0]])
    old = np.repeat(centres, 20, axis=0) + rng.normal(size=(60, 2))
    new = np.tile(centres, (2, 1)) + rng.normal(size=(6, 2)) / 2
    D, Q = (np.linalg.norm(points[:, None] - old, axis=2) for points in (old, new))
    Q[rng.random(Q.shape) < 0.1] = np.nan
    Q[0, rng.permutation(60)[:40]] = np.nan
    return D, Q, np.repeat(list("abc"), 20)


@pytest.fixture
def folder(tmp_path, monkeypatch, problem):
    monkeypatch.chdir(tmp_path)
    D, Q, y = problem
    upper = np.triu(np.random.default_rng(1).random(D.shape) < 0.1, 1)
    written("one.csv", np.where(upper, np.nan, D), y)  # the lower triangle is whole
    written("both.csv", np.where(upper | upper.T, np.nan, D), y)
    written("alike.csv", 10 - np.where(upper | upper.T, np.nan, D), y)
    written("new.csv", Q)
    written("first.csv", Q[:1])
    written("new-alike.csv", 10 - Q)
    return tmp_path


def written(name, values, labels=None):
    names = [f"s{i}" for i in range(values.shape[1])]
    lines = [",".join(["id", *names] + ["label"] * (labels is not None))]
    for i, row in enumerate(values):
        cells = ["" if np.isnan(value) else repr(float(value)) for value in row]
        own = [] if labels is None else [str(labels[i])]
        lines.append(",".join([f"q{i}" if labels is None else f"s{i}", *cells, *own]))
    with open(name, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def fitted(file, missing, kind="dissimilarity", method="affinity-knn"):
    words = ["fit", file, "--kind", kind, "--missing", missing, "--method", method]
    assert run([*words, "-o", "m", "--force"]) == 0


def predicted(file, missing, capsys):
    capsys.readouterr()
    assert run(["predict", "m", file, "--missing", missing]) == 0
    out, told = capsys.readouterr()
    return out.splitlines()[1:], told


@pytest.mark.parametrize("missing", ["fill", "unknown"])
def test_a_prediction_does_not_depend_on_other_new_samples(folder, capsys, missing):
    fitted("both.csv", missing)
    together, told = predicted("new.csv", missing, capsys)
    alone, _ = predicted("first.csv", missing, capsys)
    assert together[:1] == alone and len(together) == 6
    assert "of 360 values were missing" in told


def test_the_shell_fills_as_python_does(folder, problem, capsys):
    fitted("both.csv", "fill")
    lines, told = predicted("new.csv", "fill", capsys)
    assert "from its row and the means of training columns: " in told
    train = similearn.read_pairwise("both.csv", kind="dissimilarity", missing="keep").block
    filled = similearn.convert.fill_missing(problem[1], like=train).values
    block = similearn.Pairwise(filled, "dissimilarity", same_samples=False)
    expected = similearn.load("m").predict_proba(block)
    found = [[float(cell) for cell in line.split(",")[2:]] for line in lines]
    np.testing.assert_array_equal(found, expected)


def test_columns_of_new_samples_in_another_order(folder, problem, capsys):
    fitted("both.csv", "fill")
    expected, _ = predicted("new.csv", "fill", capsys)
    order = np.random.default_rng(2).permutation(60)
    with open("turned.csv", "w", encoding="utf-8") as out:
        for line in (folder / "new.csv").read_text().splitlines():
            cells = line.split(",")
            out.write(",".join([cells[0], *(cells[1 + j] for j in order)]) + "\n")
    assert predicted("turned.csv", "fill", capsys)[0] == expected


def test_a_square_of_new_samples_is_no_square(folder, problem, capsys):
    D, _, y = problem
    np.savez("d.npz", D=D[::2, ::2], y=y[::2], kind="dissimilarity")
    rows = D[1::2, ::2].copy()
    rows[0, 1] = np.nan
    np.savetxt("rows.csv", rows, delimiter=",")
    np.savetxt("row.csv", rows[:1], delimiter=",")
    assert run(["fit", "d.npz", "--method", "knn", "-o", "m"]) == 0
    together, told = predicted("rows.csv", "fill", capsys)
    assert "from the other direction: 0" in told
    assert predicted("row.csv", "fill", capsys)[0] == together[:1]


def test_a_model_of_before_fills_from_the_row_alone_and_says_so(folder, problem, capsys):
    fitted("both.csv", "fill")
    with zipfile.ZipFile("m") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["model.json"])
    assert document.pop("reference_means") is not None
    members["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile("m", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    together, told = predicted("new.csv", "fill", capsys)
    assert "were filled from its own row alone" in told
    assert predicted("first.csv", "fill", capsys)[0] == together[:1]
    assert similearn.load("m").reference_means is None


def test_a_model_of_several_matrices(folder, problem, capsys):
    D, Q, y = problem
    written("more.csv", 2 * D, y)
    written("new-more.csv", 2 * Q)
    words = ["fit", "both.csv", "more.csv", "--kind", "dissimilarity", "--missing", "fill"]
    assert run([*words, "--method", "fused-knn", "-o", "m"]) == 0
    means = similearn.load("m").reference_means
    assert means.shape == (2, 2, 60)
    np.testing.assert_allclose(means[1, 0], 2 * D.sum(axis=0) / 59)
    capsys.readouterr()
    assert run(["predict", "m", "new.csv", "new-more.csv", "--missing", "fill"]) == 0
    out, told = capsys.readouterr()
    assert told.count("means of training columns") == 2
    written("first-more.csv", 2 * Q[:1])
    assert run(["predict", "m", "first.csv", "first-more.csv", "--missing", "fill"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == out.splitlines()[1]


@pytest.mark.parametrize("missing", ["fill", "unknown"])
def test_a_hole_whose_other_direction_is_known_makes_nothing_asymmetric(folder, capsys, missing):
    fitted("one.csv", missing)
    assert "filled from the other direction: " in capsys.readouterr().out
    _, told = predicted("new.csv", missing, capsys)
    assert "asymmetric" not in told and "--reverse" not in told


def test_what_unknown_means_for_a_similarity_is_said(folder, capsys):
    fitted("alike.csv", "unknown", "similarity")
    assert "--missing unknown does here what --missing zero does" in capsys.readouterr().out
    as_unknown, told = predicted("new-alike.csv", "unknown", capsys)
    assert "--missing fill may be better" in told and "counted as similarity zero: " in told
    as_zero, told = predicted("new-alike.csv", "zero", capsys)
    assert as_zero == as_unknown and "of 360 values were missing" in told
    assert "--missing unknown" not in told


def test_a_row_of_which_nothing_is_known_is_told(folder, problem, capsys):
    Q = problem[1].copy()
    Q[2] = np.nan
    written("empty.csv", Q)
    fitted("both.csv", "fill")
    told = predicted("empty.csv", "fill", capsys)[1]
    assert "Of 1 row nothing was known: filled with the means of training columns." in told


def test_a_report_on_new_samples_fills_as_predict_does(folder, problem, capsys, monkeypatch):
    fitted("both.csv", "fill")
    written("known.csv", problem[1], list("abcabc"))
    lines = (folder / "known.csv").read_text().replace("\ns", "\nq")
    (folder / "known.csv").write_text(lines)
    seen = []
    monkeypatch.setattr(similearn.report, "write_report", lambda *_, X, **__: seen.append(X))
    words = ["report", "m", "--data", "known.csv", "--kind", "dissimilarity", "--missing", "fill"]
    assert run([*words, "-o", "page.html"]) == 0
    assert "means of training columns" in capsys.readouterr().out
    train = similearn.read_pairwise("both.csv", kind="dissimilarity", missing="fill").block
    filled = similearn.convert.fill_missing(problem[1], like=train).values
    np.testing.assert_array_equal(seen[0].values, filled)
