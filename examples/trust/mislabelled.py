"""Which label is wrong?
=====================

Twenty of 400 labels are changed. Each sample is judged by models that have not seen it; where its
given label is improbable, look again. How many must be looked at to find the wrong ones?
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import NeighborsClassifier, PathSearchCV, datasets, suspicious_labels

problem = datasets.make_similarities(400, n_classes=4, bayes_error=0.05, random_state=0)
S, truth = problem.data, problem.target
rng = np.random.default_rng(0)
changed = rng.choice(400, 20, replace=False)
given = truth.copy()
given[changed] = (truth[changed] + rng.integers(1, 4, 20)) % 4

search = PathSearchCV(
    NeighborsClassifier(weights="affinity"), {"n_neighbors": range(1, 17)}, keep_out_of_fold=True
).fit(S, given)
found = suspicious_labels(search, S, given)
print("\n".join(str(found).splitlines()[:6]))

# %%
# The suspicious labels come in the order in which to look at them.

hits = np.isin(found.samples, changed)
print(f"{hits.sum()} of 20 changed labels are among the {len(found)} suspicious ones")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for kind, label in ((hits, "was changed"), (~hits, "is as it was")):
    left.plot(np.flatnonzero(kind) + 1, found.given_probability[kind], "o", label=label)
left.set(xlabel="rank", ylabel="probability of the given label")
left.legend(frameon=False)
right.step(np.arange(len(hits) + 1), np.r_[0, hits.cumsum()], where="post", label="by rank")
right.plot([0, len(hits)], [0, len(hits) * 20 / 400], "--", color="0.6", label="by chance")
right.set(xlabel="labels looked at", ylabel="changed labels found")
right.legend(frameon=False)
plt.show()
