"""Two pictures of a block: similarities ordered by class, and the eigenvalues."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from similearn.data import Pairwise
from similearn.data.files.outputs import written
from similearn.errors import InputError, MissingExtraError, without_controls
from similearn.numerics.linalg.diagnosis import double_centered
from similearn.numerics.linalg.plane import binned
from similearn.numerics.linalg.units import divided_where_needed, unit_of

Floats = NDArray[np.float64]

_MOST_CELLS = 1200  # of a side: as many as a picture has pixels for
_MOST_NAMES = 24  # class names along a side that can still be read
_MOST_LISTED = 84  # classes of a legend
_ROOM, _LETTER = 0.032, 0.019  # height of a name and width of a letter, as shares of a side
_MOST_EIGENVALUES = 3000  # of samples; more take minutes
_LONGEST_NAME, _LONGEST_TITLE = 24, 90  # characters of a class and of a title
_GREY = "#707070"
_COLOURS = {"positive": "#1f4e79", "negative": "#c0392b"}


def heat_map(block: Pairwise, y: Any, path: str | Path, title: str = "") -> Path:
    """Draw the block with its samples ordered by class, as in JMLR Figure 1.

    Parameters
    ----------
    block : (n, n) block of samples with themselves
    y : (n,) labels, or None for the order of the file
    path : the picture's file, PNG or whatever matplotlib can write
    title : written above

    Notes
    -----
    Dark is near, for dissimilarities too. Black is the largest similarity between two
    samples, white is zero, or the smallest where that is negative. Values on the diagonal
    beyond that are cut, and the colour bar says so. Tick marks separate the classes. Beyond
    1200 samples each cell of the picture is the mean of several neighbouring values.
    """
    order, names, edges = _class_order(y, len(block))
    values, unit = _dense(block)
    values = values[np.ix_(order, order)]
    low, high, extend = _range(values)
    averaged, step = binned(values, _MOST_CELLS)
    figure, axes = new_figure((7.6, 6.6))
    image = axes.imshow(
        averaged,
        cmap="gray_r" if block.large_is_near else "gray",
        vmin=low,
        vmax=high,
        extent=(0, len(values), len(values), 0),
        interpolation="nearest" if step == 1 else "antialiased",
    )
    bar = figure.colorbar(image, ax=axes, fraction=0.045, pad=0.03, extend=extend)
    bar.set_label(f"{block.kind} (dark = near){_told_unit(unit)}", color=_GREY)
    bar.outline.set_visible(False)
    if not block.large_is_near:
        bar.ax.invert_yaxis()  # near is on top in both kinds
    _class_ticks(axes, names, edges)
    averages = f"; one dot is the mean of {step} × {step} values" if step > 1 else ""
    ordered = f"ordered by {len(names)} classes" if names else "in the order of the file"
    axes.set_xlabel(f"{len(values)} samples {ordered}{averages}", color=_GREY, labelpad=10)
    axes.spines[:].set(visible=True, color=_GREY, linewidth=0.6)
    axes.set_title(_plain(title) or "Similarities ordered by class", loc="left", pad=14)
    return saved(figure, path)


def spectrum_picture(block: Pairwise, path: str | Path, title: str = "") -> Path:
    """Draw the eigenvalues of the symmetrized block, largest first (RegSDA Figure 1).

    Parameters
    ----------
    block : (n, n) block of samples with themselves
    path : the picture's file
    title : written above

    Notes
    -----
    Of a dissimilarity D it is the matrix -½JD²J, with J = I - 11ᵀ/n: inner products, if D
    were Euclidean distances. Above are the eigenvalues as they are, below their magnitudes
    on a logarithmic scale, where small negative ones can be seen too. Eigenvalues that are
    zero up to rounding are left out. Costs one eigendecomposition, O(n³), and beyond 3000
    samples that of 3000 random ones; the picture says so.
    """
    if not has_spectrum(block):
        raise InputError("Unknown dissimilarities have no eigenvalues; fill them in first.")
    eigenvalues, unit = _eigenvalues(block)
    noise = len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max(initial=0.0)
    shown = eigenvalues[np.abs(eigenvalues) > noise]
    figure, (above, below) = new_figure((7.6, 6.0), nrows=2, sharex=True)
    place = np.arange(1, len(shown) + 1)
    for name, chosen in (("positive", shown > 0), ("negative", shown < 0)):
        style = {"s": 18 if len(shown) <= 300 else 5, "c": _COLOURS[name], "linewidths": 0}
        above.scatter(place[chosen], shown[chosen], label=name, **style)
        below.scatter(place[chosen], np.abs(shown[chosen]), **style)
    above.axhline(0, color=_GREY, linewidth=0.7, zorder=0)
    above.set_ylabel(f"eigenvalue{_told_unit(unit)}")
    above.legend(frameon=False, loc="upper right")
    below.set_ylabel("magnitude, log scale")
    if len(shown):  # a block of zeros has nothing to show
        below.set_yscale("log")
    below.xaxis.get_major_locator().set_params(integer=True)
    n_zero = len(eigenvalues) - len(shown)
    left_out = f"; {n_zero} zero ones left out" if n_zero else ""
    below.set_xlabel(f"rank, largest eigenvalue first{left_out}", color=_GREY)
    above.set_title(_plain(title) or "Eigenvalues", loc="left", pad=24)
    told = _told(block, eigenvalues, shown)
    above.annotate(
        told, (0, 1.04), xycoords="axes fraction", color=_GREY, fontsize=9, in_layout=False
    )
    return saved(figure, path)


def has_spectrum(block: Pairwise) -> bool:
    """Whether all values are known, or zero where they are not stored."""
    return block.is_complete


def _told(block: Pairwise, eigenvalues: Floats, shown: Floats) -> str:
    matrix = "" if block.large_is_near else "Of -½JD²J. "
    if len(eigenvalues) < len(block):
        matrix = f"{matrix}{len(eigenvalues)} random samples. "
    negative = shown[shown < 0]
    if not len(negative):
        return f"{matrix}No eigenvalue is negative: the matrix is a kernel."
    share = np.abs(negative).sum() / np.abs(shown).sum()
    return (
        f"{matrix}Negative: {len(negative)} of {len(eigenvalues)} eigenvalues, "
        f"with {100 * share:.2g} % of the sum of magnitudes."
    )


def _eigenvalues(block: Pairwise) -> tuple[Floats, float]:
    """Eigenvalues of ½(S + Sᵀ) or of -½JD²J, largest first, in units of the block."""
    if len(block) > _MOST_EIGENVALUES:
        some = np.random.default_rng(0).permutation(len(block))[:_MOST_EIGENVALUES]
        block = block[np.ix_(some, some)]
    values, unit = _dense(block)
    symmetric = (values + values.T) / 2
    matrix = symmetric if block.large_is_near else double_centered(symmetric)
    eigenvalues: Floats = linalg.eigvalsh(matrix)[::-1]
    return eigenvalues, unit


def _dense(block: Pairwise) -> tuple[Floats, float]:
    """Return the values in units; what a sparse dissimilarity does not know is far."""
    farthest = block.values.data.max(initial=1.0) if block.is_sparse else None
    values = block.rows(unknown=farthest)
    unit = unit_of(values)
    return divided_where_needed(values, unit), unit


def _told_unit(unit: float) -> str:
    return "" if unit == 1.0 else f", in units of {unit:.3g}"


def _class_order(y: Any, n: int) -> tuple[NDArray[np.intp], list[str], NDArray[np.intp]]:
    """Samples ordered by class, the classes' names, and where each class ends."""
    if y is None:
        return np.arange(n), [], np.array([], dtype=np.intp)
    classes, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    return np.argsort(codes, kind="stable"), _names(classes), np.cumsum(counts)


