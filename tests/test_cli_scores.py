"""The score of lists of pairs, which models remember."""

import csv
import html
import io
import json
import zipfile

import numpy as np
import pytest

from similearn.cli.app import run
from similearn.experiments.models import load_model

IDS = [f"p{i}" for i in range(20)]
Y = ["a", "b"] * 10


def hit(query, target, bits, evalue):
    return f"{query}\t{target}\t90.0\t100\t5\t0\t1\t100\t1\t100\t{evalue:g}\t{bits:.1f}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Hits whose e-values tell classes, and whose bits tell the opposite."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)

    def hits_of(query, y):
        rows = []
        for target, other in zip(IDS, Y, strict=True):
            strength = 100 * (y == other) + 50 + 9 * rng.random()
            rows.append(hit(query, target, 300 - strength, 10 ** (-strength / 5)))
        return "\n".join(rows) + "\n"

    (tmp_path / "hits.tsv").write_text("".join(map(hits_of, IDS, Y)))
    (tmp_path / "labels.tsv").write_text(
        "".join(f"{i}\t{y}\n" for i, y in zip(IDS, Y, strict=True))
    )
    (tmp_path / "new.tsv").write_text(hits_of("n1", "a") + hits_of("n2", "b"))
    return tmp_path


def fitted(*more):
    fit = "fit hits.tsv --labels labels.tsv --method knn --force -o m".split()
    assert run([*fit, *more]) == 0


def answers(capsys, *words):
    capsys.readouterr()
    assert run(["predict", "m", *words]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_new_hits_are_read_with_the_score_of_the_model(folder, capsys):
    fitted("--score", "evalue")
    assert "Next: similearn predict m new.tsv -o predicted.csv" in capsys.readouterr().out
    found = answers(capsys, "new.tsv")
    assert [row["label"] for row in found] == ["a", "b"]
    assert answers(capsys, "new.tsv", "--score", "evalue") == found
    assert run(["show", "m"]) == 0
    assert "score:       evalue, of lists of pairs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fit", "other"), [("evalue", "bits"), ("evalue", "12"), (None, "evalue"), ("11", "12")]
)
def test_another_score_than_that_of_the_model_is_refused(folder, capsys, fit, other):
    fitted(*([] if fit is None else ["--score", fit, "--kind", "similarity"]))
    assert run(["predict", "m", "new.tsv", "--score", other]) == 2
    told = capsys.readouterr().err
    known = {None: "bits", "11": "raw evalue"}.get(fit, fit)
    assert (
        f"--score {other} is another score than the model was fitted to, which is {known}:" in told
    )
    assert "Leave --score out" in told


def test_matrices_and_lists_of_one_score_are_read_as_before(folder, capsys):
    fitted("--score", "evalue")
    found = answers(capsys, "new.tsv")
    rows = [line.split("\t") for line in (folder / "new.tsv").read_text().splitlines()]
    scores = {(row[0], row[1]): repr(float(-np.log10(float(row[10])))) for row in rows}
    lines = "".join(f"{a}\t{b}\t{score}\n" for (a, b), score in scores.items())
    (folder / "three.tsv").write_text(lines)
    assert answers(capsys, "three.tsv") == found
    table = [[new, *(scores[new, one] for one in IDS)] for new in ("n1", "n2")]
    (folder / "matrix.csv").write_text("\n".join(map(",".join, [["id", *IDS], *table])) + "\n")
    assert answers(capsys, "matrix.csv") == found


HEADER = "source,target,other,similarity\n"


@pytest.fixture
def pairs(folder):
    """Lists of four columns, of which the last tells classes: with a header, and new ones."""
    rng = np.random.default_rng(0)
    rows = [(a, b, 0.5, 2.0 * (x == y) + rng.random())
            for a, x in zip(IDS, Y, strict=True) for b, y in zip(IDS, Y, strict=True)]  # fmt: skip
    text = "".join(f"{a},{b},{other},{score}\n" for a, b, other, score in rows)
    (folder / "pairs.csv").write_text(f"{HEADER}{text}")
    (folder / "headless.csv").write_text(text)
    of_new = "".join(line.replace("p0,", "n1,", 1) for line in text.splitlines(True)[:20])
    (folder / "named.csv").write_text(f"{HEADER}{of_new}")
    (folder / "bare.csv").write_text(of_new)
    turned = [line.split(",") for line in f"{HEADER}{of_new}".splitlines()]
    (folder / "turned.csv").write_text("".join(f"{a},{b},{d},{c}\n" for a, b, c, d in turned))
    return folder


