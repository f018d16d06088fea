"""Only the order counts
=====================

"Is it nearer to this one or to that one?" Boosting makes a strong classifier of such questions
about pairs of training samples (DBoost). With signs alone, any rescaling of the dissimilarity
that keeps its order changes nothing. A machine that reads the values sees other data each time;
mostly that does little harm, sometimes it does.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from similearn import (
    DBoostClassifier,
    DissimilarityToSimilarity,
    Pairwise,
    SimilaritySVC,
    datasets,
)

problem = datasets.make_similarities(300, bayes_error=0.05, kind="dissimilarity", random_state=0)
D, y = problem.data.values, problem.target
train, test = np.arange(200), np.arange(200, 300)
scales = {"d": D, "d²": D**2, "d³²": D**32, "exp(100 d)": np.exp(100 * D)}

only_labels = {"calibration": "none"}  # no probabilities, which take three more fits
machine = SimilaritySVC(**only_labels)
models = {
    "boosted pairs": DBoostClassifier(150, base="sign", random_state=0, **only_labels),
    "support vector machine": make_pipeline(DissimilarityToSimilarity(), machine),
}
errors = {name: [] for name in models}
for values in scales.values():
    block = Pairwise(values, "dissimilarity")
    for name, model in models.items():
        model.fit(block[np.ix_(train, train)], y[train])
        errors[name].append(1 - model.score(block[np.ix_(test, train)], y[test]))
for name, found in errors.items():
    print(f"{name:24}", " ".join(f"{error:.2f}" for error in found))

# %%
# To the right: how few training samples a query must be compared with.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for (name, found), shift in zip(errors.items(), (-0.2, 0.2), strict=True):
    left.bar(np.arange(len(scales)) + shift, found, 0.4, label=name)
left.set(xticks=range(len(scales)), xticklabels=list(scales), ylabel="error")
left.set_title("the same data on other scales", fontsize=10)
left.legend(frameon=False)
sizes, found = [], []
block = Pairwise(D, "dissimilarity")
for most in (2, 4, 8, 16, 32, 64):
    few = DBoostClassifier(150, max_prototypes=most, random_state=0, **only_labels)
    few.fit(block[np.ix_(train, train)], y[train])
    sizes.append(len(few.prototypes_))
    found.append(1 - few.score(block[np.ix_(test, train)], y[test]))
right.plot(sizes, found, "o-")
right.set(xlabel="prototypes", ylabel="error", ylim=(0, None))
right.set_title("few prototypes", fontsize=10)
plt.show()
