import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from similearn import Pairwise
from similearn.errors import ConvergenceWarning, InputError
from tests.estimators.sda.test_global_sda import sonar_like
from tests.thinning import drawn
from tests.uncalibrated import MixtureSDAClassifier, SDAClassifier


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_one_component_is_global_sda(kind):
    S, codes = sonar_like(30, 3)
    S = S if kind == "similarity" else S.max() - S
    one = MixtureSDAClassifier(1, kind=kind).fit(S, codes)
    whole = SDAClassifier(kind=kind).fit(S, codes)
    assert np.concatenate(one.medoids_).tolist() == whole.centroids_.tolist()
    np.testing.assert_allclose(one.predict_proba(S), whole.predict_proba(S), rtol=1e-8)


def two_clumps(seed=0):
    """Class 0 lives in two places, class 1 between them: one centroid cannot tell."""
    rng = np.random.default_rng(seed)
    codes = np.arange(90) % 2
    places = np.where(codes == 1, 0.0, rng.choice([-4.0, 4.0], 90))
    points = places + rng.normal(scale=0.7, size=90)
    return np.round(20 * np.exp(-np.abs(points[:, None] - points))), codes


def test_two_centroids_see_what_one_does_not():
    S, codes = two_clumps()
    train, test = np.arange(60), np.arange(60, 90)
    block, queries = S[np.ix_(train, train)], S[np.ix_(test, train)]
    model = MixtureSDAClassifier(2, random_state=0).fit(block, codes[train])
    assert [len(medoids) for medoids in model.medoids_] == [2, 2]
    assert model.score(queries, codes[test]) > 0.9


def test_the_decision_rule_is_the_papers():
    S, codes = two_clumps(1)
    model = MixtureSDAClassifier(2, random_state=0).fit(S, codes)
    levels = np.unique(S)
    row = S[3]
    scores = np.log(np.bincount(codes) / len(codes))
    for g, m in np.ndindex(2, 2):
        total = 0.0
        for weight, rate, medoid in zip(
            model.component_weights_[g, m], model.rates_[g, m], model.medoids_[m], strict=True
        ):
            rate = rate / np.ptp(levels)
            gamma = 1 / np.exp(rate * levels).sum()
            total += weight * gamma * np.exp(rate * row[medoid])
        scores[g] += np.log(total)
    np.testing.assert_allclose(model._all_scores(model._queries(S[[3]]))[0], scores, rtol=1e-8)


def test_restarts_never_hurt():
    S, codes = sonar_like(40, 2, seed=5)
    few = MixtureSDAClassifier(3, n_init=1, random_state=0).fit(S, codes)
    many = MixtureSDAClassifier(3, n_init=6, random_state=0).fit(S, codes)
    assert (many.log_likelihoods_ >= few.log_likelihoods_ - 1e-9).all()


def test_a_warning_tells_that_it_did_not_converge():
    S, codes = sonar_like(40, 2, seed=5)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        MixtureSDAClassifier(3, max_iter=2, tol=0.0, random_state=0).fit(S, codes)


def test_a_small_class_has_fewer_centroids():
    S, codes = sonar_like(12, 2)
    codes[:] = 0
    codes[3] = 1
    model = MixtureSDAClassifier(4, random_state=0).fit(S, codes)
    assert [len(medoids) for medoids in model.medoids_] == [4, 1]
    np.testing.assert_allclose(model.component_weights_.sum(axis=2), 1)
    assert np.isfinite(model.predict_proba(S)).all()


def test_sparse_similarities_equal_dense_ones():
    S, codes = sonar_like(20, 3)
    S = np.where(S < 6, 0.0, S)
    dense = MixtureSDAClassifier(2, random_state=0).fit(S, codes).predict_proba(S)
    csr = sparse.csr_array(S)
    found = MixtureSDAClassifier(2, random_state=0).fit(csr, codes).predict_proba(csr)
    np.testing.assert_array_equal(found, dense)


@drawn(30)
@given(
    arrays(float, (7, 7), elements=st.sampled_from([0.0, 1.0, 0.5, -2.0, 1e-300, 1e300])),
    st.integers(1, 4),
    st.sampled_from(["similarity", "dissimilarity"]),
)
@pytest.mark.filterwarnings("ignore::similearn.errors.ConvergenceWarning")
def test_probabilities_are_finite_whatever_the_values(S, n_components, kind):
    model = MixtureSDAClassifier(n_components, kind=kind, random_state=0, max_iter=50)
    model.fit(Pairwise(S, kind), [0, 0, 0, 1, 1, 2, 2])
    probabilities = model.predict_proba(S)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_explanations_add_up():
    S, codes = sonar_like(12, 3)
    told = MixtureSDAClassifier(2, random_state=0).fit(S, codes).explain(S)
    np.testing.assert_allclose(sum(told.terms.values()), told.scores)


@pytest.mark.parametrize("name, value", [("n_components", 0), ("n_init", 0), ("tol", -1.0)])
def test_impossible_parameters_are_refused(name, value):
    S, codes = sonar_like(8, 2)
    with pytest.raises(InputError, match=name):
        MixtureSDAClassifier(**{name: value}).fit(S, codes)
