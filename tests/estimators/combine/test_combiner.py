"""Combining dissimilarities: limits, invariances, noise, messages, and CDNN."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from similearn import (
    DissimilarityCombiner,
    DissimilarityToSimilarity,
    KernelCombiner,
    Pairwise,
    PathSearchCV,
    SimilaritySVC,
    Sources,
    cdnn_generalization_bound,
    convert,
    datasets,
    generalization_bound,
)
from similearn.errors import ConvergenceWarning, InputError, InputTypeError, SimilearnWarning
from similearn.numerics.combine.cones import project_on_simplex
from tests.reference.cdnn import is_copositive, reference_delta
from tests.uncalibrated import CDNNClassifier, NeighborsClassifier

LEARNED = [("weighted", "polyhedral"), ("psd", "polyhedral")]
LEARNED += [("copositive", "polyhedral"), ("copositive", "spn")]


def cylinder(n=60, seed=0, **options):
    return datasets.make_cylinder(n, random_state=seed, return_X_y=True, **options)


def halves(X, y, n_train):
    train, test = np.arange(n_train), np.arange(n_train, len(y))
    return X[np.ix_(train, train)], y[train], X[np.ix_(test, train)], y[test]


def combiner(method="copositive", cone="polyhedral", **options):
    settings = {"ridge": 0.05, "n_passes": 2, "n_targets": 3, "tol": 1e-4} | options
    return DissimilarityCombiner(method, cone=cone, **settings)


def stacked(X):
    return np.stack([X[name].values for name in X])


def test_pythagorean_is_the_sum_of_squares():
    X, y = cylinder(20)
    plain = DissimilarityCombiner("pythagorean", scale=False).fit(X, y)
    assert_allclose(plain.A_, plain.A_[0, 0] * np.eye(5))
    expected = plain.A_[0, 0] * (stacked(X) ** 2).sum(axis=0)
    assert_allclose(plain.transform(X).values, expected)
    scaled = DissimilarityCombiner("pythagorean").fit(X, y)
    squares = stacked(X) ** 2
    means = squares.sum(axis=(1, 2)) / (20 * 19)
    assert_allclose(scaled.transform(X).values, (squares / means[:, None, None]).sum(axis=0))


@pytest.mark.parametrize("method, cone", LEARNED)
def test_transform_is_the_quadratic_form(method, cone):
    X, y = cylinder(30)
    fitted = combiner(method, cone).fit(X, y)
    expected = np.maximum(reference_delta(stacked(X), fitted.A_), 0)
    block = fitted.transform(X)
    assert block.kind == "dissimilarity" and block.same_samples
    assert_allclose(block.values, expected, rtol=1e-9, atol=1e-9 * expected.max())
    assert sum(fitted.contributions(X).values()).shape == (30, 30)
    total = sum(fitted.contributions(X).values())
    assert_allclose(total, reference_delta(stacked(X), fitted.A_), atol=1e-9 * expected.max())


@pytest.mark.parametrize("method, cone", LEARNED)
def test_one_block_keeps_its_order(method, cone):
    X, y = cylinder(30)
    one = Sources({"x1": X["x1"]})
    block = combiner(method, cone).fit(one, y).transform(one)
    assert_array_equal(block.nearest(5)[0], X["x1"].nearest(5)[0])


@pytest.mark.parametrize("method, cone", LEARNED)
def test_permuted_blocks_permute_the_matrix(method, cone):
    X, y = cylinder(28)
    order = ["x3", "x1", "x5", "x2", "x4"]
    places = [int(name[1]) - 1 for name in order]
    settings = {"n_passes": 1, "tol": 1e-5}
    A = combiner(method, cone, **settings).fit(X, y).A_
    B = combiner(method, cone, **settings).fit(Sources({n: X[n] for n in order}), y).A_
    assert_allclose(B, A[np.ix_(places, places)], atol=0.02 * np.abs(A).max())


@pytest.mark.parametrize("method, cone", LEARNED)
def test_identical_blocks_share(method, cone):
    X, y = cylinder(40, n_dimensions=2)
    twice = Sources({"x1": X["x1"], "x2": X["x2"], "again": X["x2"]})
    A = combiner(method, cone, n_passes=1, tol=1e-6).fit(twice, y).A_
    assert_allclose(A[1, 1], A[2, 2], atol=0.02 * np.abs(A).max())
    assert_allclose(A[0, 1], A[0, 2], atol=0.02 * np.abs(A).max())


@pytest.mark.parametrize("method, cone", LEARNED)
def test_empty_and_constant_blocks_do_no_harm(method, cone):
    X, y = cylinder(40, n_dimensions=2)
    zero, one = np.zeros((40, 40)), np.ones((40, 40)) - np.eye(40)
    extended = {"zero": Pairwise(zero, "dissimilarity"), "one": Pairwise(one, "dissimilarity")}
    fitted = combiner(method, cone).fit(Sources({n: X[n] for n in X} | extended), y)
    assert np.isfinite(fitted.A_).all()
    # The ridge alone acts on it, so it vanishes no further than the solver's tolerance.
    assert_allclose(fitted.A_[2], 0, atol=0.02 * np.abs(fitted.A_).max())
    alone = combiner(method, cone).fit(Sources(extended), y)
    assert np.isfinite(alone.A_).all()


def test_nothing_to_learn_falls_back_on_the_sum_of_squares():
    y = [0, 1] * 10
    X = Sources({"zero": Pairwise(np.zeros((20, 20)), "dissimilarity")})
    fitted = combiner().fit(X, y)
    assert fitted.A_.shape == (1, 1)
    assert_array_equal(fitted.transform(X).values, 0)


@pytest.mark.parametrize("method, cone", LEARNED)
def test_noise_gets_no_weight_as_samples_grow(method, cone):
    """If targets are not chosen by the noise, too: all of the class."""

    def share(n, seed):
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 2
        points = {"good": rng.standard_normal(n) + 2 * y, "noise": rng.standard_normal(n)}
        X = {k: np.abs(np.subtract.outer(x, x)) for k, x in points.items()}
        X = Sources({name: Pairwise(values, "dissimilarity") for name, values in X.items()})
        A = combiner(method, cone, ridge=0.01, n_passes=1, n_targets=n).fit(X, y).A_
        return np.linalg.norm(A[1]) / np.linalg.norm(A)

    few, many = (np.mean([share(n, seed) for seed in range(4)]) for n in (16, 160))
    assert many < few / 2
    assert many < (0.05 if method == "weighted" else 0.2)


def test_targets_may_be_a_share():
    X, y = cylinder(60)
    assert_array_equal(combiner(n_targets=0.1).fit(X, y).A_, combiner(n_targets=6).fit(X, y).A_)
    with pytest.raises(InputTypeError, match="n_targets"):
        combiner(n_targets=1.5).fit(X, y)


def test_spn_is_nonnegative_for_every_pair():
    X, y = cylinder(50)
    fitted = combiner("copositive", "spn", ridge=1e-3).fit(X, y)
    assert is_copositive(fitted.A_)
    rng = np.random.default_rng(0)
    unseen = Sources(
        {name: Pairwise(rng.exponential(size=(200, 50)) ** 3, "dissimilarity") for name in X}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.transform(unseen)
    assert fitted.n_negative_ == 0


def test_negative_values_are_counted_told_and_clipped():
    X, y = cylinder(30)
    fitted = combiner(ridge=1e-3).fit(X, y)
    fitted.A_ = np.diag([1.0, 1.0, -1.0, 0.0, 0.0])
    delta = reference_delta(stacked(X), fitted.A_)
    n_negative = int((delta < -1e-9).sum())
    assert n_negative > 0
    with pytest.warns(SimilearnWarning, match=f"^{n_negative} of 900 combined") as caught:
        values = fitted.transform(X).values
    assert len(caught) == 1
    assert fitted.n_negative_ == n_negative
    assert values.min() == 0


def test_training_pairs_are_never_negative():
    X, y = cylinder(60)
    fitted = combiner(ridge=1e-4, n_targets=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.transform(X)


def test_passes_help_on_the_cylinder():
    errors = {}
    for n_passes in (1, 5):
        model = CDNNClassifier(combiner(cone="spn", n_passes=n_passes, n_targets=5, tol=1e-3))
        scores = []
        for seed in range(4):
            X, y, queries, truth = halves(*cylinder(200, seed), 100)
            scores.append(model.fit(X, y).score(queries, truth))
        errors[n_passes] = 1 - np.mean(scores)
    assert errors[5] < errors[1] < 0.2


def test_ridge_is_chosen_by_cross_validation():
    X, y = cylinder(60)
    fitted = combiner("weighted", ridge=None, ridges=(10.0, 0.1, 1e-3)).fit(X, y)
    assert fitted.cv_scores_.shape == (3,)
    ridges = np.array([1e-3, 0.1, 10.0])
    best = fitted.cv_scores_ == fitted.cv_scores_.max()
    assert fitted.ridge_ == ridges[best].max()
    again = combiner("weighted", ridge=fitted.ridge_).fit(X, y)
    assert_allclose(again.A_, fitted.A_)
    threads = combiner("weighted", ridge=None, ridges=(10.0, 0.1, 1e-3), n_jobs=2).fit(X, y)
    assert_array_equal(threads.A_, fitted.A_)


def test_forward_selection_drops_noise():
    X, y = cylinder(150, 1)
    fitted = combiner("weighted", select="forward").fit(X, y)
    assert fitted.names_ == ["x1", "x2"]
    assert set(fitted.selection_) == set(X)
    assert fitted.A_.shape == (2, 2)
    used = Sources({name: X[name] for name in ("x1", "x2")})  # the others need not come along
    assert_allclose(fitted.transform(used).values, fitted.transform(X).values)


def test_scales_do_not_matter_when_blocks_are_scaled():
    X, y = cylinder(40)
    larger = Sources({n: X[n].with_values(X[n].values * 4.0**i) for i, n in enumerate(X)})
    settings = {"n_passes": 1, "tol": 1e-6}
    one = combiner(**settings).fit(X, y).transform(X).values
    other = combiner(**settings).fit(larger, y).transform(larger).values
    assert_allclose(other, one, rtol=1e-6, atol=1e-6 * one.max())


def test_stochastic_solver_is_seeded_and_near_the_optimum():
    X, y = cylinder(40)
    settings = {"n_passes": 1, "solver": "stochastic", "max_iter": 200, "tol": 10.0}
    one = combiner(random_state=3, **settings).fit(X, y)
    two = combiner(random_state=3, **settings).fit(X, y)
    assert_array_equal(one.A_, two.A_)
    exact = combiner(n_passes=1).fit(X, y)
    assert exact.history_[-1].bound <= one.history_[-1].objective
    assert one.history_[-1].objective < 1.1 * exact.history_[-1].objective


def test_slow_convergence_is_told():
    X, y = cylinder(60)
    with pytest.warns(ConvergenceWarning, match=r"not optimal to tol=0.0001.*Raise max_iter"):
        fitted = combiner(max_iter=1, n_passes=1).fit(X, y)
    assert not fitted.converged_


def test_asymmetric_blocks_are_refused_or_symmetrized():
    X, y = cylinder(30)
    values = X["x1"].values * np.where(np.tri(30), 1.2, 1.0)
    asymmetric = Sources({"x1": Pairwise(values, "dissimilarity"), "x2": X["x2"]})
    with pytest.raises(InputError, match=r"'x1' is asymmetric.*symmetrize=True"):
        combiner().fit(asymmetric, y)
    mean = Sources({"x1": convert.symmetrize(asymmetric["x1"]), "x2": X["x2"]})
    ours = combiner(symmetrize=True).fit(asymmetric, y)
    assert_allclose(ours.A_, combiner().fit(mean, y).A_)
    assert_allclose(ours.transform(asymmetric).values, ours.transform(mean).values)


def broken(X, name="x1", **changes):
    return Sources({n: X[n] for n in X} | {name: X[name].with_values(**changes)})


def test_messages():
    X, y = cylinder(20)
    similarity = broken(X, values=X["x1"].values, kind="similarity")
    with pytest.raises(InputError, match="Source 'x1': X holds a similarity"):
        combiner().fit(similarity, y)
    with pytest.raises(InputError, match="'x1' holds negative dissimilarities"):
        combiner().fit(broken(X, values=-X["x1"].values), y)
    with pytest.raises(InputError, match="'table' is a table of features"):
        combiner().fit(Sources({"x1": X["x1"], "table": np.ones((20, 2))}), y)
    with pytest.raises(InputError, match=r"Source 'x1'.*NaN"):
        combiner().fit(broken(X, values=np.full((20, 20), np.nan)), y)
    with pytest.raises(InputError, match="needs at least two"):
        combiner().fit(X, np.ones(20))
    with pytest.raises(InputError, match="method='best' is unknown"):
        combiner("best").fit(X, y)
    with pytest.raises(InputError, match="ridges is empty"):
        combiner(ridge=None, ridges=()).fit(X, y)
    with pytest.raises(InputTypeError, match="ridges is of type float; expected a list"):
        combiner(ridge=None, ridges=0.1).fit(X, y)
    with pytest.raises(InputError, match="asks for source 'x5'"):
        combiner().fit(X, y).transform(Sources({n: X[n] for n in ("x1", "x2", "x3", "x4")}))
    with pytest.raises(InputError, match="expected a DissimilarityCombiner"):
        CDNNClassifier(NeighborsClassifier()).fit(X, y)


def test_smith_waterman_scores_are_converted_explicitly():
    rng = np.random.default_rng(0)
    scores = rng.integers(10, 100, size=(20, 20)).astype(float)
    scores = scores + scores.T + 300 * np.eye(20)
    block = convert.max_minus(Pairwise(scores, "similarity"))
    fitted = combiner().fit(Sources({"sw": block}), [0, 1] * 10)
    assert fitted.names_ == ["sw"]


def test_cdnn_is_the_combiner_and_neighbours():
    X, y, queries, truth = halves(*cylinder(90), 60)
    labels = np.array(["in", "out"])[y - 1]
    model = CDNNClassifier(combiner(), n_neighbors=3).fit(X, labels)
    pipeline = make_pipeline(combiner(), NeighborsClassifier(3, kind="dissimilarity"))
    pipeline.fit(X, labels)
    assert_array_equal(model.predict(queries), pipeline.predict(queries))
    assert_allclose(model.predict_proba(queries), pipeline.predict_proba(queries))
    (_, combine), (_, near) = pipeline.steps
    for ours, theirs in ((queries, combine.transform(queries)), (None, None)):
        for found, wanted in zip(
            model.kneighbors(ours, 5), near.kneighbors(theirs, 5), strict=True
        ):
            assert_allclose(found, wanted)
    assert set(model.classes_) == {"in", "out"}
    assert model.score(queries, np.array(["in", "out"])[truth - 1]) > 0.75


def test_explanations_split_the_dissimilarity_by_blocks():
    X, y, queries, _ = halves(*cylinder(50), 40)
    model = CDNNClassifier(combiner(cone="spn"), n_neighbors=3).fit(X, y)
    told = model.explain(queries)
    assert_array_equal(told.decisions, model.predict(queries))
    assert_allclose(sum(told.contributions.values()), told.values, atol=1e-9)
    assert set(told.contributions) == set(X)
    assert "; of it x" in str(told)
    assert_array_equal(told.labels, y[told.neighbors])


def test_cdnn_in_searches_and_cross_validation():
    X, y = cylinder(60)
    model = CDNNClassifier(combiner("weighted"))
    grid = {"n_neighbors": [1, 3, 5]}
    search = PathSearchCV(model, grid, cv=3).fit(X, y)
    assert search.searched_by_path_
    for k, mean in zip(grid["n_neighbors"], search.cv_results_["mean_test_score"], strict=True):
        alone = cross_val_score(clone(model).set_params(n_neighbors=k), X, y, cv=3)
        assert_allclose(mean, alone.mean())
    nested = clone(model).set_params(combiner__ridge=0.5)
    assert nested.combiner.ridge == 0.5


def test_kernel_combiner_prefers_the_kernel_that_tells():
    made = datasets.make_similarities(80, bayes_error=0.05)
    noise = np.cov(np.random.default_rng(0).standard_normal((80, 100)))
    X = Sources({"noise": Pairwise(noise, "similarity"), "made": made.data})
    X_train, y, queries, truth = halves(X, made.target, 60)
    model = make_pipeline(KernelCombiner(tol=1e-3), SimilaritySVC(calibration="none"))
    model.fit(X_train, y)
    fitted = model[0]
    assert_allclose(fitted.weights_, project_on_simplex(fitted.weights_))
    assert fitted.weights_[1] > 0.5
    assert (np.diff(fitted.history_) < 0).all()
    assert fitted.gap_ <= 1e-3
    assert model.score(queries, truth) > 0.8


def test_kernel_combiner_of_one_is_that_kernel():
    made = datasets.make_similarities(40, indefinite=0.5)
    one = KernelCombiner().fit(Sources({"made": made.data}), made.target)
    assert_allclose(one.weights_, [1.0])
    kernel = one.transform(Sources({"made": made.data})).values
    assert np.linalg.eigvalsh((kernel + kernel.T) / 2).min() > -1e-9
    assert_allclose(kernel.diagonal().mean(), 1.0)


def test_kernel_combiner_converts_dissimilarities_by_the_one_rule():
    X, y = cylinder(20)
    similar = {name: DissimilarityToSimilarity().fit_transform(X[name]) for name in X}
    expected = KernelCombiner().fit(Sources(similar), y)
    found = KernelCombiner().fit(X, y).transform(X)
    assert_allclose(found.values, expected.transform(Sources(similar)).values)


def test_kernel_combiner_messages():
    _, y = cylinder(20)
    with pytest.raises(InputError, match="table of features"):
        KernelCombiner().fit(Sources({"t": np.ones((20, 2))}), y)


def test_the_old_name_of_the_bound():
    given = {"n_samples": 50, "ridge": 0.1, "kappa": 2, "rho": 0.5}
    with pytest.warns(FutureWarning, match="renamed to cdnn_generalization_bound"):
        old = generalization_bound(0.1, **given)
    assert old == cdnn_generalization_bound(0.1, **given)


def test_generalization_bound_as_printed():
    bound = cdnn_generalization_bound(0.1, n_samples=50, ridge=0.1, kappa=2, rho=0.5, epsilon=0.05)
    root = (np.log(20) / 100) ** 0.5
    assert_allclose(bound, 0.1 + 4 / 25 + (8 + 1 / np.sqrt(0.1 * 0.5 * 50)) * root)
    more = cdnn_generalization_bound(0.1, n_samples=5000, ridge=0.1, kappa=2, rho=0.5)
    assert 0.1 < more < bound
    with pytest.raises(InputError, match="probability below 1"):
        cdnn_generalization_bound(0.1, n_samples=50, ridge=0.1, kappa=2, rho=0.5, epsilon=1.5)


def test_cylinder_is_as_described():
    made = datasets.make_cylinder(1000)
    inside = (made.points[:, :2] ** 2).sum(axis=1) <= 2.57
    assert_array_equal(made.target == 1, inside)
    assert abs(inside.mean() - (1 - np.exp(-2.57 / 2))) < 0.05
    assert_allclose(made.data["x2"].values[3, 5], abs(made.points[3, 1] - made.points[5, 1]))
    with pytest.raises(InputError, match="n_dimensions=1 is too small"):
        datasets.make_cylinder(10, n_dimensions=1)


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
@pytest.mark.parametrize("method", ["weighted", "psd", "copositive"])
def test_a_class_of_one_sample(method):
    """Folds may then hold no triple, or one class alone."""
    points = np.array([0.0, 0.1, 0.3, 0.4, 9.0])
    D = Pairwise(abs(points[:, None] - points), "dissimilarity")
    X, y = Sources({"a": D, "b": D}), [0, 0, 0, 0, 1]
    assert np.isfinite(DissimilarityCombiner(method).fit(X, y).transform(X).values).all()
    model = CDNNClassifier(DissimilarityCombiner(method)).fit(X, y)
    assert list(model.predict(X)) == y


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
def test_kernels_at_any_cost():
    S = np.random.default_rng(0).normal(size=(30, 30))
    X = Sources({"a": Pairwise(S + S.T, "similarity"), "b": Pairwise(S @ S.T, "similarity")})
    model = KernelCombiner(C=1e300).fit(X, np.arange(30) % 2)
    assert np.isfinite(model.transform(X).values).all()
