"""Affinity and diversity
======================

Affinity and diversity: the three illustrative examples of JMLR §5.2.2.

Four neighbours, and their KRI and KRR weights against the ridge λ. In Example 1 they differ only
in affinity to the query; in Example 2, x₂ and x₃ repeat each other and share their weight; in
Example 3 both goals meet. As in the paper, KRR weights are shown shifted so that they sum to one.
Its footnote 5 says that this changes no decision. That holds where the classes have equally many
neighbours: the shift adds the same to every neighbour, and so more to a class that has more of
them. `similearn.NeighborsClassifier` does not shift.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import kri_weights, krr_weights

alike = np.array([[5, 1, 1, 1], [1, 5, 4, 2], [1, 4, 5, 2], [1, 2, 2, 5]], dtype=float)
examples = [
    ("Example 1: affinity", 5 * np.eye(4), np.array([4.0, 3.0, 2.0, 1.0])),
    ("Example 2: diversity", alike, np.array([3.0, 3.0, 3.0, 3.0])),
    ("Example 3: both", alike, np.array([2.0, 4.0, 3.0, 3.0])),
]
ridges = np.logspace(-2, 2, 81)


def summing_to_one(w):
    return w + (1 - w.sum()) / len(w)


figure, axes = plt.subplots(3, 2, figsize=(8, 9), sharex=True, sharey="row", layout="constrained")
for row, (title, S, s) in zip(axes, examples, strict=True):
    kri = np.array([kri_weights(S, s, ridge) for ridge in ridges])
    krr = np.array([summing_to_one(krr_weights(S, s, ridge)) for ridge in ridges])
    for axis, weights, name in zip(row, (kri, krr), ("KRI", "KRR"), strict=True):
        for j, style in enumerate(["-", "--", "-.", ":"]):
            axis.semilogx(ridges, weights[:, j], style, color="black", label=f"$w_{j + 1}$")
        axis.set_title(f"{title}, {name} weights", fontsize=10)
        axis.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    print(f"{title}: at λ = 1, KRI {kri[40].round(3)}, KRR {krr[40].round(3)}")
axes[0, 0].legend(ncols=2, frameon=False, loc="upper right")
for axis in axes[-1]:
    axis.set_xlabel("λ")
plt.show()