def _names(classes: Any) -> list[str]:
    return [_plain(str(label), _LONGEST_NAME) for label in classes]


def _range(values: Floats) -> tuple[float, float, str]:
    """White and black, from pairs of different samples; whether the diagonal goes beyond."""
    apart = ~np.eye(len(values), dtype=bool)
    seen = values[apart] if apart.any() else values
    low, high = min(float(seen.min()), 0.0), float(seen.max())
    if high <= low:
        high = low + 1.0
    beyond = values.max() > high
    return low, high, "max" if beyond else "neither"


def _class_ticks(axes: Any, names: list[str], edges: NDArray[np.intp]) -> None:
    """Tick marks where classes meet; names in the middle of each, or numbers and a legend.

    Names that would touch each other are never drawn: where not all of them fit, the classes are
    numbered, as many as there is room for.
    """
    middles = (np.concatenate([[0], edges[:-1]]) + edges) / 2 if len(edges) else edges
    room = _ROOM * edges[-1] if len(edges) else 0.0
    fit = len(names) <= _MOST_NAMES and (np.diff(middles) >= room).all()
    texts = names if fit else [str(i) for i in range(1, len(names) + 1)]
    shown: list[tuple[float, str]] = []
    for middle, text in zip(middles, texts, strict=True):
        if not shown or middle - shown[-1][0] >= room:
            shown.append((float(middle), text))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(edges[:-1], labels=[""] * len(edges[:-1]))
        axis.set_ticks([m for m, _ in shown], labels=[t for _, t in shown], minor=True)
    axes.tick_params(which="both", top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.tick_params(which="minor", length=0, pad=9)  # beyond the marks between classes
    axes.tick_params(which="major", length=7)
    widest = max((len(t) for _, t in shown), default=0)
    closest = np.diff([m for m, _ in shown]).min(initial=np.inf)
    if edges.size and widest * _LETTER * edges[-1] > closest:
        axes.tick_params(axis="x", which="minor", labelrotation=90)
    if not fit:
        _legend(axes, names)


def _legend(axes: Any, names: list[str]) -> None:
    """Numbers and names of the classes, beside the picture."""
    from matplotlib.lines import Line2D

    told = [f"{i}  {name}" for i, name in enumerate(names[:_MOST_LISTED], 1)]
    if len(names) > _MOST_LISTED:
        told.append(f"and {len(names) - _MOST_LISTED} more")
    width, height = axes.figure.get_size_inches()
    axes.figure.set_size_inches(width + 1.0 + 1.6 * (1 + (len(told) - 1) // 42), height)
    axes.figure.legend(
        [Line2D([], [], linestyle="none") for _ in told],
        told,
        loc="outside right upper",
        ncols=1 + (len(told) - 1) // 42,
        fontsize=7,
        handlelength=0,
        handletextpad=0,
        frameon=False,
        title="Classes",
        title_fontsize=8,
    )


def new_figure(size: tuple[float, float], **layout: Any) -> Any:
    """Make a figure without a window; matplotlib is asked for only here."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "Pictures need matplotlib, which is not installed: pip install 'similearn[plot]'."
        ) from None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(**layout)
    for each in np.ravel(axes):
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _plain(text: str, longest: int = _LONGEST_TITLE) -> str:
    """A text as it is, or its ends: no control characters, and nothing read as a formula."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}…{text[-half:]}"
    return without_controls(text).replace("$", r"\$")


def saved(figure: Any, path: str | Path) -> Path:
    """Write a figure and return where it is."""
    path = Path(path)
    with warnings.catch_warnings(), written(path, "wb") as out:
        # A font without some letters of a name draws boxes; that needs no telling.
        warnings.filterwarnings("ignore", message="Glyph ")
        figure.savefig(out, format=path.suffix.removeprefix(".") or "png")
    return path
