"""A block in the plane, as an ordered matrix, and by its eigenvalues."""

from typing import Any

import numpy as np

from similearn.data.checks import distinct_labels, require_integer
from similearn.errors import InputError
from similearn.plots.figures import COLOURS, GREY, INK, PlotDisplay, colour, marker, plain
from similearn.plots.judged_displays import judged_by
from similearn.report.contents.block_pictures import pictures_of
from similearn.report.contents.gathering import natural_order
from similearn.report.contents.model_facts import square_block
from similearn.report.contents.sheets import MatrixPicture, Plane

_LARGEST_SEED = 2**32 - 1  # of scikit-learn's
MOST_NAMES = 14
"""Classes that a legend can name."""


def _drawn(X: Any, y: Any, estimator: Any, random_state: int) -> tuple[Any, list[str], Any]:
    """Pictures, names of the classes and codes of a block of samples with themselves."""
    require_integer("random_state", random_state, low=0, high=_LARGEST_SEED, high_means="last seed")
    block = square_block(estimator, X)
    if block is None:
        raise InputError(
            "X is no block of samples with themselves, or its kind is not known; expected a "
            "Pairwise, such as Pairwise(X, 'similarity')."
        )
    names, codes = [], None
    if y is not None:
        classes, codes, _ = distinct_labels(y, len(block))
        names = [str(c) for c in classes.tolist()]
    order = natural_order(names) if names else None
    return pictures_of(block, codes, random_state, order), names, codes


class MapDisplay(PlotDisplay):
    """Every sample in the plane: near samples lie close together.

    Parameters
    ----------
    points : (n, 2)
    codes : (n,) classes, or None
    classes : their names
    doubt : (n,) 1 - probability of the decision, which enlarges marks, or None
    wrong : (n,) wrong decisions, which get a ring, or None
    distortion : the sentence above the picture

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import datasets
    >>> from similearn.plots import MapDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> display = MapDisplay.from_block(X, y)
    >>> display.points.shape
    (60, 2)
    """

    _height = 3.2

    def __init__(
        self,
        points: Any,
        codes: Any = None,
        classes: Any = (),
        *,
        doubt: Any = None,
        wrong: Any = None,
        distortion: str = "",
    ) -> None:
        self.points, self.codes, self.classes = np.asarray(points), codes, list(classes)
        self.doubt, self.wrong, self.distortion = doubt, wrong, distortion

    @classmethod
    def from_block(
        cls,
        X: Any,
        y: Any = None,
        *,
        picture: str = "Neighbourhoods",
        random_state: int = 0,
        ax: Any = None,
    ) -> "MapDisplay":
        """Draw a block of samples with themselves.

        Parameters
        ----------
        X : Pairwise
        y : (n,) labels, or None
        picture : "Neighbourhoods" (t-SNE) or "Distances" (classical scaling)
        random_state : of the picture
        ax : matplotlib axes, or None for a new figure
        """
        pictures, names, codes = _drawn(X, y, None, random_state)
        plane = _plane(pictures.planes, picture)
        display: MapDisplay = cls(plane.points, codes, names, distortion=_distortion(plane))
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        picture: str = "Neighbourhoods",
        random_state: int = 0,
        ax: Any = None,
    ) -> "MapDisplay":
        """Draw the samples that a model was fitted to; doubt is that of models without them."""
        pictures, names, codes = _drawn(X, y, estimator, random_state)
        judged = judged_by(estimator, X, y, random_state)
        plane = _plane(pictures.planes, picture)
        sure = judged.confidence
        doubt = None if sure is None else 1.0 - sure
        told = _distortion(plane)
        display: MapDisplay = cls(
            plane.points, codes, names, doubt=doubt, wrong=~judged.right, distortion=told
        )
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        n = len(self.points)
        size = float(np.clip(4000 / max(n, 1), 3, 16))
        grown = size * (1 + 2 * (np.zeros(n) if self.doubt is None else np.asarray(self.doubt)))
        codes = np.zeros(n, dtype=int) if self.codes is None else np.asarray(self.codes)
        order = natural_order(self.classes) if self.classes else [0]
        for g in order:
            own = codes == g
            name = plain(self.classes[g], 20) if self.classes else None
            ax.scatter(
                *self.points[own].T,
                s=grown[own],
                c=colour(g),
                marker=marker(g),
                linewidths=0,
                alpha=0.85,
                label=name,
            )
        if self.wrong is not None:
            ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.5}
            wrong = np.asarray(self.wrong)
            ax.scatter(*self.points[wrong].T, s=2.6 * grown[wrong] + 4, marker="o", **ring)
        ax.set(xticks=[], yticks=[], aspect="equal")
        ax.spines[:].set_visible(False)
        if 1 < len(self.classes) <= MOST_NAMES:
            ax.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, 0.0),
                ncols=min(len(self.classes), 4),
                handletextpad=0.1,
                columnspacing=0.9,
            )
        ax.set_title(self.distortion, color=GREY, fontsize=6.5)


def _plane(planes: list[Plane], name: str) -> Plane:
    known = {plane.name: plane for plane in planes}
    if not isinstance(name, str) or name not in known:
        raise InputError(f"There is no picture {name!r}; expected one of {sorted(known)}.")
    return known[name]


