"""How good decisions and probabilities are: reliability, coverage, confusion, class sizes."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from similearn.data.checks import distinct_labels, number_array, require_integer
from similearn.errors import InputError, InputTypeError
from similearn.estimators.shell.labels import label_column
from similearn.numerics.scores.judgement import (
    confusion,
    error_by_coverage,
    reliability,
    wilson_interval,
)
from similearn.plots.figures import GREY, INK, PALE, PlotDisplay, plain
from similearn.report.contents.gathering import natural_order
from similearn.report.contents.judging import judged_samples
from similearn.report.contents.sheets import Judged
from similearn.similarities.shell.objects import count

_LONGEST_AXIS = 40  # classes whose names are written along an axis


def judged_by(model: Any, X: Any, y: Any, random_state: int = 0) -> Judged:
    """What a fitted model says of labelled samples; those that it was fitted to are held out."""
    if not isinstance(model, BaseEstimator) or not is_classifier(model):
        raise InputTypeError(f"estimator is of type {type(model).__name__}; expected a classifier.")
    require_integer("random_state", random_state, low=0)
    y = label_column(y, count(X))
    return judged_samples(model, X, y, [str(i) for i in range(len(y))], random_state)


def judged_from(y_true: Any, y_prob: Any, classes: Any = None) -> Judged:
    """What is known from labels and probabilities (n, n_classes), columns in order of classes."""
    P = number_array("y_prob", y_prob, "probabilities (n, n_classes)")
    y_true = label_column(y_true, count(P))
    given = _named(y_true) if classes is None else label_column(classes, count(classes))
    classes = _named(given)
    if P.shape != (len(y_true), len(classes)) or len(given) != len(classes):
        raise InputError(
            f"y_prob has the shape {P.shape}; expected ({len(y_true)}, {len(classes)}): a column "
            "for each class. Say which classes these are by classes=."
        )
    P = P[:, np.argsort(given, kind="stable")]
    truth = np.searchsorted(classes, y_true)
    truth = np.where(classes[np.minimum(truth, len(classes) - 1)] == y_true, truth, -1)
    return Judged(classes, truth, P.argmax(axis=1), P, "")


def _named(classes: Any) -> Any:
    """The distinct of some labels, sorted, if there are any."""
    found = distinct_labels(classes, count(classes))[0]
    if not len(found):
        raise InputError("There are no classes; expected at least one label.")
    return found


class _Judging(PlotDisplay):
    """Displays of stated probabilities; subclasses take what a model said."""

    @classmethod
    def _of(cls, judged: Judged) -> Any:
        raise NotImplementedError

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, random_state: int = 0, ax: Any = None
    ) -> Any:
        """Judge a fitted model on labelled samples, and draw.

        Parameters
        ----------
        estimator : fitted classifier or search
        X, y : labelled samples. Those that it was fitted to are held out by folds, so that nothing
            speaks for itself; others are judged as they are.
        random_state : deals the folds
        ax : matplotlib axes, or None for a new figure
        """
        return cls._of(judged_by(estimator, X, y, random_state)).plot(ax)

    @classmethod
    def from_predictions(cls, y_true: Any, y_prob: Any, *, classes: Any = None, ax: Any = None):
        """Draw what probabilities (n, n_classes) are worth.

        Parameters
        ----------
        y_true : (n,) labels
        y_prob : (n, n_classes)
        classes : what the columns are of; by default the sorted labels
        ax : matplotlib axes, or None for a new figure
        """
        return cls._of(judged_from(y_true, y_prob, classes)).plot(ax)


def _confidence(judged: Judged) -> Any:
    if judged.confidence is None:
        raise InputError("The model gives no probabilities; expected one with predict_proba.")
    return judged.confidence


class ReliabilityDisplay(_Judging):
    """Whether stated probabilities can be believed: how often they are right, with counts.

    Parameters
    ----------
    stated, right : (b,) mean probability of the decisions in each bin, and how many are right
    count : (b,) samples
    error : mean distance of stated and right over samples

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import NeighborsClassifier, datasets
    >>> from similearn.plots import ReliabilityDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> model = NeighborsClassifier(9).fit(X, y)
    >>> display = ReliabilityDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_xlabel()
    'stated probability, %'
    """

    _height = 2.7

    def __init__(self, stated: Any, right: Any, count: Any, *, error: float | None = None) -> None:
        self.stated, self.right, self.count = stated, right, count
        self.error = error

    @classmethod
    def _of(cls, judged: Judged) -> "ReliabilityDisplay":
        found = reliability(_confidence(judged), judged.right)
        return cls(found.stated, found.right, found.count, error=found.error)

    def _draw(self, ax: Any) -> None:
        stated, right = 100 * np.asarray(self.stated), 100 * np.asarray(self.right)
        count = np.asarray(self.count)
        ends = [wilson_interval(r * c / 100, int(c)) for r, c in zip(right, count, strict=True)]
        low, high = 100 * np.array(ends).reshape(-1, 2).T
        ax.bar(stated, 22 * count / max(count.max(initial=1), 1), 6, color=PALE, zorder=0)
        for x, c in zip(stated, count, strict=True):
            ax.text(
                x, 22 * c / max(count.max(), 1) + 1, str(c), ha="center", fontsize=6, color=GREY
            )
        ax.plot([0, 100], [0, 100], "--", color=GREY, linewidth=0.8)
        spread = np.maximum([right - low, high - right], 0)
        ax.errorbar(stated, right, spread, fmt="o", color=INK, markersize=4, elinewidth=1)
        ax.set(xlim=(0, 103), ylim=(0, 103))
        ax.set(xlabel="stated probability, %", ylabel="right, %")


class CoverageDisplay(_Judging):
    """Error among the samples that are decided, if doubtful ones are refused.

    Parameters
    ----------
    coverage, error : (t,) share of samples that are decided, and the error among them

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn import NeighborsClassifier, datasets
    >>> from similearn.plots import CoverageDisplay
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> display = CoverageDisplay.from_estimator(NeighborsClassifier(9).fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'samples decided, %'
    """

    def __init__(self, coverage: Any, error: Any) -> None:
        self.coverage, self.error = coverage, error

    @classmethod
    def _of(cls, judged: Judged) -> "CoverageDisplay":
        coverage, error, _ = error_by_coverage(_confidence(judged), judged.right)
        return cls(coverage, error)

    def _draw(self, ax: Any) -> None:
        coverage, error = 100 * np.asarray(self.coverage), 100 * np.asarray(self.error)
        ax.plot(coverage, error, drawstyle="steps-pre", color=INK)
        ax.plot(coverage[-1:], error[-1:], "o", color=INK)
        ax.set(xlim=(0, 103), ylim=(0, None), xlabel="samples decided, %", ylabel="error, %")


class ConfusionDisplay(_Judging):
    """Which classes are taken for which: rows are true classes, shades their shares.

    Parameters
    ----------
    counts : (n_classes, n_classes)
    classes : their names

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn.plots import ConfusionDisplay
    >>> ConfusionDisplay.from_predictions(["bat", "bat", "owl"], ["bat", "owl", "owl"]).counts
    array([[1, 1],
           [0, 1]])
    """

    _height = 3.2

    def __init__(self, counts: Any, classes: Any) -> None:
        self.counts, self.classes = np.asarray(counts), [str(c) for c in classes]

    @classmethod
    def _of(cls, judged: Judged) -> "ConfusionDisplay":
        known = judged.truth >= 0
        counts = confusion(judged.truth[known], judged.decided[known], len(judged.classes))
        return cls(counts, judged.classes)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, classes: Any = None, ax: Any = None):
        """Draw from labels and decisions, both (n,); `classes` by default all that occur."""
        y_true = label_column(y_true, count(y_true))
        y_pred = label_column(y_pred, len(y_true))
        both = np.concatenate([y_true, y_pred])
        classes = _named(both if classes is None else classes)
        if not np.isin(both, classes).all():
            raise InputError("y_true or y_pred holds labels that are not among the classes.")
        truth, decided = (np.searchsorted(classes, part) for part in (y_true, y_pred))
        return cls(confusion(truth, decided, len(classes)), classes).plot(ax)

    def _draw(self, ax: Any) -> None:
        order = natural_order(self.classes)
        counts = self.counts[np.ix_(order, order)]
        names = [plain(self.classes[g], 16) for g in order]
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        ax.imshow(shares, cmap="Greys", vmin=0, vmax=1.15)
        if len(names) <= 12:
            for i, j in zip(*np.nonzero(counts), strict=True):
                ink = "white" if shares[i, j] > 0.55 else "black"
                ax.text(j, i, str(counts[i, j]), ha="center", va="center", color=ink, fontsize=7)
        if len(names) <= _LONGEST_AXIS:
            turned = 90 if max(map(len, names)) * len(names) > 34 else 0
            size = 7 if len(names) <= 12 else 5
            ax.set_xticks(range(len(names)), names, rotation=turned, fontsize=size)
            ax.set_yticks(range(len(names)), names, fontsize=size)
        else:
            ax.set(xticks=[], yticks=[])
        ax.set(xlabel="decision", ylabel="true class")
        ax.spines[:].set_visible(True)


class ClassSizesDisplay(PlotDisplay):
    """Samples of each class, the largest first.

    Parameters
    ----------
    classes : names
    sizes : samples of each

    Attributes
    ----------
    ax_, figure_
        {drawn}

    Examples
    --------
    >>> from similearn.plots import ClassSizesDisplay
    >>> ClassSizesDisplay.from_predictions(["bat", "owl", "owl"]).classes
    ['owl', 'bat']
    """

    def __init__(self, classes: Any, sizes: Any) -> None:
        order = np.argsort(-np.asarray(sizes), kind="stable")[:_LONGEST_AXIS]
        self.classes = [str(classes[g]) for g in order]
        self.sizes = np.asarray(sizes)[order]
        self._height = 0.5 + 0.16 * max(len(self.sizes), 3)

    @classmethod
    def from_predictions(cls, y_true: Any, *, ax: Any = None) -> "ClassSizesDisplay":
        """Count the labels `y_true`, and draw; the 40 largest classes."""
        classes, _, sizes = distinct_labels(y_true, count(y_true))
        display = cls(classes, sizes)
        display.plot(ax)
        return display

    def _draw(self, ax: Any) -> None:
        rows = np.arange(len(self.sizes))
        bars = ax.barh(rows, self.sizes, color=GREY, height=0.7)
        ax.bar_label(bars, padding=2, fontsize=6)
        ax.set_yticks(rows, [plain(name, 20) for name in self.classes])
        ax.invert_yaxis()
        ax.set(xlabel="samples")
        ax.margins(x=0.12)
