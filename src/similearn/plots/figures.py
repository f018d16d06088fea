"""What all displays share: one column of a page, letters that can be read, shades that print."""

from typing import Any

from similearn.errors import InputTypeError, MissingExtraError, without_controls
from similearn.estimators.shell.parameters import fill_in

COLUMN = 3.35
"""Inches: the width of one column of most journals, 85 mm."""
# From dark to light, so that they differ in grey too; shapes tell them apart besides.
COLOURS = ("#14365c", "#c1440e", "#2f8f6f", "#8b3a7e", "#d19b00", "#6d78c9", "#8a9097")
MARKERS = ("o", "s", "^", "D", "P", "*", "X")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "oooo")
INK, GREY, PALE = COLOURS[0], "#5f666d", "#b9c0c6"
_STYLE = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,  # letters stay letters, as journals ask
    "svg.fonttype": "none",
}


class PlotDisplay:
    """A chart that is computed once and can be drawn often, in scikit-learn's manner.

    Attributes
    ----------
    ax_ : the axes it was drawn in last
    figure_ : their figure; ``figure_.savefig("name.pdf")`` or ``.svg`` writes it
    """

    _height = 2.5  # inches of a figure of its own

    ax_: Any
    figure_: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__doc__ is not None:  # python -OO drops docstrings
            cls.__doc__ = fill_in(cls.__doc__)

    def plot(self, ax: Any = None) -> Any:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes; by default those of a new figure, one column wide

        Returns
        -------
        self
        """
        if ax is not None and not hasattr(ax, "barh"):
            raise InputTypeError(
                f"ax is of type {type(ax).__name__}; expected matplotlib axes, or None."
            )
        pyplot, matplotlib = _matplotlib()
        with matplotlib.rc_context(_STYLE):
            if ax is None:
                _, ax = pyplot.subplots(figsize=(COLUMN, self._height), layout="constrained")
            self.ax_, self.figure_ = ax, ax.figure
            self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError


def colour(code: int) -> str:
    """Of a class; comes again after seven."""
    return COLOURS[code % 7]


def marker(code: int) -> str:
    """Of a class: colour and shape together come again after 49."""
    return MARKERS[(code + code // 7) % 7]


def plain(text: Any, longest: int = 28) -> str:
    """A name as it is, or its ends: no control characters, and nothing read as a formula."""
    text = without_controls(str(text))
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-(longest // 2 - 1) :]}"
    return text.replace("$", r"\$")


def _matplotlib() -> tuple[Any, Any]:
    try:
        import matplotlib
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError(
            "Figures need matplotlib, which is not installed: pip install 'similearn[plot]'."
        ) from None
    return pyplot, matplotlib
