"""The command line on objects, several similarities, several matrices, lines and options."""

import csv
import io
import json
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import similearn
from similearn.cli import answering
from similearn.cli.app import run
from similearn.cli.shell_words import in_shell_words
from similearn.errors import InputTypeError
from similearn.experiments.models import load_model
from similearn.experiments.things.model_told import told_model

FINNISH = "korhonen virtanen makinen nieminen makela hamalainen laine heikkinen koskinen".split()
ITALIAN = "rossi russo ferrari esposito bianchi romano colombo ricci marino".split()
LANGUAGES = ["Finnish"] * len(FINNISH) + ["Italian"] * len(ITALIAN)
NAMES = FINNISH + ITALIAN


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with names, their languages, and a matrix."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{n},{y}" for n, y in zip(NAMES, LANGUAGES, strict=True)]
    (tmp_path / "names.csv").write_text("name,language\n" + "\n".join(rows) + "\n")
    (tmp_path / "new.txt").write_text("jokinen\ncaruso\n")
    return tmp_path


def fitted(*more):
    arguments = ["fit", "names.csv", "--labels", "language", "-o", "m", "--method", "knn"]
    assert run([*arguments, *more]) == 0


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_list_of_words_is_objects_and_auto_says_why(folder, capsys):
    fitted()
    out = capsys.readouterr().out
    assert "18 strings, compared by ngrams: short strings" in out
    assert "Next: similearn predict m new.csv -o predicted.csv" in out
    assert run(["predict", "m", "new.txt"]) == 0
    assert [row["label"] for row in rows_of(capsys.readouterr().out)] == ["Finnish", "Italian"]


def test_the_command_that_fit_proposes_reads_as_fit_did(folder, capsys):
    S = 9.0 - np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0)))
    S[2, 3] = np.nan
    np.savetxt("s.csv", S, delimiter=",")
    (folder / "y.txt").write_text("\n".join("aaaaabbbbb") + "\n")
    fit = ["fit", "s.csv", "--labels", "y.txt", "--method", "knn", "-o", "n", "--missing", "fill"]
    assert run([*fit, "--kind", "similarity"]) == 0
    proposed = capsys.readouterr().out.splitlines()[-1]
    assert proposed == "Next: similearn predict n new.csv --missing fill -o predicted.csv"
    np.savetxt("new.csv", S[2:3], delimiter=",")
    assert run(shlex.split(proposed)[2:]) == 0
    fitted("--column", "name")
    assert "predict m new.csv --column name -o" in capsys.readouterr().out


def test_show_wraps_at_any_width_but_for_the_command(folder):
    fitted()
    for width in (40, 80):
        *lines, command = told_model(load_model("m"), "m", width).splitlines()
        assert max(map(len, lines)) <= width
        assert command.endswith("similearn predict m new.csv -o predicted.csv")
        assert all(line[:13].strip().endswith(":") or not line[:13].strip() for line in lines)
        assert (
            " ".join(lines).split()
            == told_model(load_model("m"), "m").split()[: -len(command.split())]
        )


def test_names_that_are_offered_are_spelled_as_they_are_listed(folder, capsys):
    assert run(["fit", "names.csv", "--labels", "language", "-s", "dtw", "-o", "m"]) == 2
    told = capsys.readouterr().err
    assert "Did you mean dynamic-time-warping? `similearn similarities` lists them all." in told
    assert in_shell_words("Did you mean 'a_b' or 'c_d'? No.") == "Did you mean a-b or c-d? No."


def test_show_tells_what_a_model_is(folder, capsys):
    fitted("--similarity", "ngrams:shortest=2")
    capsys.readouterr()
    assert run(["show", "m"]) == 0
    out = capsys.readouterr().out
    for told in (
        "knn (n_neighbors = ", "2: Finnish, Italian", "18 strings", "by ngrams:shortest=2",
        "cross-validation", "a file of strings", "similearn predict m new.csv -o predicted.csv",
    ):  # fmt: skip
        assert told in out


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        ("jokinen\n\ncaruso\n", ["jokinen", "caruso"]),
        ("a\tjokinen\nb\tcaruso\n", ["a", "b"]),
        ("\ufeffname\njokinen\ncaruso\n", ["jokinen", "caruso"]),
        ("name\na\tjokinen\nb\tcaruso\n", ["a", "b"]),
        ("\nname\tid\njokinen\ta\ncaruso\tb\n", ["a", "b"]),
        ('group,name\nx,jokinen\n"x, y",caruso\n', ["jokinen", "caruso"]),
    ],
)
def test_lines_are_answered_one_by_one(folder, capsys, monkeypatch, lines, ids):
    fitted("--similarity", "ngrams")
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert run(["predict", "m", "-"]) == 0
    answers = rows_of(capsys.readouterr().out)
    assert [row["id"] for row in answers] == ids
    assert [row["label"] for row in answers] == ["Finnish", "Italian"]


