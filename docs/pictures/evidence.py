"""No method wins everywhere: errors of JMLR Table 3's methods, from the stored results."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

HERE = Path(globals().get("__file__", "evidence.py")).resolve().parent  # the site runs it here
STORED = HERE.parent / "reproduction" / "results" / "jmlr-3.jsonl.gz"
SETS = {"aural-sonar": "Aural Sonar", "protein": "Protein", "voting": "Voting"}
METHODS = {
    "knn": "nearest neighbours",
    "affinity-knn": "… weighted by similarity",
    "kri-knn": "… KRI weights",
    "krr-knn": "… KRR weights",
    "local-sda": "local SDA",
    "svm-knn": "local SVM",
    "svm-clip": "SVM, clipped",
    "features-linear-svm": "linear SVM on rows",
    "features-rbf-svm": "Gaussian SVM on rows",
    "psvm": "potential SVM",
    "features-boosting": "boosted trees on rows",
}
found = defaultdict(list)
with gzip.open(STORED, "rt", encoding="utf-8") as lines:
    for line in lines:
        record = json.loads(line)
        found[record["problem"], record["method"]].append(100 * record["error"])
errors = np.array([[np.mean(found[s, m]) for s in SETS] for m in METHODS])

figure, axes = plt.subplots(1, len(SETS), figsize=(8.2, 3.6), sharey=True, layout="constrained")
for axis, name, column in zip(axes, SETS.values(), errors.T, strict=True):
    best = column == column.min()
    axis.barh(list(METHODS.values()), column, color=np.where(best, "#2f855a", "#a0aec0"))
    axis.text(column.min(), best.argmax(), f" {column.min():.1f}", va="center", color="#2f855a")
    axis.set(title=name, xlabel="error, %")
    axis.spines[["top", "right"]].set_visible(False)
axes[0].invert_yaxis()
