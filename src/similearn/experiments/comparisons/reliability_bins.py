"""Probabilities against what came true, in bins that add up over partitions and sets."""

from typing import Any

import numpy as np

from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.store import Record
from similearn.selection.held_out import mean_log_loss

N_BINS = 10


def reliability(model: Any, split: Split) -> Record:
    """Probabilities of all classes against what came true, in bins; log-loss of class shares."""
    classes, counts = np.unique(split.y_train, return_counts=True)
    shares = np.broadcast_to(counts / counts.sum(), (len(split.y_test), len(classes)))
    known: Record = {"frequencies_log_loss": mean_log_loss(shares, classes, split.y_test)}
    if not hasattr(model, "predict_proba"):
        return known
    said = np.asarray(model.predict_proba(split.test))
    true = np.asarray(split.y_test)[:, None] == model.classes_[None]
    bins = np.minimum((said * N_BINS).astype(np.intp), N_BINS - 1).ravel()
    sums = [
        np.bincount(bins, w, minlength=N_BINS) for w in (None, said.ravel(), true.ravel() * 1.0)
    ]
    columns = zip(("count", "said", "true"), sums, strict=True)
    return known | {"reliability": {name: np.round(part, 4).tolist() for name, part in columns}}