def test_an_answer_does_not_wait_for_the_next_line(folder, capsys, monkeypatch):
    fitted("--similarity", "ngrams")
    seen = []

    def lines():
        yield "jokinen\n"
        seen.append(capsys.readouterr().out)
        yield "caruso\n"

    capsys.readouterr()
    given = lines()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(readline=lambda _: next(given, "")))
    assert run(["predict", "m", "-"]) == 0
    assert "Finnish" in seen[0] and "Italian," not in seen[0].splitlines()[-1][:10]


@pytest.mark.parametrize(("content", "why"), [(b"\xe9\n", "not UTF-8"), (b"x" * 99, "more than")])
def test_input_that_is_no_lines_of_text(folder, capsys, monkeypatch, content, why):
    fitted("--similarity", "ngrams")
    monkeypatch.setattr(answering, "_LONGEST_LINE", 50)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run(["predict", "m", "-", "-o", "out.csv"]) == 2
    assert why in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_several_similarities_become_sources(folder, capsys):
    arguments = ["fit", "names.csv", "--labels", "language", "-s", "ngrams", "-s", "cosine-x"]
    assert run([*arguments, "-o", "m"]) == 2
    assert "No similarity is named 'cosine-x'" in capsys.readouterr().err
    both = ["-s", "ngrams", "-s", "ngrams:longest=2"]
    assert run([*arguments[:4], *both, "--method", "knn", "-o", "m"]) == 2
    assert "knn takes one similarity, and there are 2" in capsys.readouterr().err
    assert run([*arguments[:4], *both, "--method", "fused-knn", "-o", "m"]) == 0
    assert run(["predict", "m", "new.txt", "-o", "out.jsonl"]) == 0
    told = [json.loads(line)["label"] for line in (folder / "out.jsonl").read_text().splitlines()]
    assert told == ["Finnish", "Italian"]


def test_several_matrices_are_joined_by_id(folder, capsys):
    rng = np.random.default_rng(0)
    where = rng.normal(size=20) + 4 * (np.arange(20) % 2)
    D = abs(where[:, None] - where)
    ids = [f"s{i}" for i in range(20)]
    order = rng.permutation(20)
    for name, o in (("one", np.arange(20)), ("two", order)):
        lines = ["\t".join(["", *(ids[i] for i in o)])]
        lines += ["\t".join([ids[i], *(f"{D[i, j]:.6f}" for j in o)]) for i in o]
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n")
    labels = [f"{ids[i]}\t{'ab'[i % 2]}" for i in order]
    (folder / "labels.tsv").write_text("\n".join(labels) + "\n")
    arguments = ["fit", "one.tsv", "two.tsv", "--labels", "labels.tsv", "--method", "fused-knn"]
    assert run([*arguments, "-o", "m"]) == 0
    assert run(["predict", "m", "one.tsv"]) == 2
    assert "fitted to 2 file(s) (one, two), but 1 are given" in capsys.readouterr().err
    block = load_model("m").estimator
    assert block.sources_ == ["one", "two"]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_similarities_and_methods_are_listed_at_any_width(capsys, monkeypatch, width):
    monkeypatch.setattr("similearn.cli.output.console._width", width)
    for command, name in (("similarities", "levenshtein"), ("methods", "krr-knn")):
        assert run([command]) == 0
        lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        assert f"  {name}" in lines  # a name is never cut
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "names.csv", "-o", "m"], "--labels language"),
        (["fit", "names.csv", "-l", "tongue", "-o", "m"], "neither a column of names.csv"),
        (["fit", "names.csv", "-l", "language", "-s", "dtw", "-o", "m"], "dynamic-time-warping"),
        (
            ["fit", "grouped.csv", "--kind", "similarity", "-o", "m"],
            "Error: --kind similarity is for matrices, and grouped.csv is read as objects, whose "
            "similarity says it. If it is a matrix, its numbers may be written in a way that is "
            "not read, such as with thousands separators: say --format table to see which.",
        ),
        (["fit", "names.csv", "-o", "m", "--missing", "fill"], "--missing fill is for matrices"),
        (["fit", "names.csv", "names.csv", "-s", "auto", "-o", "m"], "read from one"),
        (["fit", "names.csv", "-l", "language", "--method", "KNN", "-o", "m"], "mean knn?"),
    ],
)
def test_what_is_wrong_is_told_in_options(folder, capsys, monkeypatch, arguments, message):
    monkeypatch.setenv("COLUMNS", "400")
    (folder / "grouped.csv").write_text("id;a;b;c\n" + "x;1,200.5;3,000.1;7,123.0\n" * 3)
    assert run(arguments) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("Error: ") and errors.count("\n") == 1
    assert message in errors