def _distortion(plane: Plane) -> str:
    trust = "" if plane.trust is None else f"trustworthiness {plane.trust:.2f}, "
    return f"{trust}stress {plane.stress:.2f}"


class MatrixDisplay(PlotDisplay):
    """The block, ordered by class and by likeness within; dark is near.

    Parameters
    ----------
    picture : cells, order, edges of classes and the scale of the colours
    classes : names, in the order of the edges
    large_is_near : the sign of near
    kind : of the values, for the scale

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import datasets
    >>> from similearn.plots import MatrixDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> MatrixDisplay.from_block(X, y).classes
    ['0', '1']
    """

    _height = 3.1

    def __init__(
        self, picture: MatrixPicture, classes: Any, large_is_near: bool, kind: str
    ) -> None:
        self.picture, self.classes = picture, list(classes)
        self.large_is_near, self.kind = large_is_near, kind

    @classmethod
    def from_block(
        cls, X: Any, y: Any = None, *, random_state: int = 0, ax: Any = None
    ) -> "MatrixDisplay":
        """Draw a block of samples with themselves, a `Pairwise`, ordered by labels `y` if given."""
        pictures, names, _ = _drawn(X, y, None, random_state)
        ordered = [names[g] for g in natural_order(names)]
        near = pictures.large_is_near
        kind = "similarity" if near else "dissimilarity"
        display: MatrixDisplay = cls(pictures.matrix, ordered, near, kind)
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        m = self.picture
        n = len(m.order)
        shares = np.interp(m.cells, m.points, m.shares)
        shades = "YlGnBu" if self.large_is_near else "YlGnBu_r"
        image = ax.imshow(shares, cmap=shades, vmin=0, vmax=1, extent=(0, n, n, 0))
        bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03)
        ticks = np.array([0, 0.25, 0.5, 0.75, 1])
        bar.set_ticks(ticks, labels=[f"{v:.3g}" for v in np.interp(ticks, m.shares, m.points)])
        bar.set_label(f"{self.kind}, by quarters of pairs")
        if not self.large_is_near:
            bar.ax.invert_yaxis()
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(True)
        if 1 < len(m.edges) <= 40:
            for edge in m.edges[:-1]:
                ax.axhline(edge, color="black", linewidth=0.4)
                ax.axvline(edge, color="black", linewidth=0.4)
            middles = (np.concatenate([[0], m.edges[:-1]]) + m.edges) / 2
            size = 7 if len(m.edges) <= 12 else 5
            ax.set_yticks(middles, [plain(c, 14) for c in self.classes], fontsize=size)
            ax.tick_params(axis="y", length=0)
        ax.set_xlabel(f"{n} samples")


class SpectrumDisplay(PlotDisplay):
    """Eigenvalues, largest first; the negative part is what no kernel has.

    Parameters
    ----------
    eigenvalues : (n,) largest first

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import datasets
    >>> from similearn.plots import SpectrumDisplay
    >>> X, _ = datasets.make_similarities(60, indefinite=0.5, random_state=0, return_X_y=True)
    >>> bool(SpectrumDisplay.from_block(X).eigenvalues[-1] < 0)
    True
    """

    def __init__(self, eigenvalues: Any) -> None:
        self.eigenvalues = np.asarray(eigenvalues)

    @classmethod
    def from_block(cls, X: Any, *, random_state: int = 0, ax: Any = None) -> "SpectrumDisplay":
        """Draw the eigenvalues of a block of samples with themselves, a `Pairwise`."""
        spectrum = _drawn(X, None, None, random_state)[0].spectrum
        if spectrum is None:
            raise InputError("Unknown dissimilarities have no eigenvalues; fill them in first.")
        display: SpectrumDisplay = cls(spectrum)
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        values = self.eigenvalues
        rank = np.arange(1, len(values) + 1)
        largest = np.abs(values).max(initial=0.0) or 1.0
        noise = len(values) * np.finfo(np.float64).eps * largest
        kept = np.abs(values) > noise
        seen = np.abs(values[kept])
        small = max(float(np.quantile(seen, 0.25)) if len(seen) else 1.0, 1e-4 * largest)
        for name, sign, code in (("positive", 1, 0), ("negative", -1, 1)):
            own = kept & (sign * values > 0)
            style = {"s": 5, "c": COLOURS[code], "marker": "ov"[code], "linewidths": 0}
            ax.scatter(rank[own], values[own], label=f"{own.sum()} {name}", **style)
        ax.axhline(0, color=INK, linewidth=0.5)
        ax.set_yscale("symlog", linthresh=small)
        ax.set_yticks([t for t in ax.get_yticks() if t == 0 or abs(t) > 2 * small])
        share = np.abs(values[kept & (values < 0)]).sum() / (seen.sum() or 1.0)
        ax.set_title(f"negative: {100 * share:.3g} % of all magnitude", fontsize=7, color=GREY)
        ax.set(xlabel="rank", ylabel="eigenvalue")
        ax.legend(markerscale=1.5, handletextpad=0.1)
