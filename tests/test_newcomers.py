"""What people met who tried the library with the site alone, each mended at its root."""

import csv

import numpy as np
import pytest

import similearn
from similearn import Pairwise, SimilarityClassifier, Sources, datasets, suspicious_labels
from similearn.cli.app import run
from similearn.errors import FileError, InputError, InputTypeError

FINNISH = "korhonen virtanen nieminen heikkinen koskinen lehtonen saarinen".split()
ITALIAN = "rossi russo ferrari esposito bianchi romano ricci".split()
NAMES, LANGUAGES = FINNISH + ITALIAN, ["Finnish"] * 7 + ["Italian"] * 7


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with names, of which virtanen has a wrong label."""
    monkeypatch.chdir(tmp_path)
    given = dict(zip(NAMES, LANGUAGES, strict=True)) | {"virtanen": "Italian"}
    rows = [f"{name},{language}\n" for name, language in given.items()]
    (tmp_path / "names.csv").write_text("name,language\n" + "".join(rows))
    (tmp_path / "new.txt").write_text("jokinen\ncaruso\n")
    return tmp_path


def test_rounded_distances_of_a_metric_have_no_shorter_detours():
    points = np.random.default_rng(0).normal(size=(30, 2))
    D = np.abs(points[:, None] - points).sum(axis=2).round(6)
    assert similearn.diagnose(Pairwise(D, "dissimilarity")).violated_triangles == 0


def test_a_table_of_uniprot_names_accessions_alone(tmp_path):
    (tmp_path / "p.fasta").write_text(">sp|P1|A_HUMAN x\nMKTAYIAK\n>tr|Q2|B_MOUSE\nMKTAYLAR\n")
    (tmp_path / "families.tsv").write_text("Entry\tFamily\nQ2\tglobin\nP1\tkinase\n")
    found = similearn.read_objects(tmp_path / "p.fasta", labels=tmp_path / "families.tsv")
    assert found.labels.tolist() == ["kinase", "globin"]
    assert repr(found) == "<LabelledObjects: 2 sequences (protein), 2 with a label>"
    (tmp_path / "families.tsv").write_text("Entry\tFamily\nQ9\tglobin\n")
    with pytest.raises(FileError, match="it names 'Entry' and 'Q9', where the samples"):
        similearn.read_objects(tmp_path / "p.fasta", labels=tmp_path / "families.tsv")


def test_of_pairs_with_further_columns_one_is_said_to_be_the_score(tmp_path):
    path = tmp_path / "hits.tsv"
    path.write_text("a\tb\t90.1\t200\na\tc\t80.0\t100\nb\tc\t70.5\t50\n")
    read = {"kind": "similarity", "format": "pairs"}
    with pytest.raises(FileError, match="say which of them is the score: score=4"):
        similearn.read_pairwise(path, **read)
    found = similearn.read_pairwise(path, score=4, **read)
    assert found.block.values[0, 1] == 200
    assert repr(found) == "<LabelledPairwise: <Pairwise: similarity, 3 × 3>, no labels>"


def test_holes_are_refused_with_the_word_that_fills_them(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("1,NA\n0.5,1\n")
    with pytest.raises(FileError, match="filled from what is known: missing='fill'"):
        similearn.read_pairwise(path, kind="similarity")


def test_objects_of_a_file_are_taken_as_they_were_read(folder):
    model = SimilarityClassifier(similarity="ngrams", effort="quick").fit(NAMES, LANGUAGES)
    new = similearn.read_objects("new.txt")
    assert model.predict(new).tolist() == model.predict(["jokinen", "caruso"]).tolist()
    with pytest.raises(InputTypeError, match=r"One object is a list of one: \[X\]"):
        model.predict("jokinen")


def test_suspicious_objects_are_named_by_what_they_are():
    given = [
        "Italian" if name == "virtanen" else y for name, y in zip(NAMES, LANGUAGES, strict=True)
    ]
    model = SimilarityClassifier(similarity="ngrams", effort="quick").fit(NAMES, given)
    first = suspicious_labels(model, NAMES, given).table()[0]
    assert first["sample"] == "virtanen" and set(first["against"]) <= set(FINNISH)


def test_inspect_writes_all_suspicious_labels(folder, capsys):
    assert run(["inspect", "names.csv", "--labels", "language"]) == 0
    assert "virtanen: Italian" in capsys.readouterr().out
    with open("similearn-names/suspicious.csv", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["sample"] == "virtanen"


def test_predict_tells_why(folder, capsys):
    fit = ["fit", "names.csv", "--labels", "language", "--method", "knn", "-o", "m"]
    assert run(fit) == 0
    assert run(["predict", "m", "new.txt", "-o", "labels.csv", "--why", "jokinen"]) == 0
    told = capsys.readouterr().out
    assert "query jokinen: Finnish" in told and "neighbour heikkinen (Finnish)" in told
    assert "query caruso" not in told
    assert run(["predict", "m", "new.txt", "--why", "nobody"]) == 2
    assert "There is no new sample 'nobody'; there are jokinen, caruso" in capsys.readouterr().err


PROTEINS = {"HBA_HUMAN": "sp|P69905|", "HBB_HUMAN": "sp|P68871|", "MYG_HUMAN": "sp|P02144|"}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("P69905", "query sp|P69905|HBA_HUMAN"),
        ("HBA_HUMAN", "query sp|P69905|HBA_HUMAN"),
        ("sp|P69905|HBA_HUMEN", "did you mean sp|P69905|HBA_HUMAN"),
        ("sp", "did you mean sp|P69905|HBA_HUMAN or sp|P68871|HBB_HUMAN or sp|P02144|MYG_HUMAN?"),
        ("s3", "s3 is a training sample"),
    ],
)
def test_why_finds_a_sample_by_its_accession(folder, capsys, asked, expected):
    rows = [f"s{i},{'ab'[i % 2]}{'acgt' * (1 + i % 2)}{'t' * i},{'AB'[i % 2]}" for i in range(12)]
    (folder / "known.csv").write_text("id,word,label\n" + "\n".join(rows) + "\n")
    new = [f"{bars}{name},aacgt{'t' * i}" for i, (name, bars) in enumerate(PROTEINS.items())]
    (folder / "new.csv").write_text("id,word\n" + "\n".join(new) + "\n")
    fit = ["fit", "known.csv", "--column", "word", "--labels", "label", "--similarity", "ngrams"]
    assert run([*fit, "--method", "knn", "-o", "m"]) == 0
    found = run(["predict", "m", "new.csv", "-o", "found.csv", "--why", asked])
    told = capsys.readouterr()
    assert expected in (told.err if found else told.out)
    assert (found == 2) == (not expected.startswith("query"))


def test_a_comparison_of_sources_leaves_tables_to_methods_of_several():
    block, y = datasets.make_similarities(40, return_X_y=True)
    X = Sources({"scores": block, "sizes": np.arange(80.0).reshape(40, 2)})
    table = similearn.compare(X, y, ["knn", "fused-knn"], n_splits=1)
    assert sorted(row.method for row in table.rows) == ["fused-knn", "knn on scores"]


def test_a_table_of_features_is_not_one_of_several_matrices(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    block, y = datasets.make_similarities(20, return_X_y=True)
    np.savetxt("s.csv", block.values, delimiter=",")
    np.savetxt("f.csv", np.ones((20, 2)) + y[:, None], delimiter=",")
    np.savetxt("y.txt", y, fmt="c%d")
    assert run(["fit", "s.csv", "f.csv", "--labels", "y.txt", "-o", "m"]) == 2
    assert "f.csv has the shape 20 × 2; of several matrices" in capsys.readouterr().err
    fit = ["fit", "s.csv", "s.csv", "--labels", "y.txt", "-o", "m", "--effort", "quick"]
    assert run(fit) == 0
    assert "predict m new-s.csv new-s.csv -o" in capsys.readouterr().out


def test_words_in_another_order_are_the_same_method():
    with pytest.raises(InputError, match=r"'clip-svm'. Did you mean svm-clip\?"):
        similearn.compare(np.eye(20), np.arange(20) % 2, ["clip-svm"])


def test_a_column_of_a_file_of_labels_is_named_by_two_words(folder):
    (folder / "S.csv").write_text("id,a,b,c\na,1,.5,.2\nb,.5,1,.1\nc,.2,.1,1\n")
    (folder / "labels.tsv").write_text("id\tage\tspecies\nc\t3\telm\na\t1\toak\nb\t2\telm\n")
    given = ("labels.tsv", "species")
    read = similearn.read_pairwise("S.csv", kind="similarity", labels=given)
    assert read.labels.tolist() == ["oak", "elm", "elm"]
    (folder / "words.txt").write_text("ash\nbirch\noak\n")
    (folder / "kinds.tsv").write_text("size\tkind\n1\tx\n2\ty\n3\tx\n")
    read = similearn.read_objects("words.txt", labels=("kinds.tsv", "kind"))
    assert read.labels.tolist() == ["x", "y", "x"]
    with pytest.raises(FileError, match=r"label.tsv does not exist. Did you mean labels.tsv or "):
        similearn.read_pairwise("S.csv", kind="similarity", labels=("label.tsv", "species"))
    (folder / "two.csv").write_text("1,.5\n.5,1\n")
    two = similearn.read_pairwise("two.csv", kind="similarity", labels=("oak", "elm"))
    assert two.labels.tolist() == ["oak", "elm"]


@pytest.mark.parametrize("file", ["S.csv", "names.csv"])
def test_the_shells_word_for_a_column_is_answered_by_that_of_python(folder, file):
    (folder / "S.csv").write_text("1,.5\n.5,1\n")
    (folder / "labels.tsv").write_text("age\tspecies\n3\telm\n1\toak\n")
    read = similearn.read_objects if file == "names.csv" else similearn.read_pairwise
    with pytest.raises(FileError, match=r"is labels=\('labels.tsv', 'species'\)"):
        read(file, labels="labels.tsv:species")


def test_new_samples_of_several_matrices_are_joined_by_id(folder, capsys):
    y = np.array(["oak", "elm"] * 10)
    x = np.random.default_rng(0).normal(size=20) + 4 * (y == "oak")
    S = 5 - abs(x[:, None] - x)
    head = ",".join(["id", *(f"t{j}" for j in range(16))])

    def written(name, rows, labels=False):
        lines = [",".join([f"t{i}", *map(str, S[i, :16]), *[y[i]] * labels]) for i in rows]
        text = "\n".join([head + ",label" * labels, *lines])
        (folder / name).write_text(text + "\n")

    for name in ("leaf", "bark"):
        written(f"{name}.csv", range(16), labels=True)
    written("new-leaf.csv", [17, 16, 19])
    written("new-bark.csv", [16, 17, 18, 19])
    written("few-bark.csv", [16, 17])
    fit = ["fit", "leaf.csv", "bark.csv", "--kind", "similarity", "--method", "fused-knn"]
    assert run([*fit, "-o", "m"]) == 0
    capsys.readouterr()
    assert run(["predict", "m", "new-leaf.csv", "new-bark.csv"]) == 0
    joined, told = capsys.readouterr()
    assert "Rows of new-bark.csv that are no new samples of new-leaf.csv were left out: 1." in told
    assert run(["predict", "m", "new-leaf.csv", "new-leaf.csv"]) == 0
    assert capsys.readouterr().out == joined
    assert run(["predict", "m", "new-leaf.csv", "few-bark.csv"]) == 2
    assert "few-bark.csv has no row for the new sample 't19'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_labels_that_all_occur_once_are_told_with_their_column(folder, capsys, command):
    assert run([command, "names.csv", "--labels", "name", "-o", "out"]) == 2
    told = capsys.readouterr().err
    assert "Every label of `name` occurs once, such as 'korhonen' and 'virtanen'; " in told
    assert told.endswith("Was another column meant? Say --labels language.\n")
    with pytest.raises(InputError, match="Every label occurs once"):
        similearn.compare(NAMES, NAMES, ["knn"], similarity="ngrams")


def test_a_table_leaves_out_what_has_no_room_and_says_where_it_is(folder, capsys, monkeypatch):
    from similearn.cli import output

    words = ["compare", "names.csv", "--labels", "language", "--similarity", "ngrams"]
    words += ["--methods", "knn,krr-knn,features-linear-svm", "--splits", "2", "-o", "out"]
    shown = {}
    for width in (60, 80, 120):
        monkeypatch.setattr(output.console, "_width", width)
        assert run(words) == 0
        shown[width] = capsys.readouterr().out
    for told in shown.values():
        assert "…" not in told and "Error %" in told and "features-linear-svm" in told
    assert "n_neighbors=" in shown[120] and "no room" not in shown[120]
    for width in (60, 80):
        assert "n_neighbors=" not in shown[width]
    said = "There is no room here for “Chosen most often”: the whole table is in out/table.txt."
    assert said in shown[80] and "“Chosen most often”, “Time s”" in shown[60]
    assert "n_neighbors=" in (folder / "out" / "table.txt").read_text()


def test_a_similarity_of_numbers_names_its_like_for_other_objects():
    sets = [{"a"}, {"a", "b"}, {"b"}, {"c"}]
    with pytest.raises(InputTypeError, match=r"For sets there is 'jaccard-sets'\.$"):
        SimilarityClassifier(similarity="jaccard").fit(sets, ["x", "x", "y", "y"])
    with pytest.raises(InputError, match=r"compares the rows of a table of numbers\.$"):
        similearn.PairwiseSimilarity("jaccard").fit(["ab", "cd"])


def test_many_columns_are_counted_not_listed(folder, capsys):
    fit = ["fit", "names.csv", "--labels", "language", "-s", "ngrams", "--method", "knn"]
    assert run([*fit, "-o", "m"]) == 0
    head = ",".join(f"t{i}" for i in range(60))
    (folder / "wide.csv").write_text(f"{head}\n" + (",".join(["0.5"] * 60) + "\n") * 3)
    assert run(["predict", "m", "wide.csv"]) == 2
    assert "holds numbers in 60 columns; they cannot be read as 'strings'" in (
        capsys.readouterr().err
    )


def test_a_loaded_default_has_its_leaderboard(folder):
    model = SimilarityClassifier(similarity="ngrams", effort="quick").fit(NAMES, LANGUAGES)
    similearn.save(model, "one.model")
    loaded = similearn.load("one.model")
    assert str(loaded.leaderboard_) == str(model.leaderboard_)
    assert loaded.leaderboard_.combined == model.leaderboard_.combined
    fit = ["fit", "names.csv", "--labels", "language", "-s", "ngrams", "-s", "levenshtein"]
    assert run([*fit, "--effort", "quick", "-o", "two.model"]) == 0
    assert len(similearn.load("two.model").leaderboard_) > 1
    assert run([*fit[:6], "--method", "knn", "-o", "knn.model"]) == 0
    knn = similearn.load("knn.model")
    assert not hasattr(knn, "leaderboard_")
    with pytest.raises(AttributeError, match="which the default makes"):
        _ = knn.leaderboard_
    assert "predict_set" in similearn.load.__doc__


def test_samples_without_ids_are_numbered_as_in_the_file(folder, capsys):
    y = np.array(["oak", "elm"] * 12)
    x = np.random.default_rng(0).normal(size=24) + 8 * (y == "oak")
    np.savetxt("S.csv", np.exp(-abs(x[:, None] - x)), delimiter=",")
    y[[2, 3, 5, 20]] = ["NA", "NA", "NA", "elm"]  # the last one is wrong
    (folder / "y.txt").write_text("\n".join(y) + "\n")
    assert run(["inspect", "S.csv", "--kind", "similarity", "--labels", "y.txt"]) == 0
    told = capsys.readouterr().out
    assert "1 of 21 labels are suspicious (samples are numbered from 0)\n  20: elm" in told


def test_a_model_without_ids_takes_no_list_of_pairs(folder, capsys):
    x = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 5.0, 5.1, 5.2, 5.3, 5.4, 5.5])
    S = np.exp(-abs(x[:, None] - x))
    np.savetxt("S.csv", S, delimiter=",")
    (folder / "y.txt").write_text("oak\n" * 6 + "elm\n" * 6)
    fit = ["fit", "S.csv", "--kind", "similarity", "--labels", "y.txt", "--method", "knn"]
    assert run([*fit, "-o", "m"]) == 0
    hits = [f"n{i}\tt{j}\t{S[i, j]}\n" for i in range(3) for j in range(12)]
    (folder / "hits.tsv").write_text("".join(hits))
    assert run(["predict", "m", "hits.tsv"]) == 2
    assert "the samples that the model was fitted to have no ids" in capsys.readouterr().err
    assert run(["show", "m"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "whose 12 columns are the references in their order Use it" in told


def test_columns_that_new_matrices_must_not_have_are_told(folder, capsys):
    x = np.r_[0:1:8j, 5:6:8j]
    S = np.exp(-abs(x[:, None] - x))
    np.savetxt("S.csv", S, delimiter=",")
    labels = ["oak"] * 8 + ["elm"] * 8
    labels[3] = labels[10] = "NA"
    (folder / "y.txt").write_text("\n".join(labels) + "\n")
    fit = ["fit", "S.csv", "--kind", "similarity", "--labels", "y.txt", "--method", "knn"]
    assert run([*fit, "-o", "m"]) == 0
    told = capsys.readouterr().out
    assert "Without a label, and left out: 3, 10 (samples are numbered from 0)." in told
    assert "needs the columns of the other 14 alone, in their order." in told
    np.savetxt("new.csv", np.delete(S[[3, 10]], [3, 10], axis=1), delimiter=",")
    assert run(["predict", "m", "new.csv"]) == 0
