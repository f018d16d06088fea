"""Which of several comparisons matter?
====================================

The cylinder of the CDNN slides: points in five dimensions, compared along each axis by itself.
The class depends on the first two axes alone. Each comparison is poor by itself, and their plain
sum listens to noise. A combination that is learned finds the two.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import CDNNClassifier, DissimilarityCombiner, NeighborsClassifier, datasets

problem = datasets.make_cylinder(200)
X, y = problem.data, problem.target
train, test = np.arange(100), np.arange(100, 200)
X_train, X_test = X[np.ix_(train, train)], X[np.ix_(test, train)]

errors = {}
for name in X:
    model = NeighborsClassifier(1, kind="dissimilarity").fit(X_train[name], y[train])
    errors[name] = 1 - model.score(X_test[name], y[test])
for method in ("pythagorean", "weighted", "copositive"):
    combiner = DissimilarityCombiner(method, cone="spn", ridge=0.05)
    model = CDNNClassifier(combiner).fit(X_train, y[train])
    errors[method] = 1 - model.score(X_test, y[test])
for name, error in errors.items():
    print(f"{name:12} error {error:.2f}")

# %%
# The combined dissimilarity of a pair is π'Aπ, where π holds its five dissimilarities. The matrix
# A that was learned (to the right) has its weight where the class is.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3.6), layout="constrained")
colours = ["0.7"] * 5 + ["tab:orange", "tab:blue", "tab:blue"]
left.bar(list(errors), list(errors.values()), color=colours)
left.tick_params(axis="x", rotation=45)
left.set(ylabel="error", title="each alone, their sum, and learned ones")
A = model.combiner_.A_ / abs(model.combiner_.A_).max()
image = right.imshow(A, cmap="RdBu", vmin=-1, vmax=1)
right.set(xticks=range(5), yticks=range(5), xticklabels=list(X), yticklabels=list(X))
right.set_title("A, relative to its largest entry")
figure.colorbar(image)
plt.show()

# %%
# Why did the first query get its label?

print(model.explain(X_test).tell(0))
