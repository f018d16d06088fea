"""Who names whom: asymmetric and sparse
=====================================

Asymmetric and sparse: who names whom, as in the Patrol data of JMLR §7.1.

People of four units each name five others, mostly of their own unit. Naming is not
mutual, and most similarities are zero. A `Pairwise` carries both directions through
cross-validation, so that neighbours are found by the mean of both.
"""

import numpy as np
from scipy import sparse
from sklearn.model_selection import cross_val_score

from similearn import NeighborsClassifier, Pairwise, PathSearchCV, diagnose

rng = np.random.default_rng(0)
n, n_units, named = 240, 4, 5
unit = rng.integers(n_units, size=n)
names = sparse.lil_array((n, n))
for person in range(n):
    likely = np.where(unit == unit[person], 12.0, 1.0)
    likely[person] = 0
    names[person, rng.choice(n, named, replace=False, p=likely / likely.sum())] = 1.0

block = Pairwise(names.tocsr(), "similarity")
report = diagnose(block, unit)
print(report)

for weights in ("uniform", "affinity"):
    model = PathSearchCV(NeighborsClassifier(weights=weights), {"n_neighbors": range(1, 17)})
    accuracy = cross_val_score(model, block, unit, cv=5)
    print(f"{weights:8} {100 * (1 - accuracy.mean()):5.1f} % error")
