"""A similarity that takes long
============================

An alignment, a simulation or a person's judgement may cost a second per pair. A proximity forest
(Lucas et al. 2019) asks for few pairs: each node of a tree compares samples with one exemplar of
each class. Here every comparison is counted.
"""

import matplotlib.pyplot as plt
import numpy as np

from similearn import NeighborsClassifier, PairwiseSimilarity, ProximityForestClassifier

rng = np.random.default_rng(0)
letters, habits = list("aeiouklmnprst"), rng.dirichlet(np.full(13, 0.6), size=3)
language = rng.integers(3, size=700)
words = ["".join(rng.choice(letters, 9, p=habits[g])) for g in language]
counts = {word: [word.count(letter) for letter in letters] for word in words}
compared = [0]


def slow(a, b):
    """A dissimilarity of two words that counts how often it is asked."""
    compared[0] += 1
    return sum(abs(x - y) for x, y in zip(counts[a], counts[b], strict=True))


models = {
    "forest": ProximityForestClassifier(10, n_candidates=3, calibration="none", random_state=0),
    "nearest neighbours": NeighborsClassifier(9),
}
sizes, asked, errors = (50, 100, 200, 400), {}, {}
for name, model in models.items():
    asked[name], errors[name] = [], []
    for n in sizes:
        compared[0] = 0
        compare = PairwiseSimilarity(slow, kind="dissimilarity", symmetric=True, lazy=True)
        model.fit(compare.fit_transform(words[:n]), language[:n])
        asked[name].append(compared[0] / n)
        queries = compare.transform(words[500:])
        errors[name].append(1 - model.score(queries, language[500:]))
    print(f"{name:20}", " ".join(f"{error:.2f}" for error in errors[name]))

# %%
# To the left: comparisons of each training sample. A forest's grow with the logarithm of n, those
# of a table of neighbours with n.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for name in models:
    left.plot(sizes, asked[name], "o-", label=name)
    right.plot(sizes, errors[name], "o-", label=name)
left.set(xlabel="training samples", ylabel="comparisons of each", ylim=(0, None))
right.set(xlabel="training samples", ylabel="error", ylim=(0, None))
left.legend(frameon=False)
plt.show()