def test_parameters_are_told_as_options():
    told = in_shell_words("Say kind='similarity', or what='strings'; labels=('FILE', 'COLUMN').")
    assert told == "Say --kind similarity, or --objects strings; --labels FILE:COLUMN."


def test_load_and_save_are_one_product_with_the_shell(folder):
    fitted("--similarity", "ngrams")
    model = similearn.load("m")
    assert model.predict(["jokinen", "caruso"]).tolist() == ["Finnish", "Italian"]
    told = model.explain(["jokinen"]).tell(0)
    assert "query jokinen: Finnish" in told and "neighbour koskinen (Finnish)" in told
    classifier = similearn.SimilarityClassifier(similarity="ngrams:longest=2", effort="quick")
    similearn.save(classifier.fit(NAMES, LANGUAGES), "n")
    assert run(["predict", "n", "new.txt", "-o", "out.csv"]) == 0
    labels = [row["label"] for row in rows_of((folder / "out.csv").read_text())]
    assert labels == ["Finnish", "Italian"]
    assert "18 strings" in str(similearn.load("n"))
    with pytest.raises(InputTypeError, match="expected a fitted classifier"):
        similearn.save(similearn.PairwiseSimilarity(), "x")


def test_compare_in_python_and_in_the_shell_agree(folder, capsys):
    options = {"similarity": ["ngrams", "ngrams:longest=2"], "n_splits": 2}
    table = similearn.compare(NAMES, LANGUAGES, ["knn", "fused-knn"], **options)
    assert {row.method for row in table.rows} == {
        "knn on ngrams", "knn on ngrams:longest=2", "fused-knn",
    }  # fmt: skip
    arguments = ["compare", "names.csv", "-l", "language", "-s", "ngrams", "-s", "ngrams:longest=2"]
    assert run([*arguments, "--methods", "knn,fused-knn", "--splits", "2", "-o", "out"]) == 0
    rows = json.loads((folder / "out" / "table.json").read_text())["rows"]
    assert {r["method"]: r["error_mean"] for r in rows} == {
        r.method: r.error_mean for r in table.rows
    }
    assert "knn on ngrams" in str(table)


def test_the_other_direction_of_queries_is_a_file(folder, capsys):
    rng = np.random.default_rng(1)
    S = np.exp(-abs(rng.normal(size=24)[:, None] + 3 * (np.arange(24) % 2)[:, None] - np.zeros(24)))
    S = np.minimum(S, S.T) + 0.1 * rng.random((24, 24)) + np.eye(24)
    np.savez("s.npz", S=S[:20, :20], y=np.array(["a", "b"] * 10), kind="similarity")
    np.savetxt("new.csv", S[20:, :20], delimiter=",")
    np.savetxt("back.csv", S[:20, 20:], delimiter=",")
    assert run(["fit", "s.npz", "--method", "knn", "-o", "m"]) == 0
    assert run(["predict", "m", "new.csv"]) == 0
    assert "--reverse FILE" in capsys.readouterr().err
    assert run(["predict", "m", "new.csv", "--reverse", "back.csv"]) == 0
    out, errors = capsys.readouterr()
    assert "Warning" not in errors
    block = similearn.Pairwise(S[20:, :20], "similarity", reverse=S[:20, 20:].T, same_samples=False)
    assert [row["label"] for row in rows_of(out)] == similearn.load("m").predict(block).tolist()
    assert run(["predict", "m", "new.csv", "--reverse", "s.npz"]) == 2
    assert "expected (4, 20)" in capsys.readouterr().err


def pairs_of(S, rows, columns, swapped=False):
    """Lines of pairs: samples are called s0, s1, ... by their places in S."""
    found = [(f"s{i}", f"s{j}", S[i, j]) for i in rows for j in columns if (i + j) % 5]
    return "".join(f"{b if swapped else a}\t{a if swapped else b}\t{v}\n" for a, b, v in found)


@pytest.fixture
def listed(folder):
    """A model of pairs in both directions, and new samples in one, the other and both."""
    S = np.random.default_rng(2).random((24, 24))
    old, new = range(20), range(20, 24)
    (folder / "known.tsv").write_text(pairs_of(S, old, old))
    (folder / "y.csv").write_text("".join(f"s{i},{'ab'[i % 2]}\n" for i in old))
    (folder / "new.tsv").write_text(pairs_of(S, new, old))
    (folder / "back.tsv").write_text(pairs_of(S, old, new))
    (folder / "turned.tsv").write_text(pairs_of(S, old, new, swapped=True))
    (folder / "both.tsv").write_text(pairs_of(S, new, old) + pairs_of(S, old, new))
    known = similearn.read_pairwise("known.tsv", labels="y.csv", kind="similarity")
    similearn.save(
        similearn.NeighborsClassifier(9, weights="affinity", calibration="none").fit(*known), "m"
    )
    return folder


