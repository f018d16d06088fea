"""Whatever the command line is given, it ends with a sentence and the right code."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from similearn.cli.app import run
from similearn.data.files.outputs import require_folder, require_writable, safe_cell, written
from similearn.errors import FileError
from similearn.experiments.comparisons import runner

ESCAPE = "\x1b[31mred"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    x = rng.normal(size=40) + 3 * y
    S = np.exp(-abs(x[:, None] - x))
    labels = np.where(y == 0, "=cmd()", ESCAPE)
    np.savez(tmp_path / "s.npz", S=S, y=labels, kind="similarity")
    np.savez(tmp_path / "fractions.npz", S=S, y=x, kind="similarity")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, code, arguments):
    assert run(arguments) == code
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "\x1b" not in captured.out + captured.err
    return captured.out + captured.err


def test_outputs_are_refused_before_any_work(folder, capsys):
    (folder / "file").write_text("mine")
    fit = ["fit", "s.npz", "--method", "knn", "-o"]
    for output, why in (
        ("file/model", "a part of its path is a file"),
        (".", "it is a folder"),
        ("x" * 300, "the name is too long"),
        ("file", "exists already"),
    ):
        assert why in told(capsys, 2, [*fit, output])
    compare = ["compare", "s.npz", "--methods", "knn", "-o", "file"]
    assert "file is a file; expected a folder" in told(capsys, 2, compare)
    both = [*fit, "new", "--report", "./new"]
    assert "cannot hold the model and the report" in told(capsys, 2, both)
    assert (folder / "file").read_text() == "mine"
    assert sorted(os.listdir()) == ["file", "fractions.npz", "s.npz"]


def test_jobs_and_labels_that_mean_nothing(folder, capsys):
    assert "--jobs 0" in told(capsys, 2, ["compare", "s.npz", "--jobs", "0"])
    assert "expected classes" in told(capsys, 2, ["compare", "fractions.npz", "--methods", "knn"])


def test_nothing_is_written_where_a_part_of_the_answer_is_refused(folder, capsys):
    told(capsys, 0, ["fit", "s.npz", "--method", "knn", "-o", "model"])
    predict = ["predict", "model", "s.npz", "-o", "labels.csv", "--why", "nobody"]
    assert "There is no new sample" in told(capsys, 2, predict)
    assert not (folder / "labels.csv").exists()


def test_escapes_and_formulas_go_nowhere(folder, capsys):
    told(capsys, 0, ["fit", "s.npz", "--method", "knn", "-o", "model"])
    out = told(capsys, 0, ["predict", "model", "s.npz", "-o", "-"])
    assert "\n'=cmd()," in out
    assert "\\x1b[31mred" in out
    told(capsys, 2, ["inspect", f"{ESCAPE}.npz"])
    told(capsys, 0, ["inspect", "s.npz", "-o", "pictures$a$"])
    assert safe_cell("\ud800") == r"\ud800"
    assert safe_cell("-1.5") == "-1.5"
    assert safe_cell(-1.5) == -1.5
    assert safe_cell("@SUM(A1)") == "'@SUM(A1)"


def test_names_that_are_no_utf8_or_very_long(folder, capsys):
    for name in (os.fsdecode(b"\xff.npz"), "x" * 251 + ".npz"):
        os.link("s.npz", name)
        told(capsys, 0, ["inspect", name, "-o", "pictures"])


def test_a_fault_of_ours_is_logged(folder, capsys, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr("similearn.experiments.things.samples_read.read_pairwise", broken)
    out = told(capsys, 1, ["inspect", "s.npz"])
    path = next(word for word in out.split() if ".log" in word).rstrip(":")
    assert "of our own making" in open(path).read()
    os.unlink(path)


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left"), 2, "the disk is full"),
        (MemoryError(), 2, "not enough memory"),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_the_system_refuses(folder, capsys, monkeypatch, error, code, sentence):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr("similearn.experiments.things.samples_read.read_pairwise", refuse)
    assert sentence in told(capsys, code, ["inspect", "s.npz"])


def test_any_failure_of_a_method_is_one_cell(folder, capsys, monkeypatch):
    measured = runner._measured

    def broken(unit):
        if unit.method.name == "sda":
            raise IndexError("beyond\nthe end")
        return measured(unit)

    monkeypatch.setattr(runner, "_measured", broken)
    arguments = ["compare", "s.npz", "--methods", "knn,sda", "--splits", "2", "-o", "out"]
    out = told(capsys, 0, arguments)
    assert "sda failed: Internal error" in " ".join(out.split())


def test_links_are_followed_and_devices_written_to(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    with written(link) as out:
        out.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    with written(pipe) as out:
        out.write("through")
    reader.join(10)
    assert found == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(ZeroDivisionError), written(target) as out:
        out.write("half")
        raise ZeroDivisionError
    assert target.read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe", "target"]
    require_writable(target)
    require_folder(tmp_path / "new" / "folder")
    with pytest.raises(FileError, match="is a file"):
        require_folder(target)
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs names of open streams")
def test_an_open_pipe_is_written_to_by_its_name():
    reading, writing = os.pipe()
    require_writable(f"/dev/fd/{writing}")
    with written(f"/dev/fd/{writing}") as out:
        out.write("through")
    os.close(writing)
    with open(reading) as stream:
        assert stream.read() == "through"


def test_what_the_system_calls_standard_output_is_not_told_about_there(folder, capsys):
    told(capsys, 0, ["fit", "s.npz", "--method", "knn", "-o", "model"])
    assert run(["predict", "model", "s.npz", "-o", "/dev/stdout"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("label,") and "Labelled" not in captured.out
    assert "Labelled 40 samples" in captured.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_workers_end_with_their_parent(folder):
    # Workers import the module afresh, so that the slow unit is sent along.
    code = """
