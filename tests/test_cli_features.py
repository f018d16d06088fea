"""Tables of features beside matrices, in the shell."""

import csv
import html
import io
import shlex

import numpy as np
import pytest

import similearn
from similearn.cli.app import run
from similearn.experiments.models import load_model

IDS = [f"s{i}" for i in range(30)]
Y = ["a", "b", "c"] * 10
CENTRES = np.array([{"a": (0.0, 0.0), "b": (3.0, 0.0), "c": (0.0, 3.0)}[y] for y in Y])


def write_matrix(name, rows, points, references):
    D = np.sqrt(((points[:, None] - references) ** 2).sum(axis=2))
    lines = [",".join([row, *map(repr, d)]) for row, d in zip(rows, D.tolist(), strict=True)]
    with open(name, "w", encoding="utf-8") as out:
        out.write("\n".join([",".join(["id", *IDS]), *lines]) + "\n")


def write_table(name, header, rows):
    with open(name, "w", encoding="utf-8") as out:
        out.write("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A matrix, a table in another order with labels and a row too many, and two new samples."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    sound = CENTRES + rng.normal(size=(30, 2)) / 2
    size = CENTRES + rng.normal(size=(30, 2)) / 2
    write_matrix("sound.csv", IDS, sound, sound)
    rows = [(IDS[i], *size[i].tolist(), Y[i]) for i in rng.permutation(30)]
    write_table("size.csv", ("id", "width", "height", "species"), [*rows, ("s99", 1, 1, "a")])
    write_matrix("new-sound.csv", ["n1", "n2"], np.array([[0.0, 0.0], [3.0, 0.0]]), sound)
    write_table("new-size.csv", ("height", "id", "width"), [(0.0, "n2", 3.0), (0.0, "n1", 0.0)])
    write_table("y.csv", ("id", "label"), zip(IDS, Y, strict=True))
    return tmp_path


@pytest.mark.parametrize("method", ["auto", "fused-knn"])
@pytest.mark.parametrize("labels", ["species", "y.csv"])
def test_features_are_one_more_source_joined_by_id(folder, capsys, method, labels):
    fit = ["fit", "sound.csv", "--features", "size.csv", "--labels", labels, "-o", "m"]
    more = ["--effort", "quick"] if method == "auto" else []
    assert run([*fit, "--method", method, *more]) == 0
    told = capsys.readouterr().out
    assert "were left out: 1." in told
    proposed = told.splitlines()[-1]
    assert proposed == (
        "Next: similearn predict m new-sound.csv --features new-size.csv -o predicted.csv"
    )
    model = load_model("m")
    assert model.sources == ["sound", "size"] and model.tables == {"size": ["width", "height"]}
    assert run(shlex.split(proposed)[2:]) == 0
    with open("predicted.csv", encoding="utf-8") as file:
        assert [(row["id"], row["label"]) for row in csv.DictReader(file)] == [
            ("n1", "a"), ("n2", "b")
        ]  # fmt: skip
    assert run(["show", "m"]) == 0
    shown = capsys.readouterr().out
    assert "by 1 matrix: sound, and by features: size (width, height)" in shown
    assert "new-sound.csv --features new-size.csv -o" in shown


def test_the_shell_and_python_say_the_same(folder, capsys):
    fit = ["fit", "sound.csv", "--features", "size.csv", "--labels", "y.csv", "-o", "m"]
    assert run([*fit, "--effort", "quick"]) == 0
    assert run(["predict", "m", "new-sound.csv", "--features", "new-size.csv", "--why", "n2"]) == 0
    captured = capsys.readouterr()
    assert "query n2: b" in captured.err
    rows = list(csv.DictReader(io.StringIO(captured.out.partition("predicted.csv\n")[2])))
    table = similearn.read_objects("size.csv", labels="species")
    order = [list(table.ids).index(one) for one in IDS]
    block = similearn.read_pairwise("sound.csv", kind="dissimilarity").block
    X = similearn.Sources({"sound": block, "size": table.objects[order]})
    model = similearn.SimilarityClassifier(effort="quick").fit(X, np.array(Y))
    new = similearn.read_pairwise("new-sound.csv", kind="dissimilarity", references=IDS).block
    features = np.array([[0.0, 0.0], [3.0, 0.0]])
    expected = model.predict_proba(similearn.Sources({"sound": new, "size": features}))
    found = [[float(row[f"probability of {y}"]) for y in "abc"] for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    similearn.save(model, "python.model")  # it has no names of columns
    assert run(["predict", "python.model", "new-sound.csv", "--kind", "dissimilarity",
                "--features", "new-size.csv", "-o", "p.csv"]) == 0  # fmt: skip


def test_inspect_and_compare_take_features(folder, capsys):
    given = ["sound.csv", "--features", "size.csv", "--labels", "species"]
    assert run(["inspect", *given]) == 0
    told = capsys.readouterr().out
    assert "size: a table of features, width, height" in told
    assert "fit sound.csv --features size.csv --labels species -o sound+size.model" in told
    assert run(["compare", *given, "--methods", "knn,fused-knn", "--splits", "2", "-o", "c"]) == 0
    told = capsys.readouterr().out
    assert "fused-knn" in told and "knn on sound" in told and "knn on size" not in told


def trees(folder, *, header="tree", ids=IDS):
    """A matrix that tells nothing, and features in another order that tell all."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(30, 2))
    write_matrix("leaf.csv", IDS, noise, noise)
    size = CENTRES + rng.normal(size=(30, 2)) / 9
    rows = [(ids[i], *size[i].tolist(), "wood", Y[i]) for i in rng.permutation(30)]
    write_table("traits.csv", (header, "height", "girth", "kind", "species"), rows)
    write_matrix("new-leaf.csv", ["q1", "q2"], np.zeros((2, 2)), noise)
    write_table("new-traits.csv", ("girth", header, "height"), [(0, "q2", 3), (0, "q1", 0)])


FIT_TREES = "fit leaf.csv leaf.csv --features traits.csv --method fused-knn -o trees -l".split()


@pytest.mark.parametrize("labels", ["species", "y.csv"])
def test_rows_of_features_are_found_by_ids_whatever_their_header(folder, capsys, labels):
    trees(folder)
    assert run([*FIT_TREES, labels]) == 0
    told = capsys.readouterr().out
    assert "traits.csv: features from `height`, `girth`;" in told and "ids from `tree`" in told
    assert "not used: `kind`" in told
    for false in ("count as categories", "rows from", "left out", "--column"):
        assert false not in told
    assert run("predict trees new-leaf.csv new-leaf.csv --features new-traits.csv".split()) == 0
    captured = capsys.readouterr()
    assert "ids from `tree`" in captured.err
    rows = csv.DictReader(io.StringIO(captured.out))
    assert [(row["id"], row["label"]) for row in rows] == [("q1", "a"), ("q2", "b")]


def test_rows_of_features_are_found_by_ids_that_are_numbers(folder, capsys):
    numbers = [str(i) for i in range(30)]
    trees(folder, ids=numbers)
    matrix = (folder / "leaf.csv").read_text(encoding="utf-8").replace("s", "")
    (folder / "leaf.csv").write_text(matrix, encoding="utf-8")
    assert run([*FIT_TREES, "species"]) == 0
    told = capsys.readouterr().out
    assert "features from `height`, `girth`; labels from `species`; ids from `tree`" in told


@pytest.mark.parametrize("header", ["tree", "id"])
def test_features_of_other_samples_are_refused(folder, capsys, header):
    trees(folder, header=header, ids=[f"x{one}" for one in IDS])
    assert run([*FIT_TREES, "species"]) == 2
    told = capsys.readouterr().err
    expected = {
        "tree": "No column of traits.csv holds the ids of the matrix: it has words such as 'xs",
        "id": "traits.csv has no row for the sample 's0'",
    }
    assert expected[header] in told
    trees(folder)
    assert run([*FIT_TREES, "species"]) == 0
    write_table("new-traits.csv", ("girth", "tree", "height"), [(0, "z2", 3), (0, "z1", 0)])
    assert run("predict trees new-leaf.csv new-leaf.csv --features new-traits.csv".split()) == 2
    assert "samples are called such as 'q1'" in capsys.readouterr().err


def test_two_columns_of_features_that_name_the_samples_are_refused(folder, capsys):
    rows = [(one, other, i) for i, (one, other) in enumerate(zip(IDS, IDS[::-1], strict=True))]
    write_table("pairs.csv", ("tree", "neighbour", "height"), rows)
    fit = "fit sound.csv --features pairs.csv --labels y.csv --method fused-knn -o m".split()
    assert run(fit) == 2
    assert "in 2 columns, tree, neighbour; expected ids in one of" in capsys.readouterr().err
    write_table("pairs.csv", ("id", "neighbour", "height"), rows)
    assert run(fit) == 0
    assert "ids from `id`" in capsys.readouterr().out


def test_features_without_ids_are_taken_in_order_and_it_is_said(folder, capsys):
    rows = [(x, y, "wood") for x, y in CENTRES.tolist()]
    write_table("bare.csv", ("width", "height", "kind"), rows)
    fit = "fit sound.csv --features bare.csv --labels y.csv --method fused-knn -o m".split()
    assert run(fit) == 0
    told = capsys.readouterr().out
    assert "bare.csv has no ids: its rows were taken in the order of the matrix." in told
    bare = np.genfromtxt("sound.csv", delimiter=",", skip_header=1)[:, 1:]
    np.savetxt("bare-sound.csv", bare, delimiter=",")
    (folder / "y.txt").write_text("\n".join(Y) + "\n", encoding="utf-8")
    trees(folder, header="id")
    given = "fit bare-sound.csv --features traits.csv --labels y.txt --method fused-knn -o n"
    assert run(given.split()) == 0
    told = capsys.readouterr().out
    assert "traits.csv has ids, but the matrix has none: rows were taken in their order." in told


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("fit sound.csv --features new-size.csv --labels y.csv -o x", "no row for the sample 's0'"),
        ("fit sound.csv --features y.csv --labels y.csv -o x", "y.csv holds strings"),
        ("fit size.csv -s euclidean --features size.csv -l species -o x", "is read as objects"),
        ("fit sound.csv --features bare.csv --labels y.csv -o x", "has 3 rows, but there are 30"),
        ("predict m new-sound.csv", "1 table(s) of features (size), but 0 are given"),
        ("predict m new-sound.csv --features narrow.csv", "no column 'height'"),
        ("predict m new-sound.csv --features sound.csv", "columns width, height"),
        ("predict plain new-sound.csv --features new-size.csv", "leave --features out"),
    ],
)
def test_features_that_do_not_fit(folder, capsys, arguments, sentence):
    write_table("bare.csv", ("width", "height"), [(1.0, 2.0)] * 3)
    write_table("narrow.csv", ("id", "width"), [("n1", 1.0), ("n2", 2.0)])
    fit = ["fit", "sound.csv", "--labels", "y.csv", "-o"]
    assert run([*fit, "m", "--features", "size.csv", "--method", "fused-knn"]) == 0
    assert run([*fit, "plain", "--method", "knn"]) == 0
    capsys.readouterr()
    assert run(shlex.split(arguments)) == 2
    assert sentence in capsys.readouterr().err


def test_reports_take_features_and_so_does_their_code(folder, monkeypatch):
    given = ["--features", "size.csv", "--labels", "species"]
    assert run(["report", "sound.csv", *given, "-o", "r.html"]) == 0
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "--features size.csv" in page and "size" in page
    assert run(["fit", "sound.csv", *given, "--method", "fused-knn", "-o", "m"]) == 0
    assert run(["report", "m", "--data", "sound.csv", *given, "-o", "m.html"]) == 0
    written = {}
    monkeypatch.setattr(
        similearn, "write_report", lambda X, path, **more: written.update(more, X=X)
    )
    code = html.unescape(page[page.index("from similearn.experiments") :].partition("</")[0])
    exec(f"from pathlib import Path\nfrom similearn import write_report\n{code}", {})
    assert list(written["X"]) == ["sound", "size"] and list(written["y"]) == Y


@pytest.mark.parametrize("slip", ["abc", "<0.1"])
def test_a_slip_drops_no_column_of_features(folder, capsys, slip):
    with open("size.csv", encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines[4] = ",".join([lines[4].split(",")[0], slip, *lines[4].split(",")[2:]])
    (folder / "size.csv").write_text("\n".join(lines))
    fit = ["fit", "sound.csv", "--features", "size.csv", "--labels", "y.csv", "-o", "m"]
    assert run([*fit, "--method", "fused-knn"]) == 2
    assert f"size.csv, line 5, column 'width': '{slip}' is not a" in capsys.readouterr().err


def test_a_survey_of_numbers_is_codes_if_it_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i},{i % 2},{i % 2 + 3},{'calm' if i % 2 else 'wild'}" for i in range(20)]
    (tmp_path / "survey.csv").write_text("\n".join(["id,q1,q2,group", *rows]))
    (tmp_path / "new.csv").write_text("id,q1,q2\nn0,0,3\nn1,1,4\n")
    fit = ["fit", "survey.csv", "-l", "group", "-s", "auto", "--method", "knn", "-o", "m"]
    assert run([*fit, "--objects", "categories"]) == 0
    assert "20 rows of categories" in capsys.readouterr().out
    assert run(["predict", "m", "new.csv", "-o", "-"]) == 0
    assert [row["label"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == [
        "wild",
        "calm",
    ]
