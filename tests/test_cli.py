"""The command line: as a subprocess where processes matter, within this one elsewhere."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from similearn import __version__
from similearn.cli.app import run
from similearn.cli.commands import demonstrating
from tests.experiments.data import quick, small_problem

COMMAND = (sys.executable, "-m", "similearn")
WIDE = {**os.environ, "COLUMNS": "160", "NO_COLOR": "1"}


def similearn(*arguments, cwd=None):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=WIDE, capture_output=True, text=True
    )


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A labelled block, queries against it, and an empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    block, y = small_problem()
    np.savez(tmp_path / "birds.npz", S=block.values, y=y, kind="similarity")
    np.savetxt(tmp_path / "queries.csv", block.values[:5], delimiter=",", fmt="%.17g")
    return tmp_path


def read(path):
    return list(csv.DictReader(path.open()))


def test_help_is_worth_reading_and_quick():
    code = (
        "import sys; from similearn.cli.app import run; run(['--help']); "
        "print(sorted({'sklearn', 'matplotlib', 'numba', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=WIDE, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for command in ("demo", "inspect", "compare", "methods", "fit", "predict", "reproduce"):
        assert command in done.stdout
    assert "Start with similearn demo" in done.stdout


@pytest.mark.parametrize("command", ["demo", "inspect", "compare", "fit", "predict", "reproduce"])
def test_every_command_shows_an_example(command, capsys):
    assert run([command, "--help"]) == 0
    assert f"similearn {command}" in capsys.readouterr().out.split("Example")[1]


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"similearn {__version__}"


def test_methods_are_listed_with_their_sources(capsys):
    assert run(["methods"]) == 0
    out = capsys.readouterr().out
    assert "affinity-knn" in out and "JMLR" in out


@pytest.mark.parametrize("count", [3, pytest.param(None, marks=pytest.mark.exhaustive)])
def test_demo(count, tmp_path, monkeypatch, capsys):
    """By default with the first methods; CI runs the command as it is."""
    monkeypatch.chdir(tmp_path)
    methods = [quick(method) for method in demonstrating.chosen_methods(None)[:count]]
    monkeypatch.setattr(demonstrating, "chosen_methods", lambda _: methods)
    assert run(["demo", "--splits", "1", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "House votes of 1984" in out and "affinity-knn †" in out
    assert "auto " in out  # the default is among the first that are shown
    for name in ("dissimilarities.png", "spectrum.png", "table.md", "results.jsonl"):
        assert f"Wrote similearn-demo/{name}" in out
        assert (tmp_path / "similearn-demo" / name).stat().st_size > 0
    rows = json.loads((tmp_path / "similearn-demo" / "table.json").read_text())["rows"]
    # A single split of 87 members; chance would be 39 %.
    assert all(row["error_mean"] < 0.25 and row["splits"] == 1 for row in rows)


def test_inspect_tells_and_draws(data, capsys):
    assert run(["inspect", "birds.npz", "-o", "pictures"]) == 0
    out = capsys.readouterr().out
    assert "Samples: 60 (similarity)" in out and "Error by the nearest sample" in out
    for name in ("similarities.png", "spectrum.png"):
        assert f"Wrote pictures/{name}" in out
        assert (data / "pictures" / name).read_bytes().startswith(b"\x89PNG")


def test_compare_writes_all_tables(data, capsys):
    arguments = ["compare", "birds.npz", "--methods", "knn, affinity-knn", "--splits", "2"]
    assert run(arguments) == 0
    assert "birds" in capsys.readouterr().out
    folder = data / "similearn-birds"
    assert sorted(p.name for p in folder.iterdir()) == [
        "results.jsonl", "table.csv", "table.json", "table.md", "table.txt",
    ]  # fmt: skip
    assert {row["method"] for row in read(folder / "table.csv")} == {"knn", "affinity-knn"}


def waiting_for(path, lines, process):
    """Return when a file has so many lines and its writer is still at work."""
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        if process.poll() is not None:
            raise AssertionError(f"it ended before it could be stopped: {process.stderr.read()}")
        time.sleep(0.005)


def started(folder, splits):
    arguments = ("compare", "birds.npz", "--methods", "knn,affinity-knn", "-o", str(folder))
    return subprocess.Popen(
        [*COMMAND, *arguments, "--splits", str(splits)],
        env=WIDE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def outcome(folder):
    """The table without times."""
    rows = json.loads((folder / "table.json").read_text())["rows"]
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def test_killed_comparison_resumes_where_it_stopped(data):
    splits = 20
    process = started("killed", splits)
    waiting_for(data / "killed" / "results.jsonl", 5, process)
    process.kill()
    process.communicate()
    kept = (data / "killed" / "results.jsonl").read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    assert 5 <= kept.count(b"\n") < 2 * splits
    assert not (data / "killed" / "table.txt").exists()
    arguments = ["compare", "birds.npz", "--methods", "knn,affinity-knn", "--splits", str(splits)]
    assert run([*arguments, "-o", "killed"]) == 0
    assert run([*arguments, "-o", "whole"]) == 0
    results = (data / "killed" / "results.jsonl").read_bytes()
    assert results.startswith(kept)  # nothing that was finished is done again
    assert results.count(b"\n") == 2 * splits
    assert outcome(data / "killed") == outcome(data / "whole")


def test_interrupted_comparison_says_how_to_go_on(data):
    process = started("stopped", 200)
    waiting_for(data / "stopped" / "results.jsonl", 2, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted. What is done is kept in stopped/results.jsonl" in errors
    assert "Traceback" not in errors


def test_fit_here_and_predict_in_another_process(data, capsys):
    assert run(["fit", "birds.npz", "--method", "rbf-sim-knn", "-o", "model"]) == 0
    out = capsys.readouterr().out
    assert "Fitted rbf-sim-knn to 60 samples, n_neighbors = " in out
    assert "Validated: error of " in out and "% in 10-fold cross-validation" in out
    done = similearn("predict", "model", "queries.csv", "-o", "out.csv", cwd=data)
    assert done.returncode == 0, done.stderr
    rows = read(data / "out.csv")
    assert len(rows) == 5
    for row in rows:
        shares = {name: float(row[f"probability of {name}"]) for name in ("red", "green", "blue")}
        assert sum(shares.values()) == pytest.approx(1)
        assert shares[row["label"]] == max(shares.values())


def test_queries_of_the_other_kind_are_told_apart(data, capsys):
    assert run(["fit", "birds.npz", "--method", "knn", "-o", "model"]) == 0
    np.savez("distances.npz", D=np.ones((3, 60)), kind="dissimilarity")
    assert run(["predict", "model", "distances.npz", "-o", "out.csv"]) == 2
    assert "holds a dissimilarity, but the model was fitted to a simi" in capsys.readouterr().err
    (data / "queries.csv").write_text("1,2,x\n1,2,x\n")
    assert run(["predict", "model", "queries.csv", "-o", "out.csv"]) == 2
    assert "queries.csv, line 2" in capsys.readouterr().err
    assert not (data / "out.csv").exists()


def test_nothing_is_overwritten_without_force(data, capsys):
    assert run(["fit", "birds.npz", "--method", "knn", "-o", "model"]) == 0
    for arguments in (
        ["fit", "birds.npz", "--method", "knn", "-o", "model"],
        ["predict", "model", "queries.csv", "-o", "birds.npz"],
    ):
        assert run(arguments) == 2
        assert "exists already. Choose another name, or say --force." in capsys.readouterr().err
    assert run(["fit", "birds.npz", "--method", "knn", "-o", "model", "--force"]) == 0


def test_warnings_are_sentences(data, capsys, monkeypatch):
    monkeypatch.setattr("similearn.experiments.models.model_fitting.__version__", "0.0.9")
    assert run(["fit", "birds.npz", "--method", "knn", "-o", "model"]) == 0
    monkeypatch.undo()
    capsys.readouterr()
    files = [str(data / name) for name in ("model", "queries.csv", "out.csv")]
    assert run(["predict", *files[:2], "-o", files[2]]) == 0
    errors = capsys.readouterr().err
    assert errors.startswith("Warning: ") and errors.count("\n") == 1
    assert "was written by similearn 0.0.9" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "bird.npz"], "bird.npz does not exist. Did you mean birds.npz?"),
        (["compare", "birds.npz", "--methods", "kn"], "No method is named 'kn'. Did you mean knn?"),
        (["compare", "birds.npz", "--methods", " ,"], "--methods is empty"),
        (["compare", "queries.csv"], "--kind similarity"),
        (["compare", "queries.csv", "--kind", "similarity"], "There are no labels"),
        (["fit", "birds.npz", "--method", "x", "-o", "m"], "No method is named 'x'"),
        (["predict", "birds.npz", "queries.csv", "-o", "out.csv"], "no model file"),
    ],
)
def test_what_the_user_can_mend_is_one_sentence(data, capsys, monkeypatch, arguments, message):
    monkeypatch.setenv("COLUMNS", "200")
    if "--kind" in arguments:  # as many labels as a comparison needs are not the point
        np.savetxt(data / "queries.csv", np.eye(30), delimiter=",")
    assert run(arguments) == 2
    out, errors = capsys.readouterr()
    assert errors.startswith("Error: ") and errors.count("\n") == 1
    assert message in errors
    assert "Wrote" not in out


def test_wrong_usage_is_told_by_the_option(capsys):
    assert run(["compare", "birds.npz", "--splits", "0"]) == 2
    assert "--splits" in capsys.readouterr().err
    assert run(["compare"]) == 2


def test_without_typer_the_extra_is_named():
    code = (
        "import sys; sys.modules['typer'] = None; from similearn.cli import main; main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: the command line needs typer")
    assert "pip install 'similearn[cli]'" in done.stderr


def test_fit_needs_no_method(data, capsys):
    assert run(["fit", "birds.npz", "-o", "auto.model", "--effort", "quick"]) == 0
    out = capsys.readouterr().out
    assert "log-loss" in out and "Fitted auto" in out
    assert run(["predict", "auto.model", "birds.npz", "-o", "labels.csv"]) == 0
    assert (data / "labels.csv").read_text().startswith("label,probability of")


def test_inspect_ends_with_what_to_type_next(data, capsys):
    assert run(["inspect", "birds.npz", "--kind", "similarity"]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == "Next: similearn fit birds.npz --kind similarity -o birds.model"


def test_holes_of_new_samples_are_told_and_costs_are_shown(data, capsys):
    rows = (data / "queries.csv").read_text().splitlines()
    labels = np.unique(np.load(data / "birds.npz")["y"])
    (data / "costs.csv").write_text(f"{labels[0]},{labels[1]},5\n")
    words = ["fit", "birds.npz", "-o", "birds.model", "--method", "knn", "--costs", "costs.csv"]
    assert run(words) == 0
    assert run(["show", "birds.model"]) == 0
    told = f"Costs:       5 for deciding {labels[0]} where {labels[1]} is true"
    assert told in capsys.readouterr().out
    (data / "holes.csv").write_text("," + rows[0].split(",", 1)[1] + "\n")
    words = ["predict", "birds.model", "holes.csv", "--missing", "fill", "-o", "labels.csv"]
    assert run(words) == 0
    assert f"1 of {rows[0].count(',') + 1} values were missing" in capsys.readouterr().out


def test_the_order_of_a_comparison_is_told(data, capsys):
    words = ["compare", "birds.npz", "--methods", "knn", "--splits", "2"]
    assert run([*words, "--scoring", "balanced-error", "-o", "one"]) == 0
    assert "rows ordered, by balanced error." in capsys.readouterr().out
    assert run([*words, "-o", "two"]) == 0
    assert "rows ordered" not in capsys.readouterr().out
