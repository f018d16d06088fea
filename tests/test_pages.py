"""Programs and commands of pages and README run, on small files of the names that they use."""

import io
import re
import runpy
import textwrap
from pathlib import Path

import numpy as np
import pytest

from similearn import SimilarityClassifier, datasets, save
from similearn.cli.app import run
from tests.shell_lines import calls_of, piped, quick
from tests.test_stories import STORIES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([DOCS / "index.rst", *DOCS.glob("start/*.rst"), *DOCS.glob("guide/*.rst")])


def blocks(page, language):
    """Code of a page in one language; what has prompts is run as a doctest."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)
    found = re.findall(
        rf"^\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)", text, flags=re.MULTILINE
    )
    return [textwrap.dedent(block) for block in found]


def matrix():
    """Scores as arrays and as text, of labelled samples and of two new ones."""
    S, y = datasets.make_similarities(30, n_classes=3, return_X_y=True)
    np.savez("scores.npz", S=S.values, y=y, kind="similarity")
    np.savez("new.npz", S=S.values[:2], kind="similarity")
    np.fill_diagonal(far := 9 - S.values, 0)
    for name, values in (("scores", S.values), ("new", S.values[:2]), ("far", far)):
        np.savetxt(f"{name}.csv", values, delimiter=",")
    np.savetxt("labels.txt", y, fmt="class-%d")


def story(name):
    """Files of one of the stories."""
    return lambda: runpy.run_path(str(STORIES / "make_data.py"))["make_files"](name)


def model_of_names():
    """The model that the page on use has from elsewhere, and names to come."""
    story("names")()
    rows = [line.split(",") for line in Path("names.csv").read_text().split()[1:]]
    model = SimilarityClassifier(similarity="ngrams", effort="quick", progress=False)
    save(model.fit([name for name, _ in rows], [language for _, language in rows]), "names.model")
    Path("new-names.txt").write_text("jokinen\ncaruso\n")


def compared():
    """A model, and the folder of a comparison."""
    run(["fit", "scores.npz", "--method", "knn", "-o", "scores.model"])
    run(quick(["compare", "scores.npz"]))


def judgements():
    """A matrix with ids and holes, and two new rows of it."""
    S, y = datasets.make_similarities(30, asymmetry=0.3, indefinite=0.3, return_X_y=True)
    holes = np.random.default_rng(0).random(S.shape) < 0.1
    cells = np.where(holes, "", S.values.round(4).astype(str))
    names = [f"s{i}" for i in range(30)]
    head = ",".join(["", *names])
    rows = [",".join([name, *row]) for name, row in zip(names, cells, strict=True)]
    new = [",".join([name, *row]) for name, row in zip(("new1", "new2"), cells, strict=False)]
    Path("judgements.csv").write_text("\n".join([head, *rows]) + "\n")
    Path("new.csv").write_text("\n".join([head, *new]) + "\n")
    Path("kinds.csv").write_text("".join(f"{n},{k}\n" for n, k in zip(names, y, strict=True)))


def strings():
    """Strings with a group, and new ones without."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("aeikln" if i % 2 else "orstux"), 7)) for i in range(40)]
    rows = [f"{word},{i % 2}" for i, word in enumerate(words)]
    Path("strings.csv").write_text("\n".join(["text,group", *rows]) + "\n")
    Path("new.csv").write_text("text\naeikleo\ntuxotuo\n")


def trees():
    """Two matrices with ids, a table of features in another order, and labels by id."""
    S, y = datasets.make_similarities(30, n_classes=3, return_X_y=True)
    names = [f"tree{i}" for i in range(30)]
    np.fill_diagonal(far := 9 - S.values, 0)
    rows = [",".join([n, *row.astype(str)]) for n, row in zip(names, far, strict=True)]
    for file in ("leaf.csv", "bark.csv"):
        Path(file).write_text("\n".join([",".join(["", *names]), *rows]) + "\n")
    Path("species.csv").write_text("".join(f"{n},{g}\n" for n, g in zip(names, y, strict=True)))
    sizes = [f"{n},{g + 0.5},{i}" for i, (n, g) in enumerate(zip(names, y, strict=True))]
    Path("features.csv").write_text("\n".join(["tree,height,girth", *sizes[::-1]]) + "\n")


NEEDS = {
    "README.md": (story("proteins"), matrix),
    "start/shell.rst": (story("proteins"), matrix),
    "start/sources.rst": (trees,),
    "guide/costs.rst": (matrix,),
    "guide/deploy.rst": (matrix, model_of_names),
    "guide/holes.rst": (judgements,),
    "guide/report.rst": (matrix, story("proteins"), compared),
    "guide/too-large.rst": (strings,),
}
SET_UP = {"start/installation.rst"}  # the first command of the README, which .ci/run types


def named(page):
    return str(page.relative_to(ROOT if page.suffix == ".md" else DOCS))


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A function that writes the files of a page into an empty folder."""
    monkeypatch.chdir(tmp_path)

    def prepare(page):
        for write in NEEDS.get(named(page), ()):
            write()

    return prepare


@pytest.fixture(autouse=True)
def less_effort(monkeypatch):
    """The default as programs and comparisons use it, with less effort: as `quick` fits it."""
    monkeypatch.setitem(SimilarityClassifier.__init__.__kwdefaults__, "effort", "quick")


WITH_COMMANDS = [
    page
    for page in (ROOT / "README.md", *PAGES)
    if blocks(page, "sh") and named(page) not in SET_UP
]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=named)
def test_commands_of_a_page_run(page, prepared, monkeypatch, capsys):
    pytest.importorskip("parasail")
    prepared(page)
    for block in blocks(page, "sh"):
        for words, before in calls_of(block.splitlines()):
            monkeypatch.setattr("sys.stdin", io.StringIO(piped(before)))
            assert run(quick(words)) == 0, capsys.readouterr().err


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=named)
def test_programs_of_a_page_run(page, prepared, monkeypatch, capsys):
    prepared(page)
    monkeypatch.setattr("sys.stdin", io.StringIO("jokinen\ncaruso\n"))
    shared = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        block = block.replace("local:2", "local:1")  # one process does what two do
        exec(compile(block, named(page), "exec"), shared)
