"""Options do what they say, or the command says that they cannot."""

import csv
import re
from types import SimpleNamespace

import numpy as np
import pytest

from similearn.cli.app import run
from similearn.experiments.predictions import never_ruled_out

SIZES = {"many": 30, "some": 20, "rare": 10}
BLOCK = ("D.csv", "--kind", "dissimilarity", "--labels", "labels.txt")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Distances of three classes that overlap, labels, new samples, and costs of missing one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    labels = np.repeat(list(SIZES), list(SIZES.values()))
    points = rng.normal(size=(60, 3)) + 1.5 * np.repeat(np.eye(3), list(SIZES.values()), axis=0)
    new = rng.normal(size=(40, 3)) + 0.7
    for name, rows in (("D.csv", points), ("new.csv", new)):
        distances = np.linalg.norm(rows[:, None] - points, axis=2)
        np.savetxt(tmp_path / name, distances, delimiter=",", fmt="%.6f")
    (tmp_path / "labels.txt").write_text("\n".join(labels) + "\n")
    (tmp_path / "costs.csv").write_text("many,rare,50\nsome,rare,50\n")
    return tmp_path


def fit(*words, model="one.model"):
    return run(["fit", *BLOCK, "-o", model, "--force", *words])


def decided(model="one.model"):
    assert run(["predict", model, "new.csv", "-o", "out.csv", "--force"]) == 0
    with open("out.csv") as file:
        return [row["label"] for row in csv.DictReader(file)]


WITHOUT_COSTS = ["features-logistic", "lsvm", "local-means"]


@pytest.mark.parametrize("method", [*WITHOUT_COSTS, "features-linear-svm"])
def test_a_method_that_decides_without_costs_refuses_them(method, folder, capsys):
    assert fit("--method", method, "--costs", "costs.csv") == 2
    told = capsys.readouterr().err
    assert f"{method} cannot take costs into account. Use auto, knn" in told
    assert not (folder / "one.model").exists()


def test_costs_move_decisions_of_the_others(folder):
    assert fit("--method", "knn") == 0
    before = decided().count("rare")
    assert fit("--method", "knn", "--costs", "costs.csv") == 0
    assert decided().count("rare") > before


def test_a_comparison_leaves_out_who_decides_without_costs(folder, capsys):
    words = ["--methods", "knn,lsvm", "--splits", "2", "--costs", "costs.csv", "-o", "out"]
    assert run(["compare", *BLOCK, *words]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "lsvm failed: lsvm cannot take costs into account." in told


IDLE = [
    (["--scoring", "log-loss"], "--scoring log-loss goes with --method"),
    (["--method", "auto", "--scoring", "error"], "--scoring error goes with --method"),
    (["--method", "knn", "--effort", "quick"], "--effort is for the default"),
    (["--method", "knn", "--time-limit", "5"], "--time-limit is for the default"),
    (["--time-limit", "0"], "--time-limit 0 leaves no time; expected seconds above 0"),
    (["--time-limit", "-1"], "--time-limit -1 leaves no time; expected seconds above 0"),
    (["--time-limit", "nan"], "--time-limit nan leaves no time; expected seconds above 0"),
]


@pytest.mark.parametrize(("words", "message"), IDLE)
def test_options_that_would_do_nothing_are_refused(words, message, folder, capsys):
    assert fit(*words) == 2
    assert message in capsys.readouterr().err


WEIGHED = [["--method", "knn"], ["--method", "features-logistic"], ["--effort", "quick"]]


@pytest.mark.parametrize("words", WEIGHED, ids=["knn", "scikit-learn", "the default"])
def test_with_balanced_classes_a_rare_one_is_named_more_often(words, folder):
    assert fit(*words) == 0
    before = decided().count("rare")
    assert fit(*words, "--class-weight", "balanced") == 0
    assert decided().count("rare") > before


def test_a_method_without_class_weights_says_so(folder, capsys):
    assert fit("--method", "pair-vote", "--class-weight", "balanced") == 2
    assert "pair-vote has no class weights. Use auto, knn" in capsys.readouterr().err
    words = ["--class-weight", "balanced", "--splits", "2", "-o", "out"]
    assert run(["compare", *BLOCK, "--methods", "pair-vote", *words]) == 2
    assert "pair-vote has no class weights." in capsys.readouterr().err


def test_balanced_comparisons_are_kept_apart_from_others(folder, capsys):
    words = ["compare", *BLOCK, "--methods", "knn,pair-vote", "--splits", "2", "-o", "out"]
    assert run(words) == 0
    assert run([*words, "--class-weight", "balanced"]) == 0
    told = capsys.readouterr()
    assert "Left out, as they have no class weights: pair-vote." in told.err
    assert len((folder / "out" / "results.jsonl").read_text().splitlines()) == 6


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["many"] * 60, "The labels hold one class, many; classifying needs two."),
        ([f"s{i}" for i in range(60)], "Every label occurs once, such as 's0' and 's1'; expected"),
    ],
)
def test_inspect_proposes_no_fit_that_would_be_refused(labels, message, folder, capsys):
    (folder / "labels.txt").write_text("\n".join(labels) + "\n")
    assert run(["inspect", *BLOCK, "-o", "pictures"]) == 0
    out = capsys.readouterr().out
    assert out.strip().splitlines()[-1].startswith(f"Nothing to fit yet: {message}")
    assert "Next:" not in out
    assert fit() == 2


