"""The chart of :doc:`/guide/which-method`: questions on the left, what to take on the right."""

import textwrap

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

QUESTIONS = [
    (
        "Several comparisons, or a table of features besides?",
        "Sources",
        "weigh or fuse them: DissimilarityCombiner, KernelCombiner, FusionClassifier",
    ),
    (
        "Too many samples for a matrix, or most pairs never compared?",
        "local methods",
        "NeighborsClassifier, LocalSVC, LocalSDAClassifier on sparse or lazy blocks",
    ),
    (
        "Must few references do, since comparing is slow?",
        "few prototypes",
        "DBoostClassifier(max_prototypes=20), LPMachineClassifier, PrototypeFeatures",
    ),
    (
        "Does only the order of the values mean something?",
        "order alone",
        'DBoostClassifier(base="sign"), NeighborsClassifier(weights="uniform")',
    ),
    (
        "Must a person be able to check every decision?",
        "neighbours as reasons",
        'NeighborsClassifier(weights="kri"): their weights are the probabilities',
    ),
]
BLUE, GREEN, GREY = "#2b6cb0", "#2f855a", "#4a5568"


def box(axis, x, y, width, height, text, colour, **style):
    """Draw a rounded box with text at its left."""
    patch = FancyBboxPatch(
        (x, y),
        width,
        height,
        boxstyle="round,pad=0.02,rounding_size=0.12",
        facecolor=colour + "14",
        edgecolor=colour,
        linewidth=1.2,
    )
    axis.add_patch(patch)
    axis.text(x + 0.16, y + height / 2, text, va="center", **style)


figure, axis = plt.subplots(figsize=(8.6, 6.2), facecolor="white", layout="constrained")
arrow = {"arrowstyle": "-|>", "color": GREY, "linewidth": 1.3, "mutation_scale": 13}
for row, (question, answer, names) in enumerate(QUESTIONS):
    y = 1.35 * (len(QUESTIONS) - row)
    box(axis, 0, y, 3.7, 0.95, textwrap.fill(question, 34), GREY, fontsize=9.5)
    box(axis, 4.7, y, 5.6, 0.95, "", BLUE)
    axis.text(4.86, y + 0.7, answer, va="center", weight="bold", color=BLUE, fontsize=9.5)
    axis.text(4.86, y + 0.3, textwrap.fill(names, 62), va="center", fontsize=8)
    axis.annotate("", (4.66, y + 0.48), (3.74, y + 0.48), arrowprops=arrow)
    axis.text(4.2, y + 0.56, "yes", ha="center", fontsize=8.5, color=GREY)
    axis.annotate("", (1.85, y - 0.36), (1.85, y - 0.02), arrowprops=arrow)
    axis.text(1.95, y - 0.2, "no", va="center", fontsize=8.5, color=GREY)
box(axis, 0, -0.1, 10.3, 1.05, "", GREEN)
axis.text(
    0.16, 0.63, "SimilarityClassifier()", va="center", weight="bold", color=GREEN, fontsize=11
)
axis.text(
    0.16,
    0.22,
    "The default: methods of all families, tuned on the same folds, combined by log-loss.",
    va="center",
    fontsize=8.8,
)
axis.set(xlim=(-0.1, 10.4), ylim=(-0.2, 7.8))
axis.axis("off")
