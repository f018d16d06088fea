"""From raw votes to probabilities
===============================

Parties of members of the House of Representatives of 1984, from sixteen votes, by the value
difference metric. The similarity is learned from labels, so it belongs inside the pipeline: each
fold of the cross-validation then fits it on its own training rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from similearn import NeighborsClassifier, PairwiseSimilarity, datasets

votes = datasets.load_house_votes()
for weights, k in [("uniform", 5), ("uniform", 15)]:
    model = make_pipeline(
        PairwiseSimilarity("value_difference"),
        NeighborsClassifier(k, weights=weights, kind="dissimilarity"),
    )
    p = cross_val_predict(model, votes.data, votes.target, cv=10, method="predict_proba")
    labels = sorted(set(votes.target))
    error = sum(labels[i] != y for i, y in zip(p.argmax(axis=1), votes.target, strict=True))
    print(f"k = {k:2}: {error} of {len(p)} wrong, log-loss {log_loss(votes.target, p):.3f}")

# %%
# Held-out probabilities of the last model. The few who vote with the other party stand out.

figure, axis = plt.subplots(figsize=(6.4, 3), layout="constrained")
party = np.asarray(votes.target)
for name, colour in zip(labels, ("tab:blue", "tab:red"), strict=True):
    chances = p[party == name, 1]
    axis.hist(chances, bins=20, range=(0, 1), color=colour, alpha=0.7, label=name)
axis.set(yscale="log", xlabel=f"probability of {labels[1]}", ylabel="members")
axis.legend(frameon=False)
plt.show()

# %%
# Why does the first member get this party?

model.fit(votes.data, votes.target)
block = model[:-1].transform(votes.data[:1])
print(model[-1].explain(block).tell(0))
