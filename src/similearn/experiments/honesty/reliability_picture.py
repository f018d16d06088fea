"""One picture: what was said against what came true, of twelve methods."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from similearn.experiments.comparisons.store import Record
from similearn.experiments.pictures import new_figure, saved

TWELVE = (
    *("knn", "affinity-knn", "krr-knn", "kri-knn"),
    *("svm-clip", "svm-knn", "indefinite-fisher", "sda"),
    *("local-sda-joint", "fusion", "dboost", "auto"),
)
"""A method of every kind, those that people begin with."""

_GREY, _BLUE = "#909090", "#1f4e79"
_FEWEST = 10  # probabilities in a bin of which a share is worth a dot


def picture_of_reliability(records: Sequence[Record], path: str | Path) -> Path:
    """Draw small multiples: a grey line before, a blue one after, both pooled over all sets."""
    figure, axes = new_figure((8.4, 6.6), nrows=3, ncols=4, sharex=True, sharey=True)
    for axis, method in zip(np.ravel(axes), TWELVE, strict=True):
        axis.plot([0, 1], [0, 1], color="#d0d0d0", linewidth=0.8, zorder=0)
        for part, colour, style in (("before", _GREY, "s--"), ("after", _BLUE, "o-")):
            said, true = pooled(records, part, method)
            axis.plot(said, true, style, color=colour, markersize=3.5, linewidth=1.2, label=part)
        axis.set_title(method, fontsize=9, loc="left")
        axis.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), aspect="equal")
    np.ravel(axes)[0].legend(frameon=False, fontsize=7, loc="upper left")
    figure.supxlabel("probability that was said", fontsize=9)
    figure.supylabel("share that came true", fontsize=9)
    return saved(figure, path)


def pooled(
    records: Iterable[Record], part: str, method: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean probability and share that came true, of bins that hold enough."""
    found = [
        [r["reliability"][name] for name in ("count", "said", "true")]
        for r in records
        if r.get("part") == part and r["method"] == method and "reliability" in r
    ]
    if not found:
        return np.empty(0), np.empty(0)
    count, said, true = np.sum(np.array(found, dtype=np.float64), axis=0)
    enough = count >= _FEWEST
    return said[enough] / count[enough], true[enough] / count[enough]