def fitted_to_pairs(name, score):
    fit = f"fit {name} --labels labels.tsv --method knn --force -o m --score {score}".split()
    assert run([*fit, "--kind", "similarity"]) == 0


def test_a_column_may_have_a_name_in_one_file_and_a_number_in_another(pairs, capsys):
    fitted_to_pairs("pairs.csv", "similarity")
    found = answers(capsys, "named.csv")
    assert found[0]["label"] == "a"
    assert answers(capsys, "bare.csv", "--score", "4") == found


def test_a_number_is_kept_as_the_name_of_its_column(pairs, capsys):
    fitted_to_pairs("pairs.csv", "4")
    assert load_model("m").score == "similarity"
    found = answers(capsys, "named.csv")
    assert found[0]["label"] == "a"
    assert answers(capsys, "named.csv", "--score", "4") == found
    assert answers(capsys, "turned.csv") == answers(capsys, "turned.csv", "--score", "3") == found
    for name, other in (("named.csv", "other"), ("named.csv", "3"), ("turned.csv", "4")):
        assert run(["predict", "m", name, "--score", other]) == 2
        told = f"--score {other} is another score than the model was fitted to, which is similarity"
        assert told in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pairs.csv", "headless.csv"])
def test_the_number_of_a_column_of_pairs_is_none_of_hits(pairs, capsys, name):
    fitted_to_pairs(name, "4")
    known = {"pairs.csv": "'similarity'", "headless.csv": "column 4"}[name]
    assert answers(capsys, "bare.csv", "--score", "4")[0]["label"] == "a"
    capsys.readouterr()
    assert run(["predict", "m", "new.tsv"]) == 2
    told = capsys.readouterr().err
    assert f"was fitted to {known} of a list of pairs, and new.tsv does not tell which" in told
    assert "identity, length," in told and "Say which: --score NAME." in told
    assert len(answers(capsys, "new.tsv", "--score", "bits")) == 2


def test_a_list_without_a_header_has_numbers(pairs, capsys):
    fitted_to_pairs("headless.csv", "4")
    found = answers(capsys, "bare.csv")
    assert found[0]["label"] == "a" and load_model("m").score == "4"
    assert answers(capsys, "named.csv") == answers(capsys, "named.csv", "--score", "4") == found
    assert run(["predict", "m", "named.csv", "--score", "other"]) == 2
    assert "is another score" in capsys.readouterr().err
    fitted_to_pairs("pairs.csv", "4")
    assert run(["predict", "m", "bare.csv"]) == 2
    told = capsys.readouterr().err
    assert "4 columns without names. Say which: --score NUMBER, counted from 1." in told


def test_a_model_of_hits_takes_a_column_of_pairs_that_is_said(folder, capsys):
    fitted()
    found = answers(capsys, "new.tsv")
    cells = [line.split("\t") for line in (folder / "new.tsv").read_text().splitlines()]
    text = "".join(f"{row[0]}\t{row[1]}\t{row[2]}\t{row[11]}\n" for row in cells)
    (folder / "four.tsv").write_text(f"id1\tid2\tw\tscore\n{text}")
    for given in ([], ["--format", "pairs"]):
        assert run(["predict", "m", "four.tsv", *given]) == 2
        told = capsys.readouterr().err
        assert "it has the columns id1, id2, w, score. Say which: --score NAME." in told
        assert answers(capsys, "four.tsv", *given, "--score", "4") == found
        assert answers(capsys, "four.tsv", *given, "--score", "score") == found


