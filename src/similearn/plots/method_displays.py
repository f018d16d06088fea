"""Methods compared, and one method along its parameters."""

from pathlib import Path
from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.experiments.comparisons.store import ResultStore
from similearn.plots.figures import COLOURS, GREY, INK, PALE, PlotDisplay, plain
from similearn.report.contents.method_sheet import (
    methods_of_leaderboard,
    methods_of_records,
    methods_of_search,
)
from similearn.report.contents.model_facts import method_name
from similearn.report.contents.sheets import Curve, Methods

MOST_METHODS = 30


def methods_of_model(estimator: Any) -> Methods:
    """What a fitted search, or `SimilarityClassifier`, tried."""
    if hasattr(estimator, "leaderboard_"):
        return methods_of_leaderboard(estimator.leaderboard_.rows)
    if hasattr(estimator, "cv_results_") and hasattr(estimator, "best_index_"):
        return methods_of_search(estimator, str(method_name(estimator)))
    raise InputError(
        f"{type(estimator).__name__} compared nothing; expected a fitted SimilarityClassifier, "
        "PathSearchCV or GridSearchCV."
    )


class MethodsDisplay(PlotDisplay):
    """Errors of methods on samples that they had not seen, with 95 % intervals.

    Parameters
    ----------
    names : of the methods, best first
    errors, low, high : (r,) shares
    used : (r,) methods to stress: those of a combination, or not significantly worse than the best
    splits : list of r lists, errors on single splits, or empty

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import SimilarityClassifier, datasets
    >>> from similearn.plots import MethodsDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> model = SimilarityClassifier(effort="quick").fit(X, y)
    >>> "knn" in MethodsDisplay.from_estimator(model).names
    True
    """

    def __init__(
        self, names: Any, errors: Any, low: Any, high: Any, *, used: Any = None, splits: Any = ()
    ) -> None:
        self.names, self.errors = list(names), np.asarray(errors, dtype=np.float64)
        self.low, self.high = np.asarray(low), np.asarray(high)
        self.used = np.ones(len(self.names), dtype=bool) if used is None else np.asarray(used)
        self.splits = list(splits)
        self._height = 0.6 + 0.19 * max(len(self.names), 3)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "MethodsDisplay":
        """Draw the methods that a fitted `SimilarityClassifier` or search tried."""
        return cls._of(methods_of_model(estimator), ax)

    @classmethod
    def from_folder(cls, folder: str | Path, *, ax: Any = None) -> "MethodsDisplay":
        """Draw the results of ``similearn compare``."""
        records = list(ResultStore(Path(folder) / "results.jsonl").read().values())
        if not records:
            raise InputError(f"There are no results in {folder}; run `similearn compare` first.")
        return cls._of(methods_of_records(records), ax)

    @classmethod
    def _of(cls, methods: Methods, ax: Any) -> "MethodsDisplay":
        lines = [line for line in methods.lines if line.error is not None][:MOST_METHODS]
        errors = [line.error for line in lines if line.error is not None]
        used = [bool(line.mark or line.weight) for line in lines]
        display: MethodsDisplay = cls(
            [line.name for line in lines],
            [e.value for e in errors],
            [e.low for e in errors],
            [e.high for e in errors],
            used=used if any(used) else None,
            splits=[line.splits for line in lines],
        )
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        for i in range(len(self.names)):
            ink = INK if self.used[i] else GREY
            if i < len(self.splits) and len(self.splits[i]):
                marks = 100 * np.asarray(self.splits[i])
                ax.plot(marks, np.full(len(marks), i), "|", color=PALE, markersize=6)
            ax.plot([100 * self.low[i], 100 * self.high[i]], [i, i], color=ink, linewidth=1.4)
            face = ink if self.used[i] else "white"
            ax.plot(100 * self.errors[i], i, "o", color=ink, markerfacecolor=face)
        ax.set_yticks(range(len(self.names)), [plain(name, 26) for name in self.names])
        ax.set(xlabel="error, %", ylim=(len(self.names) - 0.4, -0.6))
        ax.set_xlim(left=0)
        ax.grid(axis="x", color=PALE, linewidth=0.4)
        ax.set_axisbelow(True)


class CurvesDisplay(PlotDisplay):
    """Held-out error along one parameter, the others as chosen; the chosen point is marked.

    Parameters
    ----------
    curves : list of `Curve`, drawn together where they share the parameter
    parameter : which one

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import NeighborsClassifier, PathSearchCV, datasets
    >>> from similearn.plots import CurvesDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9]}).fit(X, y)
    >>> CurvesDisplay.from_estimator(search).parameter
    'n_neighbors'
    """

    def __init__(self, curves: list[Curve], parameter: str) -> None:
        self.curves, self.parameter = curves, parameter

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, parameter: str | None = None, ax: Any = None
    ) -> "CurvesDisplay":
        """Draw the errors that a fitted search, or `SimilarityClassifier`, found.

        Parameters
        ----------
        estimator : fitted search or `SimilarityClassifier`
        parameter : by its short name; by default the first one that took several values
        ax : matplotlib axes, or None for a new figure
        """
        curves = methods_of_model(estimator).curves
        known = list(dict.fromkeys(curve.parameter for curve in curves))
        if not known or parameter not in (None, *known):
            raise InputError(
                f"No curve along {parameter or 'a parameter'}; expected one of {known}."
            )
        parameter = known[0] if parameter is None else parameter
        own = [curve for curve in curves if curve.parameter == parameter]
        display: CurvesDisplay = cls(own, parameter)
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        values = [v for curve in self.curves for v in curve.values]
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        if numbers and min(values) > 0 and max(values) / min(values) > 20:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
        lines = ("-", "--", "-.", ":")
        for i, curve in enumerate(self.curves):
            x = curve.values if numbers else [str(v) for v in curve.values]
            y = 100 * np.asarray(curve.errors)
            ink = COLOURS[i % 7]
            ax.plot(x, y, lines[i % 4], marker=".", color=ink, label=plain(curve.method, 22))
            chosen = curve.chosen if numbers else str(curve.chosen)
            if chosen in x:
                ax.plot([chosen], [y[x.index(chosen)]], "D", color=ink, markersize=6)
        ax.set(xlabel=self.parameter, ylabel="error, %")
        if len(self.curves) > 1:
            ax.legend()
