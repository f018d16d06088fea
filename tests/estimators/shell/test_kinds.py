"""Kind follows the data, and dissimilarities become similarities by one rule where needed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn import (
    DBoostClassifier,
    DissimilarityToSimilarity,
    IndefiniteFisherClassifier,
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    Pairwise,
    RobustSVC,
    SDAClassifier,
    SimilaritySVC,
    SpectrumTransformer,
)

RNG = np.random.default_rng(3)
POINTS = np.concatenate([RNG.standard_normal((12, 2)), RNG.standard_normal((12, 2)) + 3])
Y = np.repeat(["a", "b"], 12)
D = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
TRAIN, TEST = np.arange(0, 24, 2), np.arange(1, 24, 2)
WITH_KIND = [
    NeighborsClassifier(3),
    LocalSDAClassifier(4),
    SDAClassifier(),
    IndefiniteFisherClassifier(),
    DBoostClassifier(5, random_state=0),
]
NEED_SIMILARITIES = [
    NeighborsClassifier(3, weights="affinity"),
    NeighborsClassifier(3, weights="krr"),
    SimilaritySVC(),
    LocalSVC(5),
    RobustSVC(),
]


def cut(values, kind):
    block = Pairwise(values, kind)
    return block[np.ix_(TRAIN, TRAIN)], block[np.ix_(TEST, TRAIN)]


@pytest.mark.parametrize("model", WITH_KIND, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_a_plain_matrix_is_what_its_diagonal_tells(model, kind):
    train, test = cut(D if kind == "dissimilarity" else 9 - D, kind)
    told = model.fit(train, Y[TRAIN]).predict(test)
    assert model.kind_ == kind
    plain = model.fit(train.values, Y[TRAIN])
    assert plain.kind_ == kind
    assert_array_equal(plain.predict(test.values), told)


def test_sparse_similarities_need_not_store_every_diagonal_entry():
    S = np.where(9 - D > 7, 9 - D, 0)
    S[0, 0] = 0
    assert NeighborsClassifier(1).fit(sparse.csr_array(S), Y).kind_ == "similarity"


@pytest.mark.parametrize("model", NEED_SIMILARITIES, ids=str)
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_conversion_is_the_documented_one(model, stored):
    train, test = cut(D, "dissimilarity")
    train, test = train.with_values(stored(train.values)), test.with_values(stored(test.values))
    step = DissimilarityToSimilarity()
    similar = step.fit_transform(train)
    expected = model.fit(similar, Y[TRAIN]).decision_function(step.transform(test))
    model.fit(train, Y[TRAIN])
    assert_allclose(model.decision_function(test), expected, atol=1e-12)
    assert model.conversion_maximum_ == train.values.max()
    told = model.explain(test)
    assert "converted to similarities 1 - d /" in str(told) and len(told.notes) == 1
    model.fit(similar, Y[TRAIN])
    assert model.conversion_maximum_ is None and model.explain(similar).notes == ()


def test_transformers_convert_too():
    train, _ = cut(D, "dissimilarity")
    expected = SpectrumTransformer().fit_transform(DissimilarityToSimilarity().fit_transform(train))
    found = SpectrumTransformer().fit_transform(train)
    assert found.kind == "similarity"
    assert_allclose(found.values, expected.values)
