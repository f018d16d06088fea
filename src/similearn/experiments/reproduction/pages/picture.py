"""One picture of everything: our errors against the papers'."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.experiments.pictures import new_figure, saved
from similearn.experiments.reproduction.pages.table_report import Report

Floats = NDArray[np.float64]

_GREY = "#707070"
_COLOURS = ("#1f4e79", "#c0392b", "#2e8b57", "#8e6c00", "#6a3d9a", "#008b8b", "#d2691e", "#555555")
_LEAST = 0.3  # percent: where zero errors are drawn on the logarithmic axes


def ours_against_papers(reports: Sequence[Report], path: str | Path) -> Path:
    """Draw every cell that the papers print, as one dot.

    Parameters
    ----------
    reports : of all tables; accuracies are drawn as errors
    path : the picture's file

    Notes
    -----
    Filled dots agree within two standard errors, open ones do not. Readings other than the
    printed ones are left out. Errors below 0.3 percent are drawn there.
    """
    figure, axes = new_figure((7.2, 6.8))
    told_of = [(r, [c for c in r.cells if c.as_printed and c.verdict]) for r in reports]
    told_of = [(r, chosen) for r, chosen in told_of if chosen]
    for (r, chosen), colour in zip(told_of, _COLOURS, strict=False):
        points = np.array([_errors(cell, r.table.measure == "accuracy") for cell in chosen])
        agrees = np.array([cell.verdict == "agrees" for cell in chosen])
        style = {"s": 26, "linewidths": 1.1, "edgecolors": colour, "alpha": 0.85}
        told = f"{r.table.source}: {agrees.sum()} of {len(agrees)} agree"
        axes.scatter(*points[agrees].T, facecolors=colour, label=told, **style)
        axes.scatter(*points[~agrees].T, facecolors="none", **style)
    limits = (_LEAST * 0.9, 100)
    axes.plot(limits, limits, color=_GREY, linewidth=0.8, zorder=0)
    axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits, aspect="equal")
    ticks = [0.3, 1, 3, 10, 30, 100]
    names = ["≤ 0.3", "1", "3", "10", "30", "100"]
    axes.set_xticks(ticks, names)
    axes.set_yticks(ticks, names)
    axes.minorticks_off()
    axes.set_xlabel("printed error, percent", color=_GREY)
    axes.set_ylabel("our error, percent", color=_GREY)
    axes.set_title("Our errors against the papers'", loc="left", pad=14)
    if told_of:
        axes.legend(frameon=False, loc="upper left", fontsize=9)
    axes.annotate(
        "filled: within two standard errors; open: not",
        (0.98, 0.03),
        xycoords="axes fraction",
        ha="right",
        color=_GREY,
        fontsize=9,
    )
    return saved(figure, path)


def _errors(cell: Any, accuracy: bool) -> Floats:
    """Printed and our error in percent, not below what can be drawn."""
    pair = np.array([cell.paper.mean, cell.mean])
    percent = 100 * (1 - pair) if accuracy else pair
    return np.maximum(percent, _LEAST)
