"""How to fool yourself with pairwise data
=======================================

The labels here are coins that were tossed, and nothing can be learned. Two mistakes make it look
as if something were: a comparison that was learned from all labels, and copies on both sides of
the split.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from similearn import NeighborsClassifier, PairwiseSimilarity

rng = np.random.default_rng(0)
label = rng.integers(0, 2, 120)
vote = NeighborsClassifier(3, kind="dissimilarity")
folds = StratifiedKFold(10, shuffle=True, random_state=0)

# %%
# **A comparison learned from all labels.** The value difference metric learns from labels which
# answers are alike. Inside the pipeline, each fold learns from its own training part.

answers = rng.integers(0, 12, (120, 30)).astype(str)
learned = PairwiseSimilarity("value_difference")
once = learned.fit(answers, label).transform(answers)
scores = {
    "metric learned once": cross_val_score(vote, once, label, cv=folds),
    "metric learned inside": cross_val_score(
        make_pipeline(learned, vote), answers, label, cv=folds
    ),
}

# %%
# **Copies on both sides.** Three recordings of each of eighty speakers, who have a label each. The
# nearest recording is of the same speaker.

speaker = np.repeat(np.arange(80), 3)
label = rng.integers(0, 2, 80)[speaker]
voice = rng.normal(size=(80, 8))[speaker] + 0.3 * rng.normal(size=(240, 8))
compare = make_pipeline(PairwiseSimilarity("euclidean"), vote)
scores["speakers split"] = cross_val_score(compare, voice, label, cv=folds)
scores["speakers whole"] = cross_val_score(compare, voice, label, cv=GroupKFold(10), groups=speaker)

figure, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
names = list(scores)[::-1]
means = [scores[name].mean() for name in names]
axis.barh(names, means, color=["tab:blue", "tab:red"] * 2)
axis.axvline(0.5, color="0.4", linewidth=0.8)
axis.set(xlim=(0, 1), xlabel="accuracy on labels that are coins (red: the mistake)")
for name in names:
    print(f"{name:22} {scores[name].mean():.2f}")
plt.show()
