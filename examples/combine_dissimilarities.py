"""Which of several dissimilarities matter?
========================================

Which of several dissimilarities matter, and together how much?

Points in five dimensions, compared along each axis by itself; the class depends on the first two
axes alone. Each single dissimilarity is poor, their plain sum listens to noise, and a combination
learned for nearest neighbours finds the two.
"""

import numpy as np

from similearn import CDNNClassifier, DissimilarityCombiner, NeighborsClassifier, datasets

X, y = datasets.make_cylinder(200, return_X_y=True)
train, test = np.arange(100), np.arange(100, 200)
X_train, X_test = X[np.ix_(train, train)], X[np.ix_(test, train)]

for name in X:
    model = NeighborsClassifier(1, kind="dissimilarity").fit(X_train[name], y[train])
    print(f"{name} alone: error {1 - model.score(X_test[name], y[test]):.2f}")

for method in ("pythagorean", "weighted", "copositive"):
    combiner = DissimilarityCombiner(method, cone="spn", ridge=0.05)
    model = CDNNClassifier(combiner).fit(X_train, y[train])
    print(f"{method}: error {1 - model.score(X_test, y[test]):.2f}")

A = model.combiner_.A_
print("A, relative to its largest entry:")
print((A / abs(A).max()).round(2))
print(model.explain(X_test).tell(0))
