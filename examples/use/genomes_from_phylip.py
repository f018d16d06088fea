"""Genomes in a PHYLIP file
========================

Programs that compare genomes write their distances as PHYLIP: the number of genomes, then a name
and a row of numbers for each. ``read_pairwise`` knows it by its content, labels are joined by
name, and a genome without a label is one to predict.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from similearn import SimilarityClassifier, diagnose, read_pairwise

# %%
# Three lineages of one ancestor, each with mutations of its own, and the distances between them:
# the share of places at which two genomes differ.

rng = np.random.default_rng(3)
lineages = np.repeat(["northern", "southern", "island"], 14)


def mutated(genome, share):
    return np.where(rng.random(genome.shape) < share, rng.integers(4, size=genome.shape), genome)


founders = [mutated(np.zeros(400, dtype=int), 0.3) for _ in range(3)]
genomes = np.array([mutated(founders[i // 14], 0.25) for i in range(42)])
D = (genomes[:, None] != genomes).mean(axis=2)
names = [f"isolate_{i:02d}" for i in range(42)]

folder = Path(tempfile.mkdtemp())
rows = [f"{name}  " + " ".join(f"{d:.4f}" for d in row) for name, row in zip(names, D, strict=True)]
(folder / "distances.phy").write_text("\n".join([f"   {len(D)}", *rows]) + "\n")
known = [i for i in range(42) if i % 7]  # every seventh was found without a note of its place
lines = [f"{names[i]}\t{lineages[i]}" for i in known]
(folder / "places.tsv").write_text("\n".join(["isolate\tplace", *lines]) + "\n")
print("\n".join((folder / "distances.phy").read_text().splitlines()[:3])[:160], "...")

# %%
# Two files in, one object out: the kind is read from the zeros of the diagonal.

read = read_pairwise(folder / "distances.phy", labels=folder / "places.tsv")
block, train = read.block, read.labelled
print(block)
print(diagnose(block[np.ix_(train, train)], read.labels[train]))

# %%
# The default learns from the genomes with a place; the others are rows of the same file.

model = SimilarityClassifier(effort="quick")
model.fit(block[np.ix_(train, train)], read.labels[train])
found = model.predict_proba(block[np.ix_(~train, train)])
for name, p, true in zip(block.row_ids[~train], found, lineages[~train], strict=True):
    print(f"{name}  {model.classes_[p.argmax()]:9} {p.max():.2f}   (was {true})")

# %%
# The distances, sorted by lineage: a third of the places differ within one, half between two.

figure, axis = plt.subplots(figsize=(4.6, 4), layout="constrained")
image = axis.imshow(D, cmap="viridis_r")
axis.set(xticks=[7, 21, 35], yticks=[7, 21, 35])
axis.set_xticklabels(["northern", "southern", "island"])
axis.set_yticklabels(["northern", "southern", "island"], rotation=90, va="center")
figure.colorbar(image, label="share of places that differ")
plt.show()
