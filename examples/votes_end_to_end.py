"""From raw votes to probabilities
===============================

From raw records to probabilities: parties from votes, by the value difference metric.

The similarity is learned from labels, so it belongs inside the pipeline: each fold of the
cross-validation then fits it on its own training rows.
"""

from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from similearn import NeighborsClassifier, PairwiseSimilarity, datasets

votes = datasets.load_house_votes()
for weights, k in [("uniform", 5), ("uniform", 15)]:
    model = make_pipeline(
        PairwiseSimilarity("value_difference"),
        NeighborsClassifier(k, weights=weights, kind="dissimilarity"),
    )
    p = cross_val_predict(model, votes.data, votes.target, cv=10, method="predict_proba")
    labels = sorted(set(votes.target))
    error = sum(labels[i] != y for i, y in zip(p.argmax(axis=1), votes.target, strict=True))
    print(f"k = {k:2}: {error} of {len(p)} wrong, log-loss {log_loss(votes.target, p):.3f}")

model.fit(votes.data, votes.target)
block = model[:-1].transform(votes.data[:1])
print(model[-1].explain(block).tell(0))