def test_columns_of_hits_are_known_by_name_and_by_number(folder, capsys):
    fitted("--score", "12")
    found = answers(capsys, "new.tsv")
    assert load_model("m").score == "bits"
    assert answers(capsys, "new.tsv", "--score", "bits") == found
    assert answers(capsys, "new.tsv", "--score", "12") == found
    fitted("--score", "11", "--kind", "similarity")
    assert load_model("m").score == "raw evalue"
    found = answers(capsys, "new.tsv")
    assert answers(capsys, "new.tsv", "--score", "11") == found
    assert run(["predict", "m", "new.tsv", "--score", "evalue"]) == 2
    assert "which is raw evalue" in capsys.readouterr().err
    rows = [line.split("\t") for line in (folder / "new.tsv").read_text().splitlines()]
    lines = ["query\ttarget\tevalue\tbits", *("\t".join([*r[:2], *r[10:]]) for r in rows)]
    (folder / "header.tsv").write_text("\n".join(lines) + "\n")
    assert answers(capsys, "header.tsv") == found


def test_further_columns_of_hits_have_numbers(folder, capsys):
    for name in ("hits.tsv", "new.tsv"):
        rows = [line.split("\t") for line in (folder / name).read_text().splitlines()]
        wider = "".join("\t".join([*row, row[11]]) + "\n" for row in rows)
        (folder / name).write_text(wider)
    fitted()
    found = answers(capsys, "new.tsv")
    fitted("--score", "13", "--kind", "similarity")
    assert load_model("m").score == "13"
    assert answers(capsys, "new.tsv") == found


def test_models_of_before_know_no_score_and_take_any(folder, capsys):
    fitted("--score", "evalue")
    with zipfile.ZipFile("m") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(parts["model.json"])
    assert document.pop("score") == "evalue"
    parts["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile("m", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert load_model("m").score is None
    assert [row["label"] for row in answers(capsys, "new.tsv", "--score", "evalue")] == ["a", "b"]
    assert len(answers(capsys, "new.tsv")) == 2
    assert run(["show", "m"]) == 0
    assert "score:" not in capsys.readouterr().out


def test_a_report_reads_samples_with_the_score_of_the_model(folder, capsys):
    fitted("--score", "evalue")
    report = "report m --data hits.tsv --labels labels.tsv -o r.html".split()
    assert run(report) == 0
    page = html.unescape((folder / "r.html").read_text(encoding="utf-8"))
    assert "score='evalue'" in page  # in the Python code that does the same
    assert run([*report, "--force", "--score", "bits"]) == 2
    assert "is another score" in capsys.readouterr().err


def test_a_score_below_names_of_ones_own(folder, capsys):
    rng = np.random.default_rng(1)

    def rows(ids, ys, names):
        lines = ["\t".join(names)]
        for i, y in zip(ids, ys, strict=True):
            for j, other in zip(IDS, Y, strict=True):
                if i != j and (i not in IDS or i < j):
                    near = 0.8 * (y == other) + 0.1 * rng.random()
                    lines.append(f"{i}\t{j}\t{rng.integers(9)}\t{near:.3f}")
        return "\n".join(lines) + "\n"

    names = ["gene1", "gene2", "n", "closeness"]
    (folder / "p4.tsv").write_text(rows(IDS, Y, names))
    (folder / "new4.tsv").write_text(rows(["n1", "n2"], "ab", names))
    fit = "fit p4.tsv --labels labels.tsv --method knn --format pairs --kind similarity -o m"
    assert run([*fit.split(), "--score", "4"]) == 0
    assert [row["label"] for row in answers(capsys, "new4.tsv")] == ["a", "b"]
    (folder / "other.tsv").write_text(rows(["n1", "n2"], "ab", [*names[:3], "other"]))
    assert run(["predict", "m", "other.tsv"]) == 2
    assert "it has the columns gene1, gene2, n, other" in capsys.readouterr().err
    rows = [["id", "of", *IDS], ["n1", "first", *["0.5"] * 20]]  # no list, and told as before
    (folder / "matrix.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    assert run(["predict", "m", "matrix.csv"]) == 2
    assert "line 2, column 2: 'first' is not a number" in capsys.readouterr().err
