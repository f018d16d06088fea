"""What is the matter with my matrix?
==================================

Four matrices of the same samples: one is an inner product, one is asymmetric, one has negative
eigenvalues, one is sparse. ``diagnose`` tells them apart, and says what follows from it.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import datasets, diagnose

kinds = {
    "as in textbooks": {},
    "asymmetric": {"asymmetry": 0.8},
    "indefinite": {"indefinite": 0.8},
    "sparse": {"sparsity": 0.9},
}
blocks = {}
for name, settings in kinds.items():
    problem = datasets.make_similarities(120, n_classes=3, random_state=1, **settings)
    order = np.argsort(problem.target, kind="stable")
    blocks[name] = problem.data[np.ix_(order, order)]
target = problem.target[order]

# %%
# Above, the matrices, sorted by class. Below, the eigenvalues of their symmetric part: the
# negative ones are red. A support vector machine assumes that there are none.

figure, axes = plt.subplots(2, 4, figsize=(10, 4.6), layout="constrained", height_ratios=[1.5, 1])
for (above, below), (name, block) in zip(axes.T, blocks.items(), strict=True):
    values = block.values.toarray() if block.is_sparse else block.values
    eigenvalues = np.linalg.eigvalsh((values + values.T) / 2)[::-1]
    above.imshow(values, cmap="viridis")
    above.set(title=name, xticks=[], yticks=[])
    below.bar(range(120), eigenvalues, color=np.where(eigenvalues < -1e-9, "tab:red", "tab:blue"))
    below.set(xticks=[], yscale="symlog", ylim=(-30, 100))
axes[1, 0].set_ylabel("eigenvalues")
plt.show()

# %%
# What the diagnosis says of the third:

print(diagnose(blocks["indefinite"], target))
