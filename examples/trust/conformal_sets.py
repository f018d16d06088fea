"""A set of labels that holds the true one
=======================================

Where a single label would be a guess, a *conformal set* holds every label that cannot be ruled
out. How often it holds the true one is yours to choose, and nothing is assumed but that new
samples are like the old ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import NeighborsClassifier, datasets

problem = datasets.make_similarities(1000, 3, bayes_error=0.15, n_latent=3, random_state=0)
S, y = problem.data, problem.target
train, test = np.arange(400), np.arange(400, 1000)
model = NeighborsClassifier(9).fit(S[np.ix_(train, train)], y[train])
queries = S[np.ix_(test, train)]

# %%
# Ask for nine of ten.

sets = model.predict_set(queries, coverage=0.9)
sizes = sets.sum(axis=1)
covered = sets[np.arange(len(test)), y[test]].mean()
print(f"{covered:.1%} of the sets hold the true label")
for size in range(4):
    print(f"{np.mean(sizes == size):6.1%} hold {size} labels")

# %%
# The samples have hidden positions, which the model never sees. Doubt lies between the classes.
# To the right, the coverage that was asked for and the coverage that came out.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3.9), layout="constrained")
centre = problem.means.mean(axis=0)
plane = np.linalg.svd(problem.means - centre)[2][:2]  # through the three class means
position = (problem.latent[test] - centre) @ plane.T
for size, colour in ((1, "tab:blue"), (2, "tab:orange"), (3, "tab:red"), (0, "black")):
    some = sizes == size
    label = f"{size} label{'s' * (size != 1)}"
    left.plot(*position[some].T, ".", color=colour, markersize=4, label=label)
left.set(xticks=[], yticks=[], title="size of the set")
left.legend(frameon=False, ncols=2, fontsize=8)
wanted = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
tried = [model.predict_set(queries, coverage=share) for share in wanted]
right.axline((0.5, 0.5), slope=1, color="0.6", linewidth=0.8)
right.plot(wanted, [s[np.arange(len(test)), y[test]].mean() for s in tried], "o-")
right.set(xlabel="coverage asked for", ylabel="coverage seen", title="the promise is kept")
plt.show()
