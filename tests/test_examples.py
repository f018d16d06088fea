"""Every example of the gallery runs, from start to end, in an empty folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_runs(file, tmp_path):
    environment = os.environ | {"MPLBACKEND": "Agg"}
    run = subprocess.run(
        [sys.executable, "-W", "error::similearn.errors.SimilearnWarning", str(file)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if "MissingExtraError" in run.stderr:
        pytest.skip(run.stderr.strip().splitlines()[-1])
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip(), "an example should say what it found"
    if "savefig" in file.read_text():
        assert list(tmp_path.glob("*.png"))


def test_there_are_examples():
    assert EXAMPLES
