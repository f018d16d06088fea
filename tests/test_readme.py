"""What the README says is true."""

import json
import re
from pathlib import Path

import pytest

from tests.shell_lines import check_shell_lines

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = json.loads((ROOT / "benchmarks.json").read_text(encoding="utf-8"))["results"]


def fenced(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_example_runs(capsys):
    (example,) = fenced("python")
    exec(compile(example, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert all(word in out for word in ("Finnish", "log-loss", "value"))


PROMISES = {  # what a row of the table begins with: what begins the names of its measurements
    "Nearest neighbours": "k-NN predict, n=",
    "A support vector machine for every query": "LocalSVC predict",
    "Every neighbourhood and ridge": "KRR grid",
}


@pytest.mark.parametrize(("row", "benchmark"), PROMISES.items())
def test_promised_ratios_were_measured(row, benchmark):
    (times,) = re.findall(rf"^\| {row}.* at least (\d+) times", README, flags=re.MULTILINE)
    measured = [r["ratio"] for r in RESULTS if r["name"].startswith(benchmark)]
    assert measured and min(measured) >= int(times)


def test_promised_seconds_were_measured():
    (seconds,) = re.findall(r"No estimator compiles for more than (\d+) seconds", README)
    cold = [r["ours"] for r in RESULTS if re.match(r"cold .*, \d+ compiled", r["name"])]
    assert cold and max(cold) <= int(seconds)


def test_the_promised_cells_are_those_of_the_reproduction():
    (cells,) = re.findall(r"(\d+ of \d+) printed cells agree, ours is lower in 40", README)
    reproduction = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert f"{cells} cells agree, ours is lower in 40 and higher in 39" in reproduction


def test_the_shell_examples_name_commands_and_methods_that_exist():
    assert check_shell_lines([line for block in fenced("sh") for line in block.splitlines()]) >= 4


def test_the_two_set_up_commands():
    assert 'pip install ".[cli]" && similearn demo' in README
    assert 'pip install -e ".[test]" && pytest' in README


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([\w./-]+)\)", README):
        assert (ROOT / target).exists(), target
