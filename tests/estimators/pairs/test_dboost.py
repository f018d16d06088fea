import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from similearn import Pairwise, PairwiseSimilarity, PathSearchCV
from similearn.errors import AsymmetryWarning, InputError
from similearn.estimators.pairs import dboost_rounds
from tests.reference import dboost as reference
from tests.thinning import drawn
from tests.uncalibrated import DBoostClassifier, DissimilarityVoteClassifier


def distances(A, B):
    return np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))


def problem(n=60, m=25, n_classes=3, seed=0):
    """Overlapping clouds: training block, labels, query block, query labels, and the points."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * np.vstack([np.eye(3), -np.eye(3)])[:n_classes]
    y, z = np.arange(n) % n_classes, np.arange(m) % n_classes
    A, B = centres[y] + rng.standard_normal((n, 3)), centres[z] + rng.standard_normal((m, 3))
    return distances(A, A), y, distances(B, A), z, (A, B)


def generator(seed):
    """The generator that random_state=seed means."""
    return np.random.default_rng(np.random.RandomState(seed).randint(2**31 - 1))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_of_literal_loops(n_classes):
    D, y, E, _, _ = problem(30, 9, n_classes)
    pairs, thresholds, votes, sums = reference.boost(D, y, 8, 5, generator(4))
    model = DBoostClassifier(8, 5, random_state=4).fit(D, y)
    assert_array_equal(model.pairs_[:, 0], pairs)
    assert_array_equal(model.cuts_[:, 0], thresholds)
    assert_allclose(model.votes_, votes, rtol=1e-12)
    decisions = model.decision_function(D)
    assert_allclose(decisions, 2 * sums[:, 0] if n_classes == 2 else sums, rtol=1e-9)
    a, b, v = *pairs[0], model.thresholds_[0, 0]
    near = E[:, a] ** 2 - E[:, b] ** 2 < v  # equation 5, in the units of the data
    first = next(iter(model.staged_decision_function(E)))
    expected = np.where(near[:, None], votes[0, 0], votes[0, 1])
    assert_allclose(first, 2 * expected[:, 0] if n_classes == 2 else expected)


@drawn(25)
@given(
    st.integers(0, 1000),
    st.sampled_from([2, 3, 5]),
    st.sampled_from(["stump", "sign", "tree"]),
    st.sampled_from([None, 4]),
)
def test_the_exponential_loss_falls_every_round(seed, n_classes, base, max_prototypes):
    D, y, *_ = problem(40, 1, n_classes, seed)
    model = DBoostClassifier(
        25, 10, base=base, max_prototypes=max_prototypes, random_state=seed
    ).fit(D, y)
    losses = np.concatenate([[1.0], model.losses_])
    moved = np.abs(model.votes_).max(axis=(1, 2)) > 1e-9
    assert (np.diff(losses) <= 1e-12 * losses[:-1]).all()
    assert (np.diff(losses)[moved] < 0).all()
    scores = model.decision_function(D)
    if n_classes == 2:
        expected = np.exp(-np.where(y == 1, 1, -1) * scores / 2).mean()
    else:
        expected = np.exp(np.where(y[:, None] == np.arange(n_classes), -1, 1) * scores).mean()
    assert_allclose(model.losses_[-1], expected, rtol=1e-9)


@drawn(20)
@given(st.integers(0, 1000), st.sampled_from(["cube", "exp", "ranks"]))
def test_order_preserving_transformations_change_nothing(seed, name):
    """Proposition 2, for the sign stumps and for the vote."""
    D, y, E, _, _ = problem(seed=seed)
    everything = np.unique(np.concatenate([D, E]))
    stretch = {
        "cube": lambda d: d**3 / 7,
        "exp": lambda d: np.exp(2 * d),
        "ranks": lambda d: np.searchsorted(everything, d).astype(float),
    }[name]
    for model in (
        DBoostClassifier(15, 10, base="sign", random_state=seed),
        DBoostClassifier(5, 10, base="sign", max_prototypes=5, random_state=seed),
        DissimilarityVoteClassifier(50, random_state=seed),
        DissimilarityVoteClassifier(None),
    ):
        expected = model.fit(D, y).predict_proba(E)
        assert_array_equal(model.fit(stretch(D), y).predict_proba(stretch(E)), expected)


@drawn(30)
@given(
    st.integers(0, 1000),
    st.integers(1, 12),
    st.sampled_from(["stump", "sign", "tree"]),
    st.sampled_from([2, 3]),
)
def test_strategy_two_keeps_its_limit(seed, limit, base, n_classes):
    D, y, E, _, _ = problem(40, 5, n_classes, seed)
    model = DBoostClassifier(30, 8, max_prototypes=limit, base=base, random_state=seed).fit(D, y)
    assert len(model.prototypes_) <= limit + 1
    used = model.pairs_[np.isfinite(model.cuts_)]
    assert set(used.ravel()) == set(model.prototypes_)
    assert (y[used[:, 0]] != y[used[:, 1]]).all()
    few = E.copy()
    few[:, np.setdiff1d(np.arange(40), model.prototypes_)] = 1e9
    assert_array_equal(model.predict_proba(few), model.predict_proba(E))
    assert_array_equal(
        model.condensed().predict_proba(E[:, model.prototypes_]), model.predict_proba(E)
    )


def test_inner_products_give_the_stumps_of_their_distances():
    D, y, E, _, (A, B) = problem()
    far = DBoostClassifier(30, 20, random_state=1).fit(D, y)
    near = DBoostClassifier(30, 20, kind="similarity", random_state=1).fit(A @ A.T, y)
    assert_array_equal(near.pairs_, far.pairs_)
    assert_allclose(near.predict_proba(B @ A.T), far.predict_proba(E), rtol=1e-6)


def test_threads_change_nothing(monkeypatch):
    D, y, E, _, _ = problem(150)
    expected = DBoostClassifier(20, 30, random_state=0).fit(D, y)
    monkeypatch.setattr(dboost_rounds, "_WORTH_THREADS", 0)
    for n_jobs in (2, 3):
        model = DBoostClassifier(20, 30, random_state=0, n_jobs=n_jobs).fit(D, y)
        assert_array_equal(model.pairs_, expected.pairs_)
        assert_array_equal(model.cuts_, expected.cuts_)
        assert_array_equal(model.decision_function(E), expected.decision_function(E))


@pytest.mark.parametrize(
    "settings", [{}, {"n_iter_no_change": 3}, {"base": "tree", "n_iter_no_change": 2}]
)
def test_stages_are_the_models_of_fewer_rounds(settings):
    D, y, E, _, _ = problem()
    model = DBoostClassifier(12, 10, random_state=3, **settings).fit(D, y)
    stages = list(model.staged_predict_proba(E))
    labels = list(model.staged_predict(E))
    assert len(stages) == len(labels) == model.n_estimators_
    assert_array_equal(stages[-1], model.predict_proba(E))
    for t in (1, 4):
        fewer = DBoostClassifier(t, 10, random_state=3, **settings).fit(D, y)
        t = fewer.n_estimators_
        assert_array_equal(stages[t - 1], fewer.predict_proba(E))
        assert_array_equal(labels[t - 1], fewer.predict(E))


@pytest.mark.parametrize(
    "model",
    [
        DBoostClassifier(n_pairs=10, random_state=0),
        DBoostClassifier(n_pairs=10, random_state=0, n_iter_no_change=3, max_prototypes=6),
        DBoostClassifier(n_pairs=10, random_state=0, base="tree"),
    ],
)
def test_paths_of_rounds_equal_refits(model):
    D, y, *_ = problem()
    grid = {"n_estimators": [1, 3, 10, 30]}
    for scoring in ("accuracy", "neg_log_loss"):
        ours = PathSearchCV(model, grid, cv=4, scoring=scoring).fit(D, y)
        theirs = GridSearchCV(model, grid, cv=4, scoring=scoring).fit(D, y)
        assert ours.searched_by_path_
        assert_allclose(
            ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-12
        )


def test_paths_of_pairs_equal_refits():
    D, y, *_ = problem()
    grid = {"n_pairs": [1, 10, 100, None]}
    model = DissimilarityVoteClassifier(random_state=0)
    ours = PathSearchCV(model, grid, cv=4, scoring="neg_log_loss").fit(D, y)
    theirs = GridSearchCV(model, grid, cv=4, scoring="neg_log_loss").fit(D, y)
    for k in range(4):
        name = f"split{k}_test_score"
        assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-12)


def test_patience_keeps_the_best_round_of_the_validation_share():
    D, y, *_ = problem(90)
    model = DBoostClassifier(300, 20, n_iter_no_change=5, validation_fraction=0.3, random_state=0)
    model.fit(D, y)
    losses = model.validation_losses_
    assert model.n_estimators_ == losses.argmin() + 1 == len(model.votes_)
    assert len(losses) == model.n_estimators_ + 5 < 300
    held_out = np.setdiff1d(np.arange(90), _learning(y, generator(0), 0.3))
    logs = model.predict_log_proba(D[held_out])
    assert_allclose(-logs[np.arange(len(held_out)), y[held_out]].mean(), losses.min())
    assert not np.isin(model.prototypes_, held_out).any()


def _learning(codes, rng, share):
    shuffled = rng.permutation(len(codes))
    kept = []
    for g in np.unique(codes):
        own = shuffled[codes[shuffled] == g]
        kept.extend(own[round(share * len(own)) :])
    return kept


@pytest.mark.parametrize("n_classes", [2, 4])
def test_margins(n_classes):
    D, y, E, z, _ = problem(n_classes=n_classes)
    names = np.array(["p", "q", "r", "s"])
    model = DBoostClassifier(20, 10, random_state=0).fit(D, names[y])
    margins = model.margins(E, names[z])
    assert (np.abs(margins) <= 1).all()
    assert_array_equal(margins > 0, model.predict(E) == names[z])
    if n_classes == 2:
        most = np.abs(model.votes_).max(axis=(1, 2)).sum()
        signs = np.where(z == 1, 1, -1)
        assert_allclose(margins, signs * model.decision_function(E) / 2 / most)
    with pytest.raises(InputError, match="'x', which is no label"):
        model.margins(E, ["x"] * len(E))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_agree_with_decisions(n_classes):
    D, y, E, z, _ = problem(150, 90, n_classes=n_classes)
    model = DBoostClassifier(40, 20, random_state=0).fit(D, y)
    probabilities = model.predict_proba(E)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert_array_equal(probabilities.argmax(axis=1), model.predict(E))
    assert_allclose(np.exp(model.predict_log_proba(E)), probabilities)
    if n_classes == 2:
        assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-model.decision_function(E))))
    assert model.score(E, z) > 0.6


def test_costs_move_decisions():
    D, y, E, _, _ = problem(n_classes=2)
    costs = np.array([[0, 1], [50, 0]])
    plain = DBoostClassifier(10, random_state=0).fit(D, y)
    careful = DBoostClassifier(10, random_state=0, costs=costs).fit(D, y)
    expected = plain.predict_proba(E) @ costs.T
    assert_array_equal(careful.predict(E), expected.argmin(axis=1))
    assert (careful.predict(E) != plain.predict(E)).any()


@drawn(10)
@given(st.sampled_from([2.0**-600, 0.25, 2.0**600]), st.sampled_from(["stump", "tree"]))
def test_the_unit_of_measurement_does_not_matter(factor, base):
    D, y, E, _, _ = problem()
    model = DBoostClassifier(15, 10, base=base, random_state=0)
    expected = model.fit(D, y).predict_proba(E)
    assert_array_equal(model.fit(factor * D, y).predict_proba(factor * E), expected)


def test_queries_far_beyond_all_training_values():
    D, y, E, _, _ = problem()
    model = DBoostClassifier(15, 10, random_state=0).fit(D, y)
    assert np.isfinite(model.predict_proba(1e300 * E)).all()


def test_asymmetric_blocks_count_by_both_directions():
    D, y, E, _, _ = problem()
    noise = np.random.default_rng(0).random(D.shape)
    skewed = Pairwise(D + noise - noise.T, "dissimilarity")
    for model in (
        DBoostClassifier(10, 10, random_state=0),
        DissimilarityVoteClassifier(30, random_state=0),
    ):
        expected = model.fit((skewed.values + skewed.values.T) / 2, y).predict_proba(E)
        model.fit(skewed, y)
        both = Pairwise(E + 0.5, "dissimilarity", reverse=E - 0.5)
        assert_allclose(model.predict_proba(both), expected, rtol=1e-9)
        with pytest.warns(AsymmetryWarning):
            model.predict(E)


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_sparse_blocks(kind):
    """No similarity is zero; an unknown dissimilarity counts as the farthest known."""
    D, y, E, _, _ = problem()
    D, E = (np.exp(-D), np.exp(-E)) if kind == "similarity" else (D, E)
    known, asked = (D > 0.2, E > 0.2) if kind == "similarity" else (D < 2.5, E < 2.5)
    absent = 0.0 if kind == "similarity" else D[known].max()

    def csr(values, kept):
        rows, columns = np.nonzero(kept)
        return sparse.csr_array((values[kept], (rows, columns)), shape=values.shape)

    for model in (
        DBoostClassifier(10, 10, kind=kind, random_state=0),
        DissimilarityVoteClassifier(30, kind=kind, random_state=0),
        DissimilarityVoteClassifier(None, kind=kind),
    ):
        expected = model.fit(np.where(known, D, absent), y).predict_proba(
            np.where(asked, E, absent)
        )
        found = model.fit(csr(D, known), y).predict_proba(csr(E, asked))
        assert_allclose(found, expected, rtol=1e-12)


def test_a_block_that_tells_nothing_gives_the_frequencies():
    y = np.array([0, 0, 0, 1])
    model = DBoostClassifier(5, random_state=0).fit(np.ones((4, 4)), y)
    assert_allclose(model.predict_proba(np.ones((1, 4)))[0], [2 / 3, 1 / 3], atol=0.1)
    assert_array_equal(model.predict(np.ones((2, 4))), [0, 0])


def test_models_can_be_cloned_pickled_and_cross_validated():
    D, y, E, _, _ = problem()
    for model in (DBoostClassifier(5, random_state=0), DissimilarityVoteClassifier(random_state=0)):
        again = pickle.loads(pickle.dumps(clone(model).fit(D, y)))
        assert_array_equal(again.predict(E), model.fit(D, y).predict(E))
        assert cross_val_score(model, Pairwise(D, "dissimilarity"), y, cv=3).min() > 0.4


def test_condensed_models_keep_the_names():
    D, y, *_ = problem()
    ids = np.array([f"sample {i}" for i in range(60)])
    block = Pairwise(D, "dissimilarity", row_ids=ids, column_ids=ids)
    model = DBoostClassifier(3, random_state=0).fit(block, y)
    assert_array_equal(model.condensed().reference_ids_, ids[model.prototypes_])
    assert model.n_features_in_ == 60


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 is too small"),
        ({"n_pairs": 0}, "n_pairs=0 is too small"),
        ({"max_prototypes": 0}, "max_prototypes=0 is too small"),
        ({"base": "forest"}, "base='forest' is unknown"),
        ({"base": "tree", "max_depth": 30}, "max_depth=30 is larger than 10"),
        ({"n_iter_no_change": 0}, "n_iter_no_change=0 is too small"),
        (
            {"n_iter_no_change": 2, "validation_fraction": 1.5},
            "validation_fraction=1.5 is out of range",
        ),
    ],
)
def test_parameters_out_of_range(changes, message):
    D, y, *_ = problem()
    with pytest.raises(InputError, match=message):
        DBoostClassifier(**changes).fit(D, y)


def test_the_vote_counts_pairs():
    """Theorem 3's f(x), with ties split; by loops over the drawn pairs, and over all pairs."""
    D, y, E, _, _ = problem(20, 6, 2)
    E[0], E[1, :10] = 1.0, 2.0
    some = DissimilarityVoteClassifier(40, random_state=0).fit(D, y)
    assert (y[some.pairs_[:, 0, 0]] == 0).all()
    assert (y[some.pairs_[:, 0, 1]] == 1).all()
    f = np.mean([np.sign(E[:, b] - E[:, a]) for a, b in some.pairs_[:, 0]], axis=0)
    assert_allclose(some.predict_proba(E)[:, 0], (1 + f) / 2)
    every = DissimilarityVoteClassifier(None).fit(D, y)
    zero, one = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    f = np.mean([[np.sign(E[:, b] - E[:, a]) for a in zero] for b in one], axis=(0, 1))
    assert_allclose(every.predict_proba(E)[:, 0], (1 + f) / 2)


