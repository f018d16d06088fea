"""How alike is a class to a centroid?
===================================

Similarity discriminant analysis (JMLR §6) describes a class by how similar its members are to the
centroid of each class. Of all distributions with the observed mean it takes the least
presumptuous one, which is exponential.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import SDAClassifier

# %%
# Two groups of people judge pairs of sounds on a scale from 0 to 10; a sound has a hidden
# loudness and pitch, which nobody measured.

rng = np.random.default_rng(0)
y = np.repeat(["near", "far"], 60)
sound = rng.normal(size=(120, 2)) + np.where(y[:, None] == "far", 1.5, 0.0)
distance = np.linalg.norm(sound[:, None] - sound, axis=2)
S = np.clip(np.round(10 - 2 * distance + 0.5 * rng.normal(size=distance.shape)), 0, 10)
S = np.maximum(S, S.T)
model = SDAClassifier().fit(S, y)

# %%
# Four distributions for two classes: bars are the judgements, lines the exponentials with the
# same mean.

levels = np.unique(S)
width = levels[-1] - levels[0]
figure, axes = plt.subplots(2, 2, figsize=(8.4, 5), sharex=True, sharey=True, layout="constrained")
for g, row in enumerate(axes):
    for h, axis in enumerate(row):
        members = np.flatnonzero(y == model.classes_[g])
        judged = S[members, model.centroids_[h]]
        axis.bar(levels, [np.mean(judged == level) for level in levels], color="0.8")
        exponential = np.exp(model.rates_[g, h] * (levels - levels[-1]) / width)
        axis.plot(levels, exponential / exponential.sum(), "o-", markersize=3)
        axis.set_title(f"class {model.classes_[g]}, centroid of {model.classes_[h]}", fontsize=10)
for axis in axes[-1]:
    axis.set_xlabel("similarity to the centroid")
plt.show()

# %%
# A query needs no more than its similarities to the two centroids:

for pair in ([9, 4], [7, 7], [4, 9]):
    query = np.zeros((1, len(y)))
    query[0, model.centroids_] = pair
    p = model.predict_proba(query)[0]
    likes = ", ".join(f"{c} {s}" for c, s in zip(model.classes_, pair, strict=True))
    print(f"similarities {likes}: {model.classes_[p.argmax()]} with probability {p.max():.2f}")
