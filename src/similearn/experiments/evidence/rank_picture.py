"""One picture: the mean ranks of all methods, by error and by log-loss."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similearn.experiments.evidence.standing import AUTO, Measured, mean_ranks
from similearn.experiments.pictures import new_figure, saved

_GREY, _BLUE, _RED = "#707070", "#1f4e79", "#c0392b"
_MOST_NAMED = 8


def picture_of_ranks(
    everywhere: Sequence[Measured], names: Sequence[str], path: str | Path
) -> Path:
    """Draw every method as one dot; the best few are named, where their names have room.

    Parameters
    ----------
    everywhere : the default and all others on each set
    names : of the others
    path : the picture's file
    """
    everyone = [AUTO, *names]
    by_error = mean_ranks(everywhere, "error", everyone)
    by_loss = mean_ranks(everywhere, "log_loss", everyone)
    figure, axes = new_figure((7.2, 5.6))
    joint = sorted(everyone, key=lambda name: by_error[name] + by_loss[name])
    for name in everyone:
        own = name == AUTO
        axes.scatter(
            by_error[name],
            by_loss[name],
            s=70 if own else 24,
            color=_RED if own else _BLUE,
            alpha=1.0 if own else 0.75,
            zorder=3 if own else 2,
        )
    axes.set(xlim=(0, None), ylim=(0, None))
    drawn: list[Any] = []
    for name in dict.fromkeys([AUTO, *joint[:_MOST_NAMED]]):
        label = axes.annotate(
            name,
            (by_error[name], by_loss[name]),
            xytext=(6, 4),
            textcoords="offset points",
            fontsize=9,
            color=_RED if name == AUTO else _GREY,
        )
        place = label.get_window_extent()
        if any(place.overlaps(other) for other in drawn):
            label.remove()  # the table below the picture has them all
        else:
            drawn.append(place)
    axes.set_xlabel("mean rank by error", color=_GREY)
    axes.set_ylabel("mean rank by log-loss", color=_GREY)
    told = f"Mean ranks of {len(everyone)} methods on {len(everywhere)} sets: low is good"
    axes.set_title(told, loc="left", pad=14)
    return saved(figure, path)
