"""Comparisons that are killed at random times, and go on to the same table, bit for bit.

A trial starts ``similearn compare``, ends it or one of its workers by a signal once or twice,
lets it go on to its end, and compares every record and table with those of an undisturbed run,
all but the seconds. What a killed run leaves behind is counted: processes, temporary files.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Result, benchmark

TRIALS, SPLITS = 12, 6
METHODS = ("knn", "affinity-knn", "sda")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SECONDS = {"fit_seconds", "predict_seconds", "compile_seconds"}
RESULTS = {"results.jsonl", "table.txt", "table.csv", "table.json", "table.md"}
PATIENCE = 15.0  # seconds in which workers must have ended after their parent


@dataclass
class Trial:
    """What went wrong in one trial; nothing, if all is well."""

    told: str
    wrong: dict[str, str] = field(default_factory=dict)


@benchmark
def faults():
    """How many of the killed comparisons end as the undisturbed one does."""
    seed = int(np.random.default_rng().integers(2**31))
    with TemporaryDirectory() as folder:
        trials = run_trials(Path(folder), np.random.default_rng(seed), TRIALS)
    notes = {"seed": seed, "trials": [t.told for t in trials]}
    notes["wrong"] = [f"{t.told}: {t.wrong}" for t in trials if t.wrong]
    results = []
    for name, what in ASKED.items():
        good = sum(name not in trial.wrong for trial in trials)
        results.append(Result(what, len(trials), good, 1, unit="runs", notes=notes))
    return results


ASKED = {
    "table": "killed comparisons that give the undisturbed table",
    "processes": "killed comparisons whose workers end with them",
    "files": "killed comparisons without temporary files",
    "traceback": "killed comparisons without a traceback",
}


def run_trials(folder, rng, count):
    """Run trials in a folder; the undisturbed comparison is the first."""
    make_data(folder)
    wait(start(folder, "whole", 1), 300)
    expected = outcome(folder / "whole")
    return [run_trial(folder, rng, f"trial-{i}", expected) for i in range(count)]


def run_trial(folder, rng, name, expected):
    """Disturb one comparison, let it end, and judge it."""
    jobs = int(rng.choice([1, 2]))
    trial = Trial(f"{jobs} job(s)")
    for _ in range(int(rng.integers(1, 3))):
        disturb(folder, rng, name, jobs, trial)
    process = start(folder, name, jobs)
    if wait(process, 300) != 0 or outcome(folder / name) != expected:
        trial.wrong["table"] = f"exit code {process.returncode}, or another result"
    left = {path.name for path in (folder / name).iterdir()} - RESULTS
    left |= {path.name for path in temporary(folder, name).iterdir()}
    if left:
        trial.wrong["files"] = ", ".join(sorted(left))
    return trial


def disturb(folder, rng, name, jobs, trial):
    """Start or go on, and send a signal at a random time."""
    process = start(folder, name, jobs)
    sent, worker = SIGNALS[int(rng.integers(len(SIGNALS)))], jobs > 1 and rng.random() < 0.4
    wait_for_records(folder / name / "results.jsonl", int(rng.integers(0, 12)), process)
    time.sleep(float(rng.random() * 0.3))
    members = [pid for pid in processes_of(process.pid) if pid != process.pid and is_worker(pid)]
    target = int(rng.choice(members)) if worker and members else process.pid
    trial.told += f", {sent.name} to {'a worker' if target != process.pid else 'it'}"
    try:
        os.kill(target, sent)
    except ProcessLookupError:
        trial.told += " (over before)"
    wait(process, 120)
    deadline = time.monotonic() + PATIENCE
    while processes_of(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left := processes_of(process.pid):
        trial.wrong["processes"] = f"{len(left)} still at work"
        os.killpg(process.pid, signal.SIGKILL)
    if "Traceback" in (folder / f"{name}.err").read_text():
        trial.wrong["traceback"] = (folder / f"{name}.err").read_text()[-500:]


def start(folder, name, jobs):
    """Start a comparison as a session of its own, so that its processes can be found."""
    command = [sys.executable, "-m", "similearn.cli", "compare", "data.npz", "-o", name]
    command += ["--methods", ",".join(METHODS), "--splits", str(SPLITS), "--jobs", str(jobs)]
    with open(folder / f"{name}.err", "w") as errors:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"TMPDIR": str(temporary(folder, name))},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


def temporary(folder, name):
    """The folder for temporary files of one trial."""
    path = folder / f"{name}.temporary"
    path.mkdir(exist_ok=True)
    return path


def wait(process, seconds):
    """Wait for the end, and give the exit code; None if there was none in time."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def wait_for_records(path, count, process):
    """Wait until so many records are stored, or the comparison is over."""
    while process.poll() is None:
        if is_open(path, process.pid) and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.02)


def is_open(path, pid):
    """Whether a process works on a file."""
    try:
        return any(link.resolve() == path.resolve() for link in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def processes_of(session):
    """The living processes of a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state != "Z":
            found.append(int(folder.name))
    return found


def is_worker(pid):
    """Whether a process works for a comparison; a tracker of resources tidies up after others."""
    try:
        return b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def outcome(folder):
    """Every record and the table, without the seconds."""
    lines = (folder / "results.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    records = [{k: v for k, v in record.items() if k not in SECONDS} for record in records]
    with open(folder / "table.csv", newline="") as file:
        rows = [{k: v for k, v in row.items() if "econds" not in k} for row in csv.DictReader(file)]
    return sorted(records, key=lambda record: record["key"]), rows


def make_data(folder):
    """Two classes that similarities tell apart, more or less."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.standard_normal((80, 3)) + y[:, None]
    np.savez(folder / "data.npz", S=-np.abs(X[:, None] - X).sum(axis=2), y=y)
