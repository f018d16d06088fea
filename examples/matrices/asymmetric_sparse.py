"""Who names whom: asymmetric and sparse
=====================================

People of four units each name five others, mostly of their own unit, as in the Patrol data of
JMLR §7.1. Naming is not mutual, and most similarities are zero. Can the unit be told?
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from similearn import NeighborsClassifier, Pairwise, PathSearchCV, diagnose

rng = np.random.default_rng(0)
n, n_units, named = 240, 4, 5
unit = np.sort(rng.integers(n_units, size=n))
names = sparse.lil_array((n, n))
for person in range(n):
    likely = np.where(unit == unit[person], 6.0, 1.0)
    likely[person] = 0
    names[person, rng.choice(n, named, replace=False, p=likely / likely.sum())] = 1.0

# %%
# The matrix stays sparse. A `Pairwise` remembers both directions while it is cut, so that
# neighbours are found by the mean of both: whom I name, and who names me.

block = Pairwise(names.tocsr(), "similarity")
print(diagnose(block, unit))

# %%
# Which neighbours, and how many? A search tells it for every number at once.

grid = {"n_neighbors": list(range(1, 41))}
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.spy(block.values, markersize=1.5, color="tab:blue")
left.set(title="who (row) names whom (column)", xlabel="person, by unit", ylabel="person, by unit")
for weights, style in (("uniform", "--"), ("affinity", "-")):
    search = PathSearchCV(NeighborsClassifier(weights=weights), grid, cv=10).fit(block, unit)
    errors = 1 - search.cv_results_["mean_test_score"]
    right.plot(grid["n_neighbors"], errors, style, color="tab:blue", label=weights)
    print(f"{weights:8} {100 * errors.min():4.1f} % wrong with {search.best_params_}")
right.set(xlabel="neighbours", ylabel="share of wrong units", title="votes of neighbours")
right.legend(frameon=False)
plt.show()

# %%
# A person has about ten neighbours: five who are named, five who name. Beyond them similarities are
# zero. Equal votes then listen to strangers; votes weighted by similarity do not.
