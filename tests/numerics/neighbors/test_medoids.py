"""Medoids of CSC are those of the filled matrix."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from similearn import Pairwise, PairwiseSimilarity, PrototypeFeatures
from similearn.errors import InputError
from similearn.numerics.neighbors.medoids import k_medoids


@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_sparse_medoids_are_those_of_the_filled_matrix(seed, absent):
    rng = np.random.default_rng(seed)
    excess = sparse.random_array((40, 40), density=0.15, rng=rng, format="csc")
    excess.data = rng.uniform(-absent, 1 - absent, size=len(excess.data))
    for k in (1, 3, 10):
        assert_array_equal(k_medoids(excess, k, absent), k_medoids(excess.toarray() + absent, k))


@pytest.mark.parametrize("density", [0.2, 1.0])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_prototypes_of_sparse_blocks_are_those_of_the_filled_ones(kind, density, monkeypatch):
    rng = np.random.default_rng(0)
    values = sparse.random_array((30, 30), density=density, rng=rng, format="csr")
    values.data += 0.5
    filled = values.toarray()
    if kind == "dissimilarity":  # unknown is as far beyond the farthest as that from the nearest
        filled = np.where(filled == 0, 2 * filled.max(), filled)
    features = PrototypeFeatures("k-medoids", n_prototypes=4)
    expected = features.fit(Pairwise((filled + filled.T) / 2, kind)).prototypes_
    if density == 1.0 or kind == "similarity":
        monkeypatch.setattr(sparse.csr_array, "toarray", lambda *_: pytest.fail("filled in"))
        assert_array_equal(features.fit(Pairwise(values, kind)).prototypes_, expected)


def test_lazy_blocks_are_compared_with_prototypes_alone(monkeypatch):
    names = [f"{'abc'[i % 3] * 5}{i:03}" for i in range(60)]
    compare = PairwiseSimilarity("levenshtein", lazy=True, progress=False)
    block = compare.fit_transform(names)
    dense = Pairwise(block.values, "dissimilarity")
    for options in ({"prototypes": "random"}, {"prototypes": "k-medoids"}, {"sigma": 1.0}):
        features = PrototypeFeatures(n_prototypes=5, random_state=0).set_params(**options)
        lazy = compare.fit_transform(names)
        assert_array_equal(features.fit_transform(lazy), features.fit_transform(dense))
    monkeypatch.setattr("similearn.data.lazy.lazy_block.SAMPLE", 12)
    monkeypatch.setattr("similearn.data.lazy.lazy_block.working_bytes", lambda: 100)
    features = PrototypeFeatures("k-medoids", n_prototypes=3)
    lazy = compare.fit_transform(names)
    assert features.fit_transform(lazy).shape == (60, 3)
    assert "values" not in vars(lazy)
    with pytest.raises(InputError, match="more than the 12 samples"):
        features.set_params(n_prototypes=13).fit(lazy)