import os, time
from joblib import Parallel, delayed
from similearn.experiments.comparisons import runner

def slow(unit):
    open(f"worker-{os.getpid()}", "w").close()
    time.sleep(60)

def run(parent, unit):
    runner.run_unit = slow
    return runner._run_for(parent, unit)

Parallel(2)(delayed(run)(os.getpid(), i) for i in range(2))
"""
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=folder)
    deadline = time.monotonic() + 60
    while len(list(folder.glob("worker-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    workers = [int(path.name.split("-")[1]) for path in folder.glob("worker-*")]
    assert workers
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    while any(os.path.exists(f"/proc/{pid}") for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in workers)


@pytest.mark.parametrize(
    ("redirected", "environment"),
    [("0<&- >&- 2>&-", {}), (">/dev/null", {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})],
)
def test_streams_that_are_closed_or_speak_ascii(folder, redirected, environment):
    """No stream is needed, and a label that the terminal cannot show is spelled out."""
    np.savez("é.npz", S=np.eye(4), y=["é", "ü"] * 2, kind="similarity")
    command = f"{sys.executable} -m similearn.cli fit é.npz --method knn -o model {redirected}"
    done = subprocess.run(["sh", "-c", command], env=os.environ | environment, stderr=-1)
    assert done.returncode in (0, 2) and b"Traceback" not in done.stderr
    assert b"fault of its own" not in done.stderr


def test_what_a_sequence_is_wrong_with_is_told_in_options_that_there_are(folder, capsys):
    letters = np.random.default_rng(0).choice(list("ARNDCQEGHILK"), size=(12, 20))
    rows = [f">s{i} {'ab'[i % 2]}\n{''.join(row)}\n" for i, row in enumerate(letters)]
    (folder / "a.fasta").write_text("".join(rows))
    (folder / "y.tsv").write_text("".join(f"s{i}\t{'ab'[i % 2]}\n" for i in range(12)))
    fit = "fit a.fasta --labels y.tsv -s ngrams --method knn -o m --force".split()
    told(capsys, 0, fit)
    (folder / "bad.fasta").write_text(rows[0] + ">new\nARN1DCQ\n")
    said = told(capsys, 2, ["predict", "m", "bad.fasta"])
    assert "line 3 ('new'): the sequence holds '1'" in said
    assert "--objects" not in said and "Correct it, or leave the sequence out." in said
    fit[1] = "bad.fasta"
    assert "say --objects strings" in told(capsys, 2, fit)
