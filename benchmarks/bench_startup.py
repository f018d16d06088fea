"""How long the shell takes to begin: seconds on the clock of commands that have little to do."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Result, benchmark, with_bytecode

N, REPEATS, BAR = 60, 5, 1.0
MODELS = {"k-NN": ["--method", "knn"], "the default": []}


@benchmark
def startup():
    """One row labelled by a k-NN model and by a default model, and what needs no model."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_problem(folder)
        commands = {"`similearn --help`": ["--help"]}
        for label, options in MODELS.items():
            model = f"{label}.model"
            fit = ["fit", "S.csv", "--labels", "y.csv", "--kind", "similarity", "-o", model]
            _run([*fit, *options], folder)
            commands[f"one row by {label}"] = ["predict", model, "query.csv"]
        best = {label: _best(command, folder) for label, command in commands.items()}
    return [
        Result(f"start-up, {label}", seconds, BAR, 1, False, rival_name="the bar")
        for label, seconds in best.items()
    ]


def _write_problem(folder: Path) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(N + 1, 3)) + 2.0 * (np.arange(N + 1) % 2)[:, None]
    S = np.exp(-np.sqrt(((points[:, None] - points) ** 2).sum(axis=2)))
    np.savetxt(folder / "S.csv", S[:N, :N], delimiter=",")
    np.savetxt(folder / "query.csv", S[N:, :N], delimiter=",")
    (folder / "y.csv").write_text("\n".join("ab"[i % 2] for i in range(N)) + "\n")


def _best(command: list[str], folder: Path) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        _run(command, folder)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _run(command: list[str], folder: Path) -> None:
    whole = [sys.executable, "-m", "similearn.cli", *command]
    subprocess.run(whole, cwd=folder, check=True, capture_output=True, env=with_bytecode())
