"""Repair negative eigenvalues, of queries too
===========================================

A support vector machine needs a matrix without negative eigenvalues. Clip, flip and shift repair
the training block. The mistake is to leave the queries as they are: then training and test
samples live in different spaces (JMLR §2.2).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from similearn import SimilaritySVC, SpectrumTransformer, datasets

problem = datasets.make_similarities(
    400, n_classes=3, indefinite=0.9, bayes_error=0.05, random_state=3
)
S, y = problem.data, problem.target
train, test = np.arange(200), np.arange(200, 400)
S_train, S_test = S[np.ix_(train, train)], S[np.ix_(test, train)]

# %%
# `similearn.SimilaritySVC` repairs both. Beside it, what happens if only the training block is
# repaired.

methods = ("clip", "flip", "square")
both, training_only = [], []
for method in methods:
    machine = SimilaritySVC(spectrum=method).fit(S_train, y[train])
    both.append(1 - machine.score(S_test, y[test]))
    repaired = SpectrumTransformer(method).fit_transform(S_train).values
    plain = SVC(kernel="precomputed").fit(repaired, y[train])
    training_only.append(1 - plain.score(S_test.values, y[test]))
    print(f"{method:7} both repaired {both[-1]:.3f}, queries left alone {training_only[-1]:.3f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for name in ("as it is", *methods[:2]):
    if name == "as it is":
        values = S_train.values
    else:
        values = SpectrumTransformer(name).fit_transform(S_train).values
    left.plot(np.linalg.eigvalsh(values)[::-1], label=name)
left.set(yscale="symlog", xlabel="number", title="eigenvalues of the training block")
left.axhline(0, color="0.7", linewidth=0.8)
left.legend(frameon=False)
positions = np.arange(len(methods))
right.bar(positions - 0.2, both, 0.4, label="queries repaired too")
right.bar(positions + 0.2, training_only, 0.4, label="queries left alone")
right.set(xticks=positions, xticklabels=methods, title="share of wrong labels")
right.legend(frameon=False)
plt.show()
