"""Why one sample was decided as it was."""

from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.errors import InputError
from similearn.estimators.shell.explanation import Explanation, explain
from similearn.plots.figures import GREY, HATCHES, PlotDisplay, colour, plain

MOST_NEIGHBORS = 20


class NeighborsDisplay(PlotDisplay):
    """The neighbours of one sample, their weights and classes.

    Parameters
    ----------
    names : of the neighbours
    weights : (k,)
    codes : (k,) positions of their classes
    classes : names
    title : the decision

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import NeighborsClassifier, datasets
    >>> from similearn.plots import NeighborsDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> model = NeighborsClassifier(5).fit(X, y)
    >>> len(NeighborsDisplay.from_estimator(model, X, row=2).names)
    5
    """

    def __init__(self, names: Any, weights: Any, codes: Any, classes: Any, *, title: str = ""):
        self.names, self.weights = [str(n) for n in names], np.asarray(weights)
        self.codes, self.classes, self.title = np.asarray(codes), list(classes), title
        self._height = 0.8 + 0.16 * max(len(self.names), 4)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, row: int = 0, ax: Any = None
    ) -> "NeighborsDisplay":
        """Explain one row of what the model's ``predict`` takes, and draw."""
        return cls.from_explanation(explain(estimator, X), row=row, ax=ax)

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, *, row: int = 0, ax: Any = None
    ) -> "NeighborsDisplay":
        """Draw one row of what `similearn.explain` returned; the 20 largest weights."""
        told = explanation
        if told.neighbors is None or told.weights is None or told.labels is None:
            raise InputError("The model has no neighbours; expected a method of neighbours.")
        require_integer("row", row, low=0, high=len(told) - 1, high_means="last row")
        weights = np.asarray(told.weights[row], dtype=np.float64)
        heavy = np.sort(np.argsort(-np.abs(weights), kind="stable")[:MOST_NEIGHBORS])
        near = np.asarray(told.neighbors[row])[heavy]
        names = near if told.reference_ids is None else np.asarray(told.reference_ids)[near]
        codes = np.searchsorted(told.classes, np.asarray(told.labels[row])[heavy])
        own = row if told.row_ids is None else told.row_ids[row]
        title = f"{own}: {told.decisions[row]}"
        display: NeighborsDisplay = cls(names, weights[heavy], codes, told.classes, title=title)
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        rows = np.arange(len(self.names))
        for g in np.unique(self.codes):
            own = self.codes == g
            ax.barh(
                rows[own],
                self.weights[own],
                color=colour(g),
                hatch=HATCHES[g % 7],
                edgecolor="white",
                linewidth=0,
                height=0.7,
                label=plain(self.classes[g], 20),
            )
        ax.axvline(0, color=GREY, linewidth=0.6)
        ax.set_yticks(rows, [plain(name, 20) for name in self.names])
        ax.invert_yaxis()
        ax.set(xlabel="weight")
        ax.set_title(plain(self.title, 60), loc="left")
        ax.legend(loc="best")
