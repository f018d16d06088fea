"""First lines that may be headers, in the shell."""

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
