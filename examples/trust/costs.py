"""When one mistake costs more
===========================

To miss a rare illness costs more than a needless second look. With ``costs``, a model decides for
the least expected cost; its probabilities stay the same, and nothing is trained again.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import NeighborsClassifier, datasets

problem = datasets.make_similarities(900, bayes_error=0.12, random_state=1)
S, ill = problem.data, problem.target
train, test = np.arange(400), np.arange(400, 900)
model = NeighborsClassifier(25).fit(S[np.ix_(train, train)], ill[train])
queries = S[np.ix_(test, train)]

# %%
# ``costs[f, g]`` is the cost of deciding f where g is true. A miss costs ten times a false alarm:

costs = np.array([[0, 10], [1, 0]])
for name, matrix in (("the most probable", None), ("the least costly", costs)):
    decided = model.set_params(costs=matrix).predict(queries)
    paid = costs[decided, ill[test]].mean()
    missed, alarms = np.sum(decided < ill[test]), np.sum(decided > ill[test])
    print(f"{name:18} {missed:3} missed, {alarms:3} false alarms, mean cost {paid:.2f}")

# %%
# For every price of a miss:

prices = [1, 2, 5, 10, 20, 50]
counts = {"missed": [], "false alarms": []}
paid = {"the most probable": [], "the least costly": []}
plain = model.set_params(costs=None).predict(queries)
for price in prices:
    matrix = np.array([[0, price], [1, 0]])
    decided = model.set_params(costs=matrix).predict(queries)
    counts["missed"].append(np.mean(decided < ill[test]))
    counts["false alarms"].append(np.mean(decided > ill[test]))
    paid["the most probable"].append(matrix[plain, ill[test]].mean())
    paid["the least costly"].append(matrix[decided, ill[test]].mean())

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for axis, lines in zip(axes, (counts, paid), strict=True):
    for (name, values), style in zip(lines.items(), ("o-", "s--"), strict=True):
        axis.semilogx(prices, values, style, label=name)
    axis.set(xlabel="cost of a miss over that of a false alarm")
    axis.legend(frameon=False)
axes[0].set_ylabel("share of all samples")
axes[1].set_ylabel("mean cost")
plt.show()
