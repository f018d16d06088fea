"""The documentation site is complete, and its commands exist. Sphinx checks its links."""

import ast
import builtins
import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import similearn
from similearn import convert, datasets, plots, similarities
from similearn.data.edges import completing
from similearn.experiments.registry import methods
from similearn.selection.auto.portfolio import OF_SLOW_PAIRS, stages_for
from tests.shell_lines import check_shell_lines

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.rst")
    if not {"_build", "_templates", "gallery", "generated"} & set(page.parts)
    and page.name != "sg_execution_times.rst"
)


def listed(heading):
    """Names of the autosummary tables below a module's heading in the API."""
    text = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    modules = re.split(r"^\.\. currentmodule:: (.+)$", text, flags=re.MULTILINE)
    section = dict(zip(modules[1::2], modules[2::2], strict=True))[heading]
    return sorted(re.findall(r"^   (\w+)$", section, flags=re.MULTILINE))


def is_current(name):
    return not (inspect.getdoc(getattr(similearn, name)) or "").startswith("Old name")


def test_the_api_lists_every_public_name():
    modules = {"__version__", "convert", "datasets", "plots"}
    names = [name for name in similearn.__all__ if name not in modules and is_current(name)]
    assert listed("similearn") == sorted(names)


def test_the_api_lists_every_similarity_data_set_and_conversion():
    assert listed("similearn.similarities") == sorted(similarities.__all__)
    made = [n for n in dir(datasets) if n.startswith(("load_", "make_"))]
    assert listed("similearn.data.datasets") == sorted(made)
    conversions = [
        name
        for name, function in inspect.getmembers(convert, inspect.isfunction)
        if function.__module__ in (convert.__name__, completing.__name__) and name[0] != "_"
    ]
    assert listed("similearn.data.convert") == sorted(conversions)
    assert listed("similearn.plots") == sorted(plots.__all__)


def test_the_table_of_methods_is_that_of_the_registry():
    table = (DOCS / "methods" / "table.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", table, flags=re.MULTILINE)
    assert rows == [(method.name, method.summary, method.source) for method in methods()]


def test_the_page_of_methods_explains_every_name_of_the_leaderboard():
    table = (DOCS / "methods" / "table.md").read_text(encoding="utf-8")
    members = [member for stage in stages_for("thorough") for member in stage]
    assert [m.name for m in (*members, *OF_SLOW_PAIRS) if f"`{m.name}`" not in table] == []


def public_objects():
    modules = ("similearn", "similearn.similarities", "similearn.data.convert", "similearn.plots")
    for module in modules:
        home = import_module(module)
        yield from ((name, getattr(home, name)) for name in listed(module))
    yield from ((name, getattr(datasets, name)) for name in listed("similearn.data.datasets"))


def test_every_public_name_has_an_example_that_runs():
    # pytest runs them: `testpaths` holds src, with --doctest-modules.
    data = {"registry"}
    lacking = [
        name for name, what in public_objects() if name not in data and ">>>" not in what.__doc__
    ]
    assert lacking == []


def test_every_example_imports_what_it_uses():
    # So that it runs where a reader pastes it, not in its module alone.
    for name, what in public_objects():
        examples = doctest.DocTestParser().get_examples(inspect.getdoc(what) or "")
        nodes = [n for example in examples for n in ast.walk(ast.parse(example.source))]
        bound = set(dir(builtins)) | {n.arg for n in nodes if isinstance(n, ast.arg)}
        bound |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        bound |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {
            (alias.asname or alias.name).partition(".")[0]
            for n in nodes
            if isinstance(n, ast.Import | ast.ImportFrom)
            for alias in n.names
        }
        used = {n.id for n in nodes if isinstance(n, ast.Name)}
        assert used <= bound, name


def test_every_function_tells_its_parameters():
    for name, what in public_objects():
        if not inspect.isfunction(what):
            continue
        told = inspect.getdoc(what)
        missing = [p for p in inspect.signature(what).parameters if not _is_told(p, told)]
        assert missing == [], name


def _is_told(parameter, text):
    """Whether a line of a docstring, "a, b : what they are", names a parameter."""
    return re.search(rf"^[*\w, ]*\b{parameter}\b[*\w, ]* :", text, flags=re.MULTILINE)


def test_no_summary_ends_at_an_abbreviation():
    # The table of the API shows a summary up to its first full stop.
    cut = r"\b(eq|eqs|e\.g|i\.e|cf|vs)\. "
    lines = [(name, inspect.getdoc(what).partition("\n\n")[0]) for name, what in public_objects()]
    assert [name for name, line in lines if name != "registry" and re.search(cut, line)] == []


def test_every_estimator_tells_its_parameters_and_attributes():
    for name, what in public_objects():
        if not (inspect.isclass(what) and issubclass(what, BaseEstimator)):
            continue
        told = inspect.getdoc(what)
        wanted = [p for p in inspect.signature(what).parameters if p not in ("args", "kwargs")]
        missing = [p for p in wanted if not re.search(rf"\b{p}\b.* :|\b{p}, .* :", told)]
        assert missing == [], name
        has_state = hasattr(what, "predict") or hasattr(what, "transform")
        assert not has_state or "Attributes\n---" in told, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_of_a_page_exist(page):
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^\.\. code-block:: sh\n\n((?:   .*\n|\n)+)", text, flags=re.MULTILINE)
    check_shell_lines([line.strip() for block in blocks for line in block.splitlines()])
