"""One picture: the mean ranks of all methods, by error and by log-loss."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similearn.experiments.evidence.standing import AUTO, Measured, mean_ranks
from similearn.experiments.pictures import new_figure, saved

_GREY, _BLUE, _RED = "#707070", "#1f4e79", "#c0392b"
_MOST_NAMED = 8
_ROOM = 4.0  # pixels around the middle of a dot
_PLACES = (
    *(("left", 7, 0), ("left", 6, 8), ("left", 6, -8)),
    *(("right", -7, 0), ("right", -6, 8), ("right", -6, -8)),
)
"""Where a name is tried beside its dot, in points: which of its ends, how far right and up."""


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
    taken = [_around(axes, by_error[name], by_loss[name]) for name in everyone]
    for name in dict.fromkeys([AUTO, *joint[:_MOST_NAMED]]):
        colour = _RED if name == AUTO else _GREY
        _name_dot(axes, name, (by_error[name], by_loss[name]), colour, taken)
    axes.set_xlabel("mean rank by error", color=_GREY)
    axes.set_ylabel("mean rank by log-loss", color=_GREY)
    told = f"Mean ranks of {len(everyone)} methods on {len(everywhere)} sets: low is good"
    axes.set_title(told, loc="left", pad=14)
    return saved(figure, path)


def _around(axes: Any, x: float, y: float) -> Any:
    """The place of a dot in the picture, with a little room."""
    from matplotlib.transforms import Bbox

    at_x, at_y = axes.transData.transform((x, y))
    return Bbox.from_bounds(at_x - _ROOM, at_y - _ROOM, 2 * _ROOM, 2 * _ROOM)


def _name_dot(
    axes: Any, name: str, dot: tuple[float, float], colour: str, taken: list[Any]
) -> None:
    """Write a name beside its dot where nothing else is; not at all where there is no room.

    The table below the picture has all names. `taken` is added to.
    """
    for side, right, up in _PLACES:
        label = axes.annotate(
            name,
            dot,
            xytext=(right, up),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=9,
            color=colour,
        )
        place = label.get_window_extent()
        if not any(place.overlaps(other) for other in taken):
            taken.append(place)
            return
        label.remove()