def test_inspect_without_labels_ends_with_what_to_type_next(folder, capsys):
    assert run(["inspect", "D.csv", "--kind", "dissimilarity", "-o", "pictures"]) == 0
    *_, before, last = capsys.readouterr().out.strip().splitlines()
    assert before.startswith("There are no labels for D.csv. Name a file of labels")
    assert last == "Next: similearn fit D.csv --labels labels.txt --kind dissimilarity -o D.model"


@pytest.mark.parametrize(
    ("coverage", "told"),
    [
        ("0.9", ""),
        ("0.93", "fewer than 14 samples can never be ruled out at coverage 0.93: rare is in every"),
        ("0.99", "99 samples can never be ruled out at coverage 0.99: many, rare and some are in"),
    ],
)
def test_classes_too_small_to_be_ruled_out_are_told(coverage, told, folder, capsys):
    assert fit("--effort", "quick") == 0
    capsys.readouterr()
    assert run(["predict", "one.model", "new.csv", "--coverage", coverage]) == 0
    seen = capsys.readouterr()
    assert (told in seen.err) if told else ("ruled out" not in seen.err)
    assert ("At coverage 0.9 every class can be ruled out." in seen.err) == bool(told)
    sets = [row["possible labels"] for row in csv.DictReader(seen.out.splitlines())]
    assert all("rare" in one for one in sets) == bool(told)


def test_many_small_classes_are_counted():
    model = SimpleNamespace(
        known_held_out=lambda: (np.full(24, 0.5), np.repeat(range(8), 3)),
        classes=[f"c{i}" for i in range(8)],
    )
    (told,) = never_ruled_out(model, 0.9)
    assert "than 9 samples" in told and ": c0, c1 and 6 others are in every set." in told
    assert told.endswith("At coverage 0.75 every class can be ruled out.")
    assert never_ruled_out(model, 0.75) == []


def test_lines_and_files_have_the_same_ids_and_sets(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list(letters), 5)) for letters in ("abc", "xyz") for _ in range(20)]
    rows = [f"{name},{'a' if i < 20 else 'x'}" for i, name in enumerate(names)]
    (tmp_path / "names.csv").write_text("\n".join(["name,label", *rows]) + "\n")
    (tmp_path / "new.txt").write_text("abcab\nzyxxy\n")
    words = ["fit", "names.csv", "--labels", "label", "-s", "levenshtein", "--effort", "quick"]
    assert run([*words, "-o", "m"]) == 0
    capsys.readouterr()
    assert run(["predict", "m", "new.txt", "--coverage", "0.9"]) == 0
    from_file = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    monkeypatch.setattr("sys.stdin", (tmp_path / "new.txt").open())
    assert run(["predict", "m", "-", "--coverage", "0.9"]) == 0
    from_lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["id"] for row in from_lines] == ["abcab", "zyxxy"]
    wanted = ("id", "label", "possible labels")
    assert [[row[w] for w in wanted] for row in from_lines] == [
        [row[w] for w in wanted] for row in from_file
    ]
    assert run(["predict", "m", "-", "--why", "all"]) == 2
    assert "--why is for files of new samples" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Validated: +error of [0-9.]+ % in 10-fold"),
        (["--scoring", "log-loss"], "Validated: +log-loss of 0[.0-9]+ in 10-fold"),
        (["--scoring", "balanced-error"], "Validated: +balanced error of 0[.0-9]+ in 10-fold"),
        (["--scoring", "cost", "--costs", "costs.csv"], "Validated: +cost of [.0-9]+ in 10-fold"),
    ],
)
def test_a_model_tells_the_score_that_chose_its_parameters(words, told, folder, capsys):
    assert fit("--method", "knn", *words) == 0
    capsys.readouterr()
    assert run(["show", "one.model"]) == 0
    assert re.search(told, capsys.readouterr().out)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--effort", "fast"], "--effort': 'fast' is not one of 'quick'"),
        (
            ["--class-weight", "ill=10"],
            "Weights of single classes are for Python: SimilarityClassifier(class_weight",
        ),
    ],
)
def test_values_that_an_option_does_not_know(capsys, given, told):
    assert run(["fit", "s.npz", *given, "-o", "m"]) == 2
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert told in said and "Value error" not in said
