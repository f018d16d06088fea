"""The idea in one picture: objects, their comparisons, a label and its reasons.

The site draws it when it is built; ``python docs/pictures/idea.py`` draws the README's copy.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyArrowPatch

from similearn import NeighborsClassifier, Pairwise
from similearn.similarities import NgramProfile

NAMES = {
    "Finnish": ["korhonen", "virtanen", "nieminen", "koskinen", "lehtonen", "saarinen"],
    "Italian": ["rossi", "moretti", "ferrari", "marino", "bianchi", "marini"],
    "Polish": ["nowak", "kowalski", "kowalczyk", "kaminski", "lewandowski", "zielinski"],
}
COLOURS = dict(zip(NAMES, ["#2b6cb0", "#c05621", "#2f855a"], strict=True))
NEW = "lahtinen"
names = [name for group in NAMES.values() for name in group]
labels = [language for language, group in NAMES.items() for _ in group]
n = len(names)

compare = NgramProfile()
S = np.array([[compare(a, b) for b in names] for a in names])
row = np.array([[compare(NEW, b) for b in names]])
model = NeighborsClassifier(6, weights="krr", ridge=0.3).fit(Pairwise(S, "similarity"), labels)
probabilities = model.predict_proba(Pairwise(row, "similarity"))[0]
nearest = np.argsort(-row[0], kind="stable")[:3]


def draw(size, places):
    """Draw the four parts at their places."""
    plt.rcParams.update({"font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold"})
    figure = plt.figure(figsize=size, facecolor="white", layout="none")
    square, line, bars, why = (figure.add_axes(place) for place in places)

    colours = {"cmap": "Greys", "vmin": 0, "vmax": 0.8, "aspect": "auto"}
    square.imshow(S, **colours)
    square.set(xticks=[], yticks=range(n), yticklabels=names)
    square.set_title("1  Compare what you have", loc="left")
    line.imshow(row, **colours)
    line.set(xticks=[], yticks=[0], yticklabels=[NEW])
    line.set_xlabel("dark: alike. Any comparison will do; here, shared letters.", fontsize=9)
    line.get_yticklabels()[0].set_weight("bold")
    for tick, language in zip(square.get_yticklabels(), labels, strict=True):
        tick.set_color(COLOURS[language])
    for position, (language, colour) in enumerate(COLOURS.items()):
        square.text(n - 0.2, 6 * position + 2.5, language, color=colour, va="center", weight="bold")
        square.axhline(6 * position - 0.5, color="white", linewidth=2)
        square.axvline(6 * position - 0.5, color="white", linewidth=2)
        line.axvline(6 * position - 0.5, color="white", linewidth=2)

    order = np.argsort(probabilities, kind="stable")
    classes = model.classes_[order]
    bars.barh(classes, probabilities[order], color=[COLOURS[c] for c in classes])
    for position, p in enumerate(probabilities[order]):
        bars.text(p + 0.02, position, f"{p:.2f}", va="center")
    bars.set(xlim=(0, 1.1), xticks=[])
    bars.set_title("2  Get a label, with probabilities", loc="left")

    why.barh(range(3), row[0, nearest], color=[COLOURS[labels[i]] for i in nearest])
    for position, i in enumerate(nearest):
        why.text(row[0, i] + 0.012, position, f"{row[0, i]:.2f}", va="center")
    why.set(yticks=range(3), yticklabels=[names[i] for i in nearest], xlim=(0, 0.68), xticks=[])
    why.invert_yaxis()
    why.set_title("3  See why: names that support it", loc="left")
    for axis in (bars, why):
        axis.spines[["top", "right", "bottom"]].set_visible(False)
        axis.tick_params(length=0)
    for axis in (square, line):
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
    return figure


def wide():
    """Side by side, for the README and wide screens."""
    places = (0.12, 0.235, 0.3, 0.66), (0.12, 0.15, 0.3, 0.037)
    figure = draw((10.4, 4.4), (*places, (0.64, 0.62, 0.34, 0.27), (0.64, 0.15, 0.34, 0.27)))
    arrow = {"arrowstyle": "simple", "color": "0.4", "mutation_scale": 26}
    figure.add_artist(FancyArrowPatch((0.5, 0.52), (0.555, 0.52), **arrow))
    return figure


def narrow():
    """One below the other, for a phone."""
    places = (0.23, 0.6, 0.6, 0.36), (0.23, 0.555, 0.6, 0.02)
    return draw((4.6, 8.0), (*places, (0.23, 0.29, 0.74, 0.16), (0.23, 0.04, 0.74, 0.16)))


if "__file__" in globals():  # run by itself, not by the site
    wide().savefig(Path(__file__).parent / "idea.png", dpi=160)
