"""Ordinary labels, many classes of few samples among them, give no warning of scikit-learn's."""

import warnings

import numpy as np
import pytest

import similearn as sl
from similearn.errors import InputError, SimilearnWarning

N = 24
LABELS = {
    "floats": np.arange(N) // 2 * 1.0,
    "many classes": np.arange(N) // 2,
    "nearly all alone": np.r_[0, 0, np.arange(N - 2)],
    "booleans": np.arange(N) % 2 == 0,
}
MODELS = [
    sl.KernelCombiner(),
    sl.LocalSVC(),
    sl.NeighborsClassifier(),
    sl.RobustSVC(),
    sl.SimilarityClassifier(effort="quick"),
    sl.SimilaritySVC(),
    sl.SimilaritySVC(calibration="none"),
]


@pytest.mark.thinned
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_no_foreign_warning(model, labels):
    y = LABELS[labels]
    A = np.random.default_rng(0).random((N, N))
    X = sl.Pairwise((A + A.T) / 2 + (y[:, None] == y), "similarity")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SimilearnWarning)
        model.fit(X, y)


def test_bytes_are_a_sentence_in_a_search():
    search = sl.PathSearchCV(sl.NeighborsClassifier(), {"n_neighbors": [1, 2]}, cv=2)
    with pytest.raises(InputError, match="bytes"):
        search.fit(np.eye(8), np.array([b"a", b"b"] * 4))
