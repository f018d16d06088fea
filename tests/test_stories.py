"""Every story of ``examples/stories`` goes from files to labels, one command per step."""

import csv
import io
import json
import runpy
from pathlib import Path

import pytest

from similearn.cli.app import run
from similearn.errors import MissingExtraError
from similearn.similarities import get_similarity
from tests.shell_lines import calls_of, piped, quick

STORIES = Path(__file__).parents[1] / "examples" / "stories"
EXPECTED = {
    "proteins": ["globin", "kinase", "protease"] * 2,
    "blast": ["globin", "kinase", "protease"] * 2,
    "names": ["Finnish", "Italian", "Japanese"],
    "phylip": ["north", "north", "middle", "south"],
    "molecules": ["alcohol", "acid", "amine"],
    "survey": ["target", "clutter"] * 2,
}
NEEDS = {"proteins": "smith_waterman", "names": "jaro_winkler"}


def steps(story):
    """Commands of a story, each with what is piped into it."""
    return calls_of((STORIES / f"{story}.sh").read_text(encoding="utf-8").splitlines())


def labels_of(path, out):
    if path.suffix == ".jsonl":
        return [json.loads(line)["label"] for line in path.read_text().splitlines()]
    text = path.read_text(encoding="utf-8") if path.exists() else out
    return [row["label"] for row in csv.DictReader(io.StringIO(text))]


def test_every_story_is_expected():
    assert {path.stem for path in STORIES.glob("*.sh")} == set(EXPECTED)


@pytest.mark.parametrize("story", EXPECTED)
def test_a_story_ends_with_the_right_labels(story, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        get_similarity(NEEDS.get(story, "ngrams"))
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    runpy.run_path(str(STORIES / "make_data.py"))["make_files"](story, tmp_path)
    for words, before in steps(story):
        monkeypatch.setattr("sys.stdin", io.StringIO(piped(before)))
        capsys.readouterr()
        assert run(quick(words)) == 0, capsys.readouterr().err
    ending = ".jsonl" if story == "molecules" else ".csv"
    assert labels_of(tmp_path / f"predicted{ending}", capsys.readouterr().out) == EXPECTED[story]