def test_many_pairs_approach_all_pairs():
    D, y, E, _, _ = problem(n_classes=4)
    every = DissimilarityVoteClassifier(None).fit(D, y).predict_proba(E)
    many = DissimilarityVoteClassifier(20_000, random_state=0).fit(D, y).predict_proba(E)
    assert_allclose(many, every, atol=0.01)
    assert_allclose(every.sum(axis=1), 1)


class Asked:
    """Points whose distances are counted."""

    def __init__(self):
        self.calls = 0

    def __call__(self, a, b):
        self.calls += 1
        return float(np.abs(a - b).sum())


def lazy_points(n=80):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    points, function = list(rng.normal(size=(n, 2)) + 2.0 * np.eye(3, 2)[y]), Asked()
    compare = PairwiseSimilarity(
        function, kind="dissimilarity", symmetric=True, lazy=True, progress=False
    )
    return compare.fit_transform(points), y, function


@pytest.mark.parametrize("base", ["stump", "tree"])
def test_references_alone_are_compared(base):
    block, y, function = lazy_points()
    model = DBoostClassifier(10, 5, n_references=24, base=base, random_state=0).fit(block, y)
    assert function.calls == 80 * 24  # of 80 × 80
    dense = clone(model).fit(Pairwise(block.values, "dissimilarity"), y)
    assert_array_equal(model.cuts_, dense.cuts_)
    assert_array_equal(model.pairs_, dense.pairs_)
    function.calls = 0
    scores = model.decision_function(block[:7])
    assert function.calls == 7 * len(model.prototypes_)
    assert_array_equal(scores, dense.decision_function(block.values[:7]))


def test_all_samples_as_references_are_the_plain_model():
    D, y, E, _, _ = problem()
    plain = DBoostClassifier(12, 6, random_state=1).fit(D, y)
    some = DBoostClassifier(12, 6, n_references=10**6, random_state=1)
    some._generator = lambda: type("Same", (), {
        "permutation": staticmethod(np.asarray), "random": generator(1).random
    })()  # fmt: skip
    assert_array_equal(some.fit(D, y).decision_function(E), plain.decision_function(E))


def test_beyond_memory_the_sentence_names_references(monkeypatch):
    block, y, _ = lazy_points()
    monkeypatch.setattr("similearn.data.lazy.allowed_memory.machine_bytes", lambda: 1000)
    with pytest.raises(InputError, match=r"DBoostClassifier needs all values.*n_references=500"):
        DBoostClassifier(5, 5).fit(block, y)


def test_votes_of_pairs_need_no_training_values():
    block, y, function = lazy_points()
    model = DissimilarityVoteClassifier(10, random_state=0).fit(block, y)
    assert function.calls == 0
    model.predict(block[:5])
    assert function.calls == 5 * len(model.prototypes_)