@pytest.mark.parametrize("file", ["back.tsv", "turned.tsv"])
def test_the_other_direction_may_be_a_list_of_pairs(listed, capsys, file):
    assert run(["predict", "m", "both.tsv"]) == 0
    expected = capsys.readouterr().out
    assert run(["predict", "m", "new.tsv"]) == 0
    assert capsys.readouterr().out[-200:] != expected[-200:]
    assert run(["predict", "m", "new.tsv", "--reverse", file]) == 0
    out, errors = capsys.readouterr()
    assert out == expected and "Warning" not in errors


def test_what_a_list_of_the_other_direction_leaves_out_is_unknown(listed, capsys):
    lines = (listed / "back.tsv").read_text().splitlines(keepends=True)
    some = "".join(line for line in lines if "s21" not in line.split())
    (listed / "some.tsv").write_text(some)
    (listed / "most.tsv").write_text((listed / "new.tsv").read_text() + some)
    assert run(["predict", "m", "most.tsv"]) == 0
    expected = capsys.readouterr().out
    assert run(["predict", "m", "new.tsv", "--reverse", "some.tsv"]) == 0
    assert capsys.readouterr().out == expected


def test_lists_that_are_no_other_direction_are_refused(listed, capsys):
    assert run(["predict", "m", "new.tsv", "--reverse", "both.tsv"]) == 2
    assert "both.tsv lists pairs in both directions" in capsys.readouterr().err
    (listed / "others.tsv").write_text((listed / "back.tsv").read_text().replace("s2", "t2"))
    assert run(["predict", "m", "new.tsv", "--reverse", "others.tsv"]) == 2
    assert "is no reference" in capsys.readouterr().err


def test_holes_of_queries_are_filled_from_the_other_direction(folder, capsys):
    S = np.random.default_rng(3).random((14, 14)) + 2.0 * np.eye(14)
    np.savez("s.npz", S=S[:10, :10], y=np.array(["a", "b"] * 5), kind="similarity")
    forward, backward = S[10:, :10].copy(), S[:10, 10:].copy()
    forward[1, 2] = forward[3, 4] = backward[4, 3] = backward[5, 0] = np.nan
    np.savetxt("new.csv", forward, delimiter=",")
    np.savetxt("back.csv", backward, delimiter=",")
    assert run(["fit", "s.npz", "--method", "affinity-knn", "-o", "m"]) == 0
    capsys.readouterr()
    assert run(["predict", "m", "new.csv", "--reverse", "back.csv", "--missing", "fill"]) == 0
    out, errors = capsys.readouterr()
    told = "from the other direction: 1, from its row and the means of training columns: 1"
    assert errors.count(told) == 2
    forward[1, 2], backward[5, 0] = backward[2, 1], forward[0, 5]
    filled = similearn.convert.fill_missing(forward, like=S[:10, :10]).values
    turned = similearn.convert.fill_missing(backward.T, like=S[:10, :10].T).values
    block = similearn.Pairwise(filled, "similarity", reverse=turned, same_samples=False)
    found = [float(row["probability of a"]) for row in rows_of(out)]
    assert found == similearn.load("m").predict_proba(block)[:, 0].tolist()


def test_what_the_default_did_otherwise_is_said(folder, capsys):
    (folder / "more.csv").write_text((folder / "names.csv").read_text() + "kim,Korean\n")
    words = ["fit", "more.csv", "--labels", "language", "-s", "ngrams", "--effort", "quick"]
    assert run([*words, "-o", "m"]) == 0
    assert "Classes of one sample, which were never held out: 1." in capsys.readouterr().out


def test_new_objects_are_in_the_column_of_the_old_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{name},{'it' if name[-1] in 'io' else 'fi'}" for i, name in enumerate(NAMED)]
    Path("a.csv").write_text("\n".join(["id,name,label", *rows]))
    assert run(["fit", "a.csv", "-s", "ngrams", "--method", "knn", "-o", "m"]) == 0
    Path("new.csv").write_text("city,name\nOslo,lahtinen\nRome,moretti\n")
    Path("other.csv").write_text("word\nlahtinen\nmoretti\n")
    Path("list.txt").write_text("lahtinen\nmoretti\n")
    capsys.readouterr()
    for file in ("new.csv", "other.csv", "list.txt"):
        assert run(["predict", "m", file]) == 0
        told = capsys.readouterr().out.splitlines()
        assert [line.split(",")[1] for line in told[1:]] == ["fi", "it"], file
    assert run(["show", "m"]) == 0
    assert "in the column name" in " ".join(capsys.readouterr().out.split())


NAMED = ("korhonen virtanen nieminen koskinen lehtonen saarinen heikkinen rossi moretti ferrari "
         "marino bianchi marini conti gallo").split()  # fmt: skip
