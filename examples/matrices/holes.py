"""Judgements that nobody was asked for
=====================================

Suppose that people judged how alike sounds are, but never all pairs. What should stand in the
holes? A zero says "not alike at all", which nobody said. Here the holes are filled from the other
direction, then from what is usual for the two sounds, as ``similearn fit --missing fill`` does, and
both ways are tried on judgements that are generated.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_predict

from similearn import NeighborsClassifier, Pairwise, PathSearchCV, convert, datasets

sounds = datasets.make_similarities(120, n_classes=2, bayes_error=0.03, random_state=4)
S, y = sounds.data.values, sounds.target
order = np.argsort(y, kind="stable")
S, y = S[np.ix_(order, order)], y[order]


def with_holes(share, seed=0):
    """The judgements, a share of them taken out at random in each direction."""
    holes = np.random.default_rng(seed).random(S.shape) < share
    np.fill_diagonal(holes, False)
    return np.where(holes, np.nan, S)


# %%
# Seven judgements of ten are missing. On the left they are drawn as zeros, on the right they are
# filled; the two kinds of sounds are two squares along the diagonal.

known = with_holes(0.7)
ways = {"zero": np.nan_to_num(known), "filled": convert.fill_missing(known).values}
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for axis, (name, block) in zip(axes, {"asked of all": S, **ways}.items(), strict=True):
    axis.imshow(block, cmap="viridis", vmin=S.min(), vmax=S.max())
    axis.set(title=name, xticks=[], yticks=[])
plt.show()
print(convert.fill_missing(known).told())

# %%
# The error of k nearest neighbours, k tuned, as more and more judgements are missing; means over
# two draws of the holes. Up to seven missing of ten the two ways differ by a sample or two of 120,
# which tells nothing; of nine missing of ten zeros lose less here. Try both on your own data.


def error(block):
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": range(1, 17)})
    return np.mean(cross_val_predict(search, Pairwise(block, "similarity"), y, cv=5) != y)


shares = [0.1, 0.3, 0.5, 0.7, 0.9]
errors = {"zero": [], "filled": []}
for share in shares:
    draws = [with_holes(share, seed) for seed in range(2)]
    errors["zero"].append(np.mean([error(np.nan_to_num(draw)) for draw in draws]))
    errors["filled"].append(np.mean([error(convert.fill_missing(draw).values) for draw in draws]))

figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
for (name, found), style in zip(errors.items(), ("s--", "o-"), strict=True):
    axis.plot(shares, found, style, label=name)
axis.axhline(error(S), color="grey", linewidth=1, label="nothing missing")
axis.set(xlabel="share of judgements that is missing", ylabel="error", ylim=(0, None))
axis.legend(frameon=False)
plt.show()
