"""Settings of the documentation site: ``make -C docs html`` builds it, warnings are errors."""

import importlib.util
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from api_links import api_links
from matplotlib.sphinxext import plot_directive

from similearn import __version__
from similearn.numerics.compiling import say_nothing

say_nothing()  # or an example would print the folder in which the builder keeps machine code

project = "similearn"
author = "The similearn developers"
project_copyright = "The similearn developers, BSD-3-Clause"
release = version = __version__
language = "en"

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "sg_execution_times.rst",
    "auto/findings",
    "probabilities/findings",
    "reproduction/findings",
    "reproduction/results",
    "gallery/*.py.md5",
]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # the gallery's functions cannot be pickled

# Docstrings: numpydoc, one page per public name, written by autosummary from api/index.rst.
autosummary_generate = True
autosummary_context = {"api_links": api_links()}
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"  # "fit()", not "SimilarityClassifier.fit()", beside a page
numpydoc_show_class_members = False
default_role = "py:obj"

mathjax_path = "mathjax/tex-chtml.js"

# What is copied from an example runs as it is: without prompts, and without what was printed.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Markdown pages are those that other commands write, and those that people read in the repository.
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

# Pictures of the guide are made by the code beside them.
plot_formats = [("png", 110)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = True
plot_pre_code = ""
plot_rcparams = {
    "figure.figsize": (6.4, 3.2),
    "figure.constrained_layout.use": True,
    "font.size": 10,  # still read where a phone shrinks it
    "axes.spines.top": False,
    "axes.spines.right": False,
}
plot_apply_rcparams = True
if "tags" in globals() and tags.has("quick"):  # noqa: F821, Sphinx gives it; tests run all code
    plot_directive.render_figures = lambda code, *rest, **more: [(code, [])]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("similearn",),
    "reference_url": {"similearn": None},
    "subsection_order": [f"../examples/{part}" for part in ("matrices", "trust", "methods", "use")],
    "within_subsection_order": "ExampleTitleSortKey",
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 3600,  # the clock of a machine that builds other pages besides
    "show_memory": False,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "similearn"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["similearn.css"]
html_js_files = ["pages.js", "tables.js"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # dark where the reader's system is
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    # Long pages have their contents beside them; others give that room to code and tables.
    "secondary_sidebar_items": {
        page: ["page-toc"] for page in ("api/**", "reproduction", "reproduction/*", "glossary")
    },
}
html_sidebars = {"index": [], "glossary": []}

# Links of pages that also live in the repository, and what they become in the site.
_LINKS = {
    r"\]\(\.\./GLOSSARY\.md\)": "](glossary.md)",
    r"\[([^]]*)\]\(reproduction/results\)": r"`docs/reproduction/results`",
}


def _links_of_the_site(app, docname, source):
    for link, here in _LINKS.items():
        source[0] = re.sub(link, here, source[0])
    if docname in ("reproduction", "probabilities"):  # commands write them: they know no site
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n{docname}/*\n```\n"


# What has no docstring of its own.
_DATA = {
    "similearn.similarities.registry": "All similarities by name: ``sorted(registry)`` lists them, "
    "``registry[name]`` is one with its default parameters. `register` adds one of your own."
}


def _plain_words(text):
    """Names such as ``classes_`` and norms such as |x| are words, not links or substitutions."""
    text = re.sub(r"(?<![\w`:\\])(\w+)_(?![\w`])", r"\1\\_", text)
    return re.sub(r"\|([^\s|]+)\|", r"\\|\1\\|", text)


def _whole_entries(app, what, name, obj, options, lines):
    """Join the lines of "name : a sentence that goes on" which numpydoc would take apart."""
    entry = re.compile(r"( *)\*{0,2}\w[\w, *]* : .*")
    number = 0
    while number + 1 < len(lines):
        found = entry.fullmatch(lines[number])
        more = lines[number + 1]
        filled = len(lines[number]) > 72  # a line that was broken for want of room
        goes_on = found and filled and re.match(rf"{found[1]} +[a-z(`]", more)
        if goes_on and not re.search(r"\.$|optional$|default=.*$|\}$", lines[number]):
            lines[number] = f"{lines[number]} {more.strip()}"
            del lines[number + 1]
        else:
            number += 1


def _docstrings_of_the_site(app, what, name, obj, options, lines):
    """Escape what reStructuredText would misread: docstrings are written for people at a prompt.

    Roles of inherited docstrings, which point into scikit-learn's own site, become plain text.
    """
    if name in _DATA:
        lines[:] = [_DATA[name], ""]
    if any(line.startswith("Alias for field number") for line in lines):  # of any named tuple
        lines[:] = [""]
    block = None  # the indentation of a directive such as `.. math::`, while in it
    for number, line in enumerate(lines):
        line = re.sub(r":(?:ref|term|doc):`([^`<]+?)\s*<[^>]+>`", r"\1", line)
        line = re.sub(r":ref:`sphx_glr_[^`]*`", "scikit-learn's gallery", line)
        line = re.sub(r":(?:ref|term|doc):`([^`]+)`", r"``\1``", line)
        lines[number] = line
        indent = len(line) - len(line.lstrip())
        if block is not None and line.strip() and indent <= block:
            block = None
        if line.lstrip().startswith(".. ") or line.rstrip().endswith("::"):
            block = indent
        if block is not None or re.match(r"\s*(>>>|\.\.\. )", line):
            continue
        parts = re.split(r"(``.*?``|:\w+:`.*?`|`[^`]*`_?)", line)
        lines[number] = "".join(p if i % 2 else _plain_words(p) for i, p in enumerate(parts))


def _mathjax_of_the_site(app, error):
    """Copy what draws equations, so that the site needs no network."""
    if error is None and app.builder.format == "html":
        (home,) = importlib.util.find_spec("sphinx-mathjax-offline").submodule_search_locations
        here, there = Path(home) / "static" / "mathjax", Path(app.outdir) / "_static" / "mathjax"
        fonts = Path("output", "chtml", "fonts")
        shutil.copytree(here / fonts, there / fonts, dirs_exist_ok=True)
        shutil.copy(here / "tex-chtml.js", there)


def setup(app):
    """Rewrite links that leave the site's folder, and roles that leave the site."""
    app.connect("build-finished", _mathjax_of_the_site)
    app.connect("source-read", _links_of_the_site)
    app.connect("autodoc-process-docstring", _whole_entries, priority=400)  # before numpydoc
    app.connect("autodoc-process-docstring", _docstrings_of_the_site)
