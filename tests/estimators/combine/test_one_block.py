"""Estimators of `Sources` that get one block alone: it is the source "pairs"."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import cross_val_score

from similearn import (
    CDNNClassifier,
    DissimilarityCombiner,
    FusedNeighborsClassifier,
    FusionClassifier,
    KernelCombiner,
    NeighborsClassifier,
    Pairwise,
    Sources,
    datasets,
)
from similearn.errors import InputError

CLASSIFIERS = [
    CDNNClassifier(DissimilarityCombiner(ridge=0.1)),
    FusedNeighborsClassifier(3),
    FusionClassifier([("votes", NeighborsClassifier(3), "pairs")]),
]


def problem(kind):
    """Blocks (40, 40) and (20, 40) of one kind, and the labels of both."""
    made = datasets.make_similarities(60, bayes_error=0.05)
    S = made.data.values
    values = S if kind == "similarity" else S.max() - S
    train, test = np.arange(40), np.arange(40, 60)
    return values[:40, :40], made.target[train], values[40:, :40], made.target[test]


def kind_of(estimator):
    return estimator.kind or "similarity"


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_a_matrix_a_block_and_one_source_are_the_same(model):
    kind = kind_of(model)
    X, y, queries, _ = problem(kind)
    asked = Pairwise(queries, kind)
    expected = model.fit(Sources({"pairs": Pairwise(X, kind)}), y).predict_proba(
        Sources({"pairs": asked})
    )
    assert model.n_features_in_ == 40
    assert_array_equal(model.fit(X, y).predict_proba(queries), expected)
    assert_array_equal(model.fit(Pairwise(X, kind), y).predict_proba(asked), expected)
    assert cross_val_score(model, X, y, cv=2).mean() > 0.7


@pytest.mark.parametrize("model", [DissimilarityCombiner(ridge=0.1), KernelCombiner()])
def test_combiners_give_back_what_they_get(model):
    kind = kind_of(model)
    X, y, queries, _ = problem(kind)
    block = model.fit(Sources({"pairs": Pairwise(X, kind)}), y).transform(Pairwise(queries, kind))
    assert isinstance(block, Pairwise) and block.kind == kind
    values = model.fit(X, y).transform(queries)
    assert type(values) is np.ndarray
    assert_array_equal(values, block.values)


def test_one_block_for_a_model_of_others_is_refused():
    X, y, queries, _ = problem("similarity")
    named = Sources({"sound": Pairwise(X, "similarity")})
    model = FusedNeighborsClassifier().fit(named, y)
    with pytest.raises(InputError, match="asks for source 'sound'; X holds pairs"):
        model.predict(queries)
    with pytest.raises(InputError, match="X holds a similarity; CDNNClassifier needs"):
        CDNNClassifier().fit(Pairwise(X, "similarity"), y)
