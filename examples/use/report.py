"""A page to hand on
=================

One file that opens in any browser without a network: what the data are like, how good the model
is, where it errs, and why. In the shell, ``similearn report scores.npz -o report.html`` writes
the same.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.manifold import MDS

from similearn import NeighborsClassifier, PathSearchCV, datasets, write_report

problem = datasets.make_similarities(
    150, n_classes=3, asymmetry=0.3, bayes_error=0.1, random_state=0
)
S, y = problem.data, np.array(["alder", "birch", "cedar"])[problem.target]
search = PathSearchCV(NeighborsClassifier(weights="krr"), {"n_neighbors": [4, 8, 16]}).fit(S, y)

folder = Path(tempfile.mkdtemp())
page = write_report(search, folder / "report.html", X=S, y=y, title="Three kinds of trees")
size = page.stat().st_size / 1e6
print(f"{page.name}: {size:.1f} MB")
assert "http-equiv" in page.read_text(
    encoding="utf-8"
)  # a policy that forbids it to fetch anything

# %%
# Its map places alike samples near to each other. This is the same idea in a few lines; the page
# lets you point at a sample and see its neighbours, its probabilities and its row of the matrix.

similarity = (S.values + S.values.T) / 2
position = MDS(metric="precomputed", init="random", n_init=1, random_state=0).fit_transform(
    similarity.max() - similarity - np.diag(similarity.max() - np.diag(similarity))
)
figure, axis = plt.subplots(figsize=(5.4, 4), layout="constrained")
for name in np.unique(y):
    axis.plot(*position[y == name].T, "o", markersize=4, label=name)
axis.set(xticks=[], yticks=[], title="the samples, by their similarities alone")
axis.legend(frameon=False)
plt.show()
