"""First lines that may be headers, and other advice to type, in the shell."""

import csv
import io
import shlex

import pytest

from similearn.cli.app import run

LANGUAGES = ["Finnish"] * 9 + ["Italian"] * 9
NAMES = (
    "korhonen virtanen makinen nieminen makela hamalainen laine heikkinen koskinen "
    "rossi russo ferrari esposito bianchi romano colombo ricci marino"
).split()
ROWS = [f"{n},{y}" for n, y in zip(NAMES, LANGUAGES, strict=True)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_first_line_that_may_be_a_header_is_told_in_words_to_type(folder, capsys):
    (folder / "a.csv").write_text("\n".join(["nome,lingua materna", *ROWS]) + "\n")
    assert run(["fit", "a.csv", "-o", "a.model", "--method", "knn"]) == 0
    told = capsys.readouterr().out
    assert "Fitted knn to 19 samples" in told
    proposed = told.partition("name its columns: ")[2].partition(".\n")[0]
    assert proposed == "--column nome --labels 'lingua materna'"
    fit = ["fit", "a.csv", "-o", "a.model", "--method", "knn", "--force"]
    assert run([*fit, *shlex.split(proposed)]) == 0
    assert "Fitted knn to 18 samples" in capsys.readouterr().out
    (folder / "names.txt").write_text("\n".join(["nome", *NAMES]) + "\n")
    (folder / "y.txt").write_text("\n".join(["lingua", *LANGUAGES]) + "\n")
    fit = ["fit", "names.txt", "-o", "b.model", "--method", "knn", "--force"]
    assert run([*fit, "--labels", "y.txt"]) == 0
    told = capsys.readouterr().out
    proposed = told.partition("name its columns: ")[2].partition(".\n")[0]
    assert proposed == "--column nome --labels y.txt:lingua"
    assert run([*fit, *shlex.split(proposed)]) == 0
    assert "Fitted knn to 18 samples" in capsys.readouterr().out


@pytest.mark.parametrize("file", ["cognomi.csv", "cognomi.txt"])
def test_new_samples_under_another_header_are_told(folder, capsys, file):
    (folder / "names.csv").write_text("\n".join(["name,language", *ROWS]) + "\n")
    assert run(["fit", "names.csv", "--labels", "language", "-o", "m", "--method", "knn"]) == 0
    capsys.readouterr()
    (folder / file).write_text("cognome\njokinen\ncaruso\n")
    assert run(["predict", "m", file]) == 0
    captured = capsys.readouterr()
    assert len(list(csv.DictReader(io.StringIO(captured.out)))) == 3
    assert (
        f"{file} has no column `name`: each line was taken as a new sample, and the first of them "
        "is 'cognome'."
    ) in captured.err
    assert run(["predict", "m", file, "--column", "cognome"]) == 0
    captured = capsys.readouterr()
    assert [row["label"] for row in list(csv.DictReader(io.StringIO(captured.out)))] == [
        "Finnish",
        "Italian",
    ]
    assert "has no column" not in captured.err


def test_labels_with_a_heading_are_named_in_words_to_type(folder, capsys):
    D = [[abs(i - j) for j in range(12)] for i in range(12)]
    (folder / "plain.csv").write_text("\n".join(",".join(map(str, row)) for row in D))
    (folder / "y.txt").write_text("specie\n" + "a\n" * 6 + "b\n" * 6)
    fit = ["fit", "plain.csv", "--kind", "dissimilarity", "--method", "knn", "-o", "m"]
    assert run([*fit, "--labels", "y.txt"]) == 2
    proposed = capsys.readouterr().err.partition("or name it: ")[2].rstrip(".\n")
    assert proposed == "--labels y.txt:specie"
    assert run([*fit, *shlex.split(proposed)]) == 0


def test_pairs_without_a_score_are_not_filled(folder, capsys):
    scores = {(i, j): 1 + (i < 6) * (j > 5) for i in range(12) for j in range(i + 1, 12)}
    lines = [f"s{i},s{j},{'NA' if (i, j) == (0, 1) else d}" for (i, j), d in scores.items()]
    (folder / "pairs.csv").write_text("\n".join(["a,b,distance", *lines]))
    (folder / "y.csv").write_text("id,label\n" + "".join(f"s{i},{i < 6}\n" for i in range(12)))
    fit = ["fit", "pairs.csv", "--labels", "y.csv", "--method", "knn", "-o", "m"]
    assert run([*fit, "--missing", "fill"]) == 2
    told = capsys.readouterr().err
    assert "are unknown: leave --missing fill out." in told and "dense" not in told
    assert run(fit) == 0


def test_advice_on_classes_of_unequal_size_can_be_typed(folder, capsys):
    D = [[abs(i - j) for j in range(30)] for i in range(30)]
    (folder / "line.csv").write_text("\n".join(",".join(map(str, row)) for row in D))
    (folder / "y.txt").write_text("a\n" * 28 + "b\n" * 2)
    samples = ["line.csv", "--kind", "dissimilarity", "--labels", "y.txt"]
    assert run(["inspect", *samples]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "say --class-weight balanced, or give --costs FILE rather than" in told
    fit = ["fit", *samples, "--effort", "quick", "-o", "m"]
    assert run([*fit, "--class-weight", "balanced"]) == 0
