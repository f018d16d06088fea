"""Nyström features equal the literal formula; with all samples they are the exact spectrum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.names import make_names
from similearn import NystromFeatures, Pairwise, PairwiseSimilarity, SpectrumTransformer, datasets
from similearn.data.lazy import allowed_memory
from similearn.errors import InputError
from tests.reference.nystrom import modified_by_nystrom

PROBLEM = datasets.make_similarities(90, n_classes=3, indefinite=0.4, random_state=0)
S = np.asarray(PROBLEM.data)
S = (S + S.T) / 2
TRAIN, QUERIES = S[:70, :70], S[70:, :70]


@pytest.mark.parametrize("prototypes", ["random", "k-medoids", "leverage"])
@pytest.mark.parametrize("spectrum", ["clip", "flip"])
def test_products_of_features_are_the_modified_approximation(prototypes, spectrum):
    model = NystromFeatures(
        25, prototypes=prototypes, spectrum=spectrum, tolerance=1e-2, random_state=0
    )
    Z = model.fit_transform(TRAIN)
    assert len(model.prototypes_) == 25 and (np.diff(model.prototypes_) > 0).all()
    K, rows = modified_by_nystrom(TRAIN, model.prototypes_, QUERIES, spectrum, 1e-2)
    scale = np.abs(K).max()
    assert_allclose(Z @ Z.T, K, atol=1e-8 * scale)
    assert_allclose(model.transform(QUERIES) @ Z.T, rows, atol=1e-7 * scale)
    assert_allclose(model.transform(TRAIN), Z, atol=1e-8 * np.sqrt(scale))


@pytest.mark.parametrize("spectrum", ["clip", "flip"])
def test_all_samples_give_the_exact_spectrum(spectrum):
    model = NystromFeatures(70, spectrum=spectrum, tolerance=0.0)
    Z = model.fit_transform(TRAIN)
    exact = SpectrumTransformer(spectrum)
    assert_allclose(Z @ Z.T, exact.fit_transform(TRAIN), atol=1e-7)
    assert_allclose(model.transform(QUERIES) @ Z.T, exact.transform(QUERIES), atol=1e-6)


def test_lazy_sparse_and_asymmetric_blocks():
    names = make_names(80)[0]
    found = []
    for lazy in (False, True):
        compare = PairwiseSimilarity("levenshtein", lazy=lazy)
        model = NystromFeatures(20, random_state=0).fit(compare.fit_transform(names[:60]))
        found.append(model.transform(compare.transform(names[60:])))
    assert_array_equal(*found)
    sparse_block = Pairwise(sparse.csr_array(np.maximum(TRAIN, 0)), "similarity")
    dense_block = Pairwise(np.maximum(TRAIN, 0), "similarity")
    assert_allclose(
        *(NystromFeatures(9, random_state=1).fit_transform(b) for b in (sparse_block, dense_block)),
        atol=1e-12,
    )
    lopsided = Pairwise(TRAIN + np.triu(np.ones_like(TRAIN)), "similarity")
    both = NystromFeatures(9, random_state=1).fit_transform(lopsided)
    even = NystromFeatures(9, random_state=1).fit_transform(lopsided.symmetrized())
    assert_allclose(both, even, atol=1e-12)


def test_machines_beyond_memory(monkeypatch):
    """What the refusal of machines on the whole matrix recommends works where they refuse."""
    names, y = make_names(60)
    monkeypatch.setattr(allowed_memory, "machine_bytes", lambda: 20_000)
    compare = PairwiseSimilarity("jaro_winkler", lazy=True)
    model = make_pipeline(compare, NystromFeatures(20, random_state=0), LinearSVC())
    assert set(model.fit(names, y).predict(names[:9])) <= set(y)
    with pytest.raises(InputError, match=r"SpectrumTransformer needs all values.*NystromFeatures"):
        make_pipeline(compare, SpectrumTransformer()).fit_transform(names)


def test_names_and_refusals():
    model = NystromFeatures(5, random_state=0).fit(TRAIN)
    assert model.get_feature_names_out()[0] == "nystromfeatures0"
    assert NystromFeatures(3).fit_transform(np.zeros((4, 4))).shape == (4, 1)
    for wrong in ({"prototypes": "best"}, {"spectrum": "shift"}, {"tolerance": -1.0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            NystromFeatures(**wrong).fit(TRAIN)
