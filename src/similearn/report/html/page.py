"""One HTML file from what is to be told: templates, scripts and styles inside, no network."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from similearn.errors import MissingExtraError
from similearn.report.contents.sheets import Contents
from similearn.report.html.packing import Limits, as_json, cut_text, script_data
from similearn.report.html.tables_behind import tables_of
from similearn.version import __version__

MOST_BYTES = 2_000_000
"""Of a report, whatever the number of samples."""
VENDORED = ("vendor/d3-7.9.2.min.js", "vendor/plot-0.6.17.umd.min.js")
OWN = ("state.js", "select.js", "charts.js", "map.js", "matrix.js", "sample.js", "start.js")
# Observable Plot puts one style element into each of its pictures, always the same.
PLOT_STYLES = ("'sha256-UfSoF6kfLbbhBzUfWfmddmJhA+Kf1R9PfriuXeHR3yU='",)


def rendered(contents: Contents, limits: Limits | None = None) -> str:
    """The page, with fewer samples and shorter names until it is small enough."""
    page = ""
    for tried in (limits or Limits()).ever_smaller():
        page = _filled(contents, tried)
        if len(page.encode("utf-8", "replace")) <= MOST_BYTES:
            break
    return page


def environment() -> Any:
    """Jinja2 with our templates; everything that is put into them is escaped."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "Reports need Jinja2, which is not installed: pip install 'similearn[report]'."
        ) from None
    return _environment()


@cache
def _environment() -> Any:
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: asset(f"templates/{name}")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters |= {"percent": percent, "number": number, "cut": cut_text}
    return made


def percent(share: float | None) -> str:
    """A share as people read it; the sign stays with its number."""
    if share is None:
        return "–"
    if 0 < share < 0.0005:
        return "under 0.1\u00a0%"
    return f"{100 * share:.1f}\u00a0%" if share < 0.9995 or share == 1 else "99.9\u00a0%"


def number(value: float | None, digits: int = 3) -> str:
    """A number in a few digits."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.{digits}g}"


@cache
def asset(name: str) -> str:
    """Text of a file that comes with the package."""
    return files("similearn.report.html").joinpath(name).read_text(encoding="utf-8")


def _filled(contents: Contents, limits: Limits) -> str:
    data = script_data(contents, limits)
    scripts = [asset(f"assets/{name}") for name in VENDORED]
    own = "\n".join(asset(f"assets/{name}") for name in OWN)
    scripts.append(f'(function () {{\n"use strict";\n{own}\n}})();')
    style = asset("assets/report.css")
    return (
        environment()
        .get_template("report.html")
        .render(
            contents=contents,
            tables=tables_of(contents, limits),
            policy=policy(scripts, [style]),
            scripts=[_Trusted(script) for script in scripts],
            style=_Trusted(style),
            data=_Trusted(as_json(data)),
            version=__version__,
            shown=min(len(contents.names), limits.samples),
        )
    )


def policy(scripts: list[str], styles: list[str]) -> str:
    """Content security policy: these scripts and styles run, and nothing is fetched."""
    of_scripts = " ".join(f"'{_hash(script)}'" for script in scripts)
    of_styles = " ".join([*(f"'{_hash(style)}'" for style in styles), *PLOT_STYLES])
    return (
        f"default-src 'none'; script-src {of_scripts}; style-src {of_styles}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


class _Trusted(str):
    """Text of the package itself, or JSON without a character that HTML knows."""

    def __html__(self) -> str:
        return str(self)
