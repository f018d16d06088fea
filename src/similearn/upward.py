"""Calls against the direction of imports: what is below asks the reports above to show it."""

from importlib import import_module
from pathlib import Path
from typing import Any


class Shown:
    """Things that a notebook shows as HTML, from the templates of the reports."""

    def _repr_html_(self) -> str | None:
        return notebook_page(self)


class Reporting:
    """Classifiers and searches that write a report on themselves."""

    def report(self, X: Any, y: Any, path: str | Path, **options: Any) -> Path:
        """Write one HTML file that shows how good this fitted model is, and why it decides so.

        Parameters
        ----------
        X, y : labelled samples
            Those that it was fitted to, which are then held out by folds, or others, as
            ``predict`` takes them.
        path : the file to write
        **options : ``title``, ``names``, ``random_state``: see `similearn.write_report`

        Returns
        -------
        Path of the file
        """
        return report_of(self, path, X=X, y=y, **options)


def report_of(what: Any, path: str | Path, **options: Any) -> Path:
    """Write a report, see `similearn.write_report`."""
    written: Path = import_module("similearn.report").write_report(what, path, **options)
    return written


class SearchPage:
    """Searches, of which a notebook shows scikit-learn's diagram and, once fitted, the outcome."""

    def _html_repr(self) -> str:
        diagram: str = super()._html_repr()  # type: ignore[misc]
        return diagram + (notebook_page(self) or "")


def notebook_page(thing: Any) -> str | None:
    """HTML of a thing for a notebook, or None where Jinja2 is missing: then its text is shown."""
    page: str | None = import_module("similearn.report.notebook").page_of(thing)
    return page
