import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import log_loss

from similearn import Pairwise
from similearn.errors import InputError, InputTypeError
from tests.reference import sda as reference
from tests.thinning import drawn
from tests.uncalibrated import SDAClassifier


def sonar_like(n, n_classes, seed=0, n_levels=9):
    """Integer similarities 2..., larger within a class, of n samples with themselves."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    base = np.where(codes[:, None] == codes, 0.65, 0.35)
    S = 2.0 + rng.binomial(n_levels - 1, base)
    S = np.triu(S) + np.triu(S, 1).T
    np.fill_diagonal(S, n_levels + 1)
    return S, codes


@pytest.mark.parametrize("n_classes", [2, 3, 50])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_probabilities_equal_the_equations(n_classes, kind):
    S, codes = sonar_like(3 * n_classes + 4, n_classes)
    S = S if kind == "similarity" else S.max() - S
    train, test = slice(4, None), slice(4)
    block = S[train, train]
    model = SDAClassifier(kind=kind).fit(block, codes[train])
    found = model.predict_proba(S[test, train])
    for row, probabilities in zip(S[test, train], found, strict=True):
        expected = reference.global_posterior(
            block, codes[train], row, np.unique(block), n_classes, kind == "similarity"
        )
        np.testing.assert_allclose(probabilities, expected, atol=1e-8)


def test_evenly_spaced_levels_and_values_between_them():
    S, codes = sonar_like(12, 2)
    model = SDAClassifier(support=9).fit(S, codes)  # 2..10 are the observed values, too
    np.testing.assert_allclose(
        model.predict_proba(S), SDAClassifier().fit(S, codes).predict_proba(S), rtol=1e-9
    )
    queries = np.repeat(S[:1], 3, axis=0)
    queries[:, model.centroids_[1]] = [5.999, 6.0, 6.001]
    below, at, above = model.decision_function(queries)
    assert below < at < above < below + 0.01
    far = np.array([[-1e9], [2.0], [10.0], [1e9]]) + np.zeros((4, 12))
    scores = model.decision_function(far)
    np.testing.assert_allclose(scores[[0, 3]], scores[[1, 2]])


def test_continuous_support_is_the_limit_of_many_levels():
    S, codes = sonar_like(20, 3)
    noisy = S + np.random.default_rng(0).uniform(-0.4, 0.4, S.shape)
    fine = SDAClassifier(support=1024).fit(noisy, codes).predict_proba(noisy)
    continuous = SDAClassifier(support="continuous").fit(noisy, codes).predict_proba(noisy)
    np.testing.assert_allclose(continuous, fine, atol=0.02)


def test_log_loss_is_near_the_bayes_log_loss_on_data_of_its_own_kind():
    """Similarities to two centroids drawn from known exponential pmfs: posteriors are known."""
    rng = np.random.default_rng(3)
    levels = np.linspace(0, 1, 21)
    rates = np.array([[3.0, -1.5], [-1.0, 2.5]])
    pmfs = np.exp(rates[:, :, None] * levels)
    pmfs /= pmfs.sum(axis=2, keepdims=True)
    n = 1500
    codes = rng.integers(0, 2, 2 * n)
    drawn = np.array([[rng.choice(21, p=pmfs[g, h]) for h in range(2)] for g in codes])
    likelihoods = np.log(pmfs[:, np.arange(2), drawn]).sum(axis=2).T
    bayes = np.exp(likelihoods) / np.exp(likelihoods).sum(axis=1, keepdims=True)
    # Sample 0 and 1 are the centroids: nobody else is similar to anybody of its class.
    S = np.zeros((n, n))
    train, test = drawn[:n], drawn[n:]
    codes[:2] = [0, 1]
    S[:, :2] = levels[train]
    model = SDAClassifier(kind="similarity").fit(S, codes[:n])  # the diagonal does not tell
    assert model.centroids_.tolist() == [0, 1]
    queries = np.zeros((n, n))
    queries[:, :2] = levels[test]
    loss = log_loss(codes[n:], model.predict_proba(queries))
    assert loss <= 1.05 * log_loss(codes[n:], bayes[n:])
    assert log_loss(codes[n:], bayes[n:]) < 0.6  # or the test would show nothing


def test_skewed_costs_change_the_decision_as_expected_cost_says():
    S, codes = sonar_like(30, 3, seed=4)
    costs = np.array([[0, 50.0, 1], [1, 0, 1], [1, 1, 0]])
    model = SDAClassifier(costs=costs).fit(S, codes)
    probabilities = model.predict_proba(S)
    expected = (probabilities @ costs.T).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(S), expected)
    assert (model.predict(S) != SDAClassifier().fit(S, codes).predict(S)).any()


def test_a_constant_similarity_leaves_the_priors():
    codes = np.array([0, 0, 0, 1])
    for support in ("observed", 7, "continuous"):
        model = SDAClassifier(support).fit(np.full((4, 4), 3.0), codes)
        probabilities = model.predict_proba([[3.0] * 4, [1e300, 0, -5, 3]])
        np.testing.assert_allclose(probabilities, [[0.75, 0.25]] * 2)


def test_a_class_of_one_sample_is_a_delta_yet_possible():
    S, codes = sonar_like(9, 2)
    codes = (np.arange(9) == 8).astype(int)
    model = SDAClassifier().fit(S, codes)
    assert np.isfinite(model.decision_function(S)).all()
    assert model.predict(S[[8]]) == [1]


@drawn(40)
@given(
    arrays(float, (6, 6), elements=st.sampled_from([0.0, 1.0, 0.5, -2.0, 1e-300, 1e300, -1e300])),
    st.sampled_from(["observed", 2, 16, "continuous"]),
    st.sampled_from(["similarity", "dissimilarity"]),
)
def test_probabilities_are_finite_whatever_the_values(S, support, kind):
    codes = np.array([0, 0, 0, 1, 1, 2])
    model = (
        SDAClassifier(support).fit(Pairwise(S, kind), codes)
        if kind == "similarity"
        else (SDAClassifier(support, kind=kind).fit(Pairwise(S, kind), codes))
    )
    probabilities = model.predict_proba(Pairwise(S, kind, reverse=S.T))
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_scale_does_not_matter():
    S, codes = sonar_like(20, 3)
    expected = SDAClassifier().fit(S, codes).predict_proba(S)
    for factor in (1e-299, 1e299, 7.0):
        found = SDAClassifier().fit(factor * S, codes).predict_proba(factor * S)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_sparse_similarities_equal_dense_ones():
    S, codes = sonar_like(20, 3)
    S = np.where(S < 6, 0.0, S)
    dense, csr = SDAClassifier().fit(S, codes), SDAClassifier().fit(sparse.csr_array(S), codes)
    np.testing.assert_array_equal(
        csr.decision_function(sparse.csr_array(S)), dense.decision_function(S)
    )


def test_what_a_sparse_dissimilarity_does_not_know_is_farthest():
    D = sparse.csr_array(
        (np.array([1.0, 2.0, 1.0, 2.0]), ([0, 1, 2, 3], [1, 0, 3, 2])), shape=(4, 4)
    )
    full = D.toarray()
    full[full == 0] = 2.0
    sparse_model = SDAClassifier(kind="dissimilarity").fit(
        Pairwise(D, "dissimilarity"), [0, 0, 1, 1]
    )
    dense_model = SDAClassifier(kind="dissimilarity").fit(
        Pairwise(full, "dissimilarity"), [0, 0, 1, 1]
    )
    np.testing.assert_allclose(sparse_model.means_, dense_model.means_)


def test_explanations_add_up():
    S, codes = sonar_like(12, 3)
    model = SDAClassifier().fit(S, np.array(list("abc"))[codes])
    explanation = model.explain(S)
    logs = [terms for name, terms in explanation.terms.items() if name.startswith("log")]
    assert len(logs) == 4
    np.testing.assert_allclose(np.sum(logs, axis=0), explanation.scores)
    assert "log P at centroid b of a" in explanation.tell(0)


@pytest.mark.parametrize("support", ["seen", 1, 2000, None])
def test_supports_that_do_not_exist_are_refused(support):
    S, codes = sonar_like(8, 2)
    with pytest.raises(InputError, match="support="):
        SDAClassifier(support).fit(S, codes)


def test_the_centroid_with_and_without_self_similarity():
    S = np.array([[9.0, 1, 1, 0], [1, 2, 4, 0], [1, 4, 2, 0], [0, 0, 0, 5]])
    y = [0, 0, 0, 1]
    for own, first in ((True, 0), (False, 1)):
        model = SDAClassifier(self_similarity=own).fit(S, y)
        assert model.centroids_.tolist() == [first, 3]
        assert reference.centroid(S, [0, 1, 2], own=own) == first
    with pytest.raises(InputTypeError, match="self_similarity='yes' must be True or False"):
        SDAClassifier(self_similarity="yes").fit(S, y)
