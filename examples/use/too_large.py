"""Too many samples for a matrix
=============================

The matrix of 100,000 words would hold ten billion numbers. Nearest-neighbour methods need a few
of them for each word: `similearn.neighbor_table` finds them exactly, pair by pair in tiles, and
keeps no more. Here with 3,000 words, so that it takes a moment.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from similearn import neighbor_table

# %%
# Words of four made-up languages, which prefer other letters.

rng = np.random.default_rng(0)
letters = list("aeiouklmnprst")
habits = rng.dirichlet(np.full(len(letters), 0.6), size=4)
language = rng.integers(4, size=3000)
words = ["".join(rng.choice(letters, rng.integers(5, 10), p=habits[g])) for g in language]

# %%
# Five neighbours of each word, and the vote of them. A file given as ``path=`` keeps what is
# done, so that the same call goes on after an interruption.

neighbor_table(words[:50], 5, "levenshtein", progress=False)  # the first call compiles
sizes, seconds, kept = [375, 750, 1500, 3000], [], []
for n in sizes:
    start = time.perf_counter()
    table = neighbor_table(words[:n], 5, "levenshtein", progress=False)
    seconds.append(time.perf_counter() - start)
    kept.append(table.neighbors.nbytes + table.values.nbytes)
votes = np.stack([np.sum(language[table.neighbors] == g, axis=1) for g in range(4)], axis=1)
print(table)
print(f"{np.mean(votes.argmax(axis=1) == language):.1%} of the words get their language")
print(f"kept: {kept[-1] / 1e6:.2f} MB; the matrix would take {8 * 3000**2 / 1e6:.0f} MB")

figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
left.loglog(sizes, seconds, "o-")
left.set(xlabel="words", ylabel="seconds", title="all pairs are compared once")
right.loglog(sizes, np.divide(kept, 1e6), "o-", label="the table")
right.loglog(sizes, 8e-6 * np.square(sizes), "s--", label="the matrix")
right.set(xlabel="words", ylabel="MB", title="few of them are kept")
right.legend(frameon=False)
for axis in (left, right):
    axis.set_xticks(sizes, sizes)
    axis.set_xticks([], minor=True)
plt.show()
