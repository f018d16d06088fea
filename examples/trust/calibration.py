"""Do the probabilities hold?
==========================

Of all samples that are given 80 %, four of five should be right. A reliability diagram shows it:
near the line, what a model says is what happens. Votes of few neighbours say "never" and "always"
too often.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.metrics import log_loss

from similearn import NeighborsClassifier, SimilarityClassifier, SimilaritySVC, datasets

problem = datasets.make_similarities(900, bayes_error=0.15, noise=0.05, random_state=0)
S, y = problem.data, problem.target
train, test = np.arange(300), np.arange(300, 900)
S_train, S_test = S[np.ix_(train, train)], S[np.ix_(test, train)]

models = {
    "3 neighbours": NeighborsClassifier(3),
    "support vector machine": SimilaritySVC(),
    "the default": SimilarityClassifier(effort="quick", random_state=0),
}

# %%
# The grey bars count how many samples got each probability.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
for axis, (name, model) in zip(axes, models.items(), strict=True):
    p = model.fit(S_train, y[train]).predict_proba(S_test)[:, 1]
    seen, said = calibration_curve(y[test], p, n_bins=8)
    counts, edges = np.histogram(p, bins=20, range=(0, 1))
    axis.bar(edges[:-1], counts / counts.max() / 3, 0.05, align="edge", color="0.85")
    axis.axline((0, 0), slope=1, color="0.5", linewidth=0.8)
    axis.plot(said, seen, "o-")
    error, loss = np.mean((p > 0.5) != y[test]), log_loss(y[test], p)
    axis.set(
        xlabel="probability that was given", title=f"{name}\nerror {error:.3f}, log-loss {loss:.2f}"
    )
    print(f"{name:24} error {error:.3f}, log-loss {loss:.3f}")
axes[0].set_ylabel("share that came true")
plt.show()

# %%
# The errors are close to each other, the log-losses are not: who says "never" and is wrong pays
# for it. The best possible error is 0.15 here.
