"""Every example of the gallery runs, from start to end, in an empty folder."""

import runpy
import warnings
from pathlib import Path

import pytest

from similearn.errors import MissingExtraError

ROOT = Path(__file__).parents[1] / "examples"
# Stories are told in the shell: tests/test_stories.py runs them.
EXAMPLES = sorted(file for file in ROOT.rglob("*.py") if file.parent.name != "stories")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: str(file.relative_to(ROOT)))
def test_example_runs(file, tmp_path, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        try:
            runpy.run_path(str(file), run_name="__main__")
            figures = pyplot.get_fignums()
        except MissingExtraError as missing:
            pytest.skip(str(missing))
        finally:
            pyplot.close("all")
    assert capsys.readouterr().out.strip(), "an example should say what it found"
    assert figures or "matplotlib" not in file.read_text(encoding="utf-8")


def test_every_section_of_the_gallery_is_introduced():
    for folder in {file.parent for file in EXAMPLES}:
        assert (folder / "README.rst").exists(), folder
