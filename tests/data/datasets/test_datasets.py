"""Bundled, derived and generated data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtr
from sklearn.neighbors import KNeighborsClassifier

import similearn
from similearn import datasets
from similearn.data.datasets.generate import draw_latent, latent_bayes_error, separation_for
from similearn.errors import InputError, InputTypeError


def test_house_votes():
    votes = similearn.datasets.load_house_votes()
    assert votes.data.shape == (435, 16) and votes.data.dtype == object
    assert set(votes.data.ravel()) == {"y", "n", "?"}
    assert (votes.data == "?").sum() == 392
    names, counts = np.unique(votes.target, return_counts=True)
    assert list(names) == votes.target_names == ["democrat", "republican"]
    assert list(counts) == [267, 168]
    assert votes.feature_names[0] == "handicapped-infants" and len(votes.feature_names) == 16
    assert "CC BY 4.0" in votes.DESCR
    # UCI's first line: republican,n,y,n,y,y,y,n,n,n,y,?,y,y,y,n,y
    assert "".join(votes.data[0]) == "nynyyynnny?yyyny" and votes.target[0] == "republican"
    X, y = datasets.load_house_votes(return_X_y=True)
    assert_array_equal(X, votes.data)
    assert_array_equal(y, votes.target)


def test_shifted_digits_are_asymmetric_and_no_farther_than_euclidean():
    shifted, y = datasets.load_digits_pairs(60, return_X_y=True)
    plain = datasets.load_digits_pairs(60, dissimilarity="euclidean")
    assert shifted.kind == plain.data.kind == "dissimilarity"
    assert_array_equal(y, plain.target)
    assert np.all(shifted.values <= plain.data.values**2 + 1e-9)
    assert_array_equal(np.diag(shifted.values), 0)
    assert plain.data.is_symmetric and not shifted.is_symmetric
    a, b = plain.images[[3, 8]]
    moves = [
        np.pad(b, 1)[down : down + 8, right : right + 8] for down in range(3) for right in range(3)
    ]
    expected = min(((a - moved) ** 2).sum() for moved in moves)
    assert shifted.values[3, 8] == pytest.approx(expected)


def test_shifted_digits_break_the_triangle_inequality():
    D = datasets.load_digits_pairs(60).data.values
    excess = D[:, None, :] - (D[:, :, None] + D[None, :, :])
    assert excess.max() > 1e-6


def test_digits_are_drawn_by_the_seed():
    one, other, third = (datasets.load_digits_pairs(20, random_state=s).target for s in (0, 0, 1))
    assert_array_equal(one, other)
    assert not np.array_equal(one, third)
    with pytest.raises(InputError, match="n_samples=0 is too small; expected at least 1"):
        datasets.load_digits_pairs(0)
    with pytest.raises(InputError, match="dissimilarity='tangent' is unknown"):
        datasets.load_digits_pairs(20, dissimilarity="tangent")


@pytest.mark.parametrize("delta", [0.5, 1.0, 3.0])
def test_bayes_error_of_two_classes_is_the_known_formula(delta):
    assert latent_bayes_error(delta, 2) == pytest.approx(ndtr(-delta / 2), abs=1e-10)
    assert latent_bayes_error(0.0, 5) == pytest.approx(0.8)


@pytest.mark.parametrize(("n_classes", "error"), [(2, 0.1), (3, 0.25), (10, 0.4), (4, 0.01)])
def test_bayes_error_is_that_of_the_nearest_mean(n_classes, error):
    hidden = draw_latent(200_000, n_classes, n_classes + 3, error, np.random.RandomState(1))
    squared = ((hidden.positions[:, None] - hidden.means[None]) ** 2).sum(axis=2)
    found = np.mean(squared.argmin(axis=1) != hidden.labels)
    assert abs(found - error) < 4 * np.sqrt(error * (1 - error) / 200_000)
    between = np.linalg.norm(hidden.means[:, None] - hidden.means[None], axis=2)
    off_diagonal = between[~np.eye(n_classes, dtype=bool)]
    assert_allclose(off_diagonal, separation_for(error, n_classes), rtol=1e-10)


def test_no_classifier_of_the_block_beats_the_bayes_error():
    """Averaged over problems, 15-NN stays above it, and near it when little is lost."""
    for options, most in [({}, 0.24), ({"noise": 0.1, "indefinite": 0.5}, 0.3)]:
        errors = []
        for seed in range(6):
            problem = datasets.make_similarities(
                1200, 3, bayes_error=0.2, random_state=seed, **options
            )
            train, test = np.arange(600), np.arange(600, 1200)
            nearest = KNeighborsClassifier(15, metric="precomputed")
            far = problem.data.values.max() - problem.data.values
            nearest.fit(far[np.ix_(train, train)], problem.target[train])
            right = nearest.score(far[np.ix_(test, train)], problem.target[test])
            errors.append(1 - right)
        assert 0.2 - 3 * np.sqrt(0.16 / 3600) < np.mean(errors) < most


def test_the_plain_problem_is_positive_definite_and_symmetric():
    block = datasets.make_similarities(150, 3).data
    assert block.is_symmetric and not block.is_sparse
    assert np.linalg.eigvalsh(block.values).min() > -1e-10
    assert_array_equal(np.diag(block.values), 1)
    assert block.values.max() == 1


def negative_mass(**options):
    eigenvalues = np.linalg.eigvalsh(datasets.make_similarities(150, 3, **options).data.values)
    return -eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum()


def test_indefinite_sets_the_negative_mass():
    masses = [negative_mass(indefinite=c) for c in (0.0, 0.3, 0.6, 1.0)]
    assert masses == sorted(masses)
    assert masses[0] < 1e-10 and masses[3] == pytest.approx(0.5)  # the diagonal is then zero
    block = datasets.make_similarities(150, 3, indefinite=0.6).data
    assert block.is_symmetric
    assert (block.values.max(axis=1) > np.diag(block.values)).any()  # others more similar


def test_noise_is_symmetric_and_indefinite():
    assert datasets.make_similarities(150, 3, noise=0.1).data.is_symmetric
    noisy = datasets.make_similarities(150, 3, noise=0.1).data.values
    errors = noisy - datasets.make_similarities(150, 3).data.values
    assert errors[np.triu_indices(150)].std() == pytest.approx(0.1, rel=0.05)
    assert negative_mass(noise=0.1) > 0.1


def test_asymmetry_leaves_the_geometric_mean_of_both_directions():
    skewed = datasets.make_similarities(150, 3, asymmetry=1.0).data.values
    plain = datasets.make_similarities(150, 3).data.values
    assert_allclose(np.sqrt(skewed * skewed.T), plain, rtol=1e-10)
    assert np.std(np.log(skewed / skewed.T)) == pytest.approx(np.sqrt(2), rel=0.2)


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_sparse_blocks_keep_the_nearest(kind):
    dense = datasets.make_similarities(100, kind=kind, asymmetry=0.5).data
    block = datasets.make_similarities(100, kind=kind, asymmetry=0.5, sparsity=0.9).data
    assert block.is_sparse
    assert block.values.nnz == pytest.approx(100 + 0.1 * 100 * 99, abs=4)
    rows, columns = block.values.nonzero()
    assert_array_equal(block.values.toarray()[rows, columns], dense.values[rows, columns])
    assert (block.values.toarray() > 0).sum() == ((block.values.toarray() > 0).T).sum()
    one_way = dense.values if kind == "similarity" else -dense.values
    stored = np.zeros((100, 100), dtype=bool)
    coordinates = block.values.tocoo()
    stored[coordinates.row, coordinates.col] = True
    assert_array_equal(stored, stored.T)
    assert np.all(np.diag(stored))
    both = np.maximum(one_way, one_way.T)
    off = ~np.eye(100, dtype=bool)
    assert both[stored & off].min() >= both[~stored].max()


def test_the_plain_dissimilarity_is_the_distance_in_the_kernel_space():
    S = datasets.make_similarities(50, 3).data.values
    D = datasets.make_similarities(50, 3, kind="dissimilarity").data.values
    squared = np.diag(S)[:, None] + np.diag(S)[None, :] - 2 * S
    assert_allclose(2 * D**2, squared, atol=1e-12)
    assert np.all(D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12)


def test_similarities_follow_the_formula():
    problem = datasets.make_similarities(30, 2, indefinite=0.4, n_latent=5)
    z = problem.latent
    for a, b in [(0, 1), (7, 3), (29, 29)]:
        squares = (z[a] - z[b]) ** 2
        expected = np.exp(-squares.sum() / 10) - 0.4 * np.exp(-squares[:3].sum() / 6)
        assert problem.data.values[a, b] == pytest.approx(expected)


def test_generated_problems_are_drawn_by_the_seed():
    options = {"noise": 0.1, "asymmetry": 0.2, "indefinite": 0.3}
    one, y_one = datasets.make_similarities(40, 3, return_X_y=True, **options)
    two, y_two = datasets.make_similarities(40, 3, return_X_y=True, **options)
    assert_array_equal(one.values, two.values)
    assert_array_equal(y_one, y_two)
    other = datasets.make_similarities(40, 3, random_state=1, **options)
    assert not np.array_equal(one.values, other.data.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples=0"),
        ({"n_classes": 1}, "n_classes=1 is too small; expected at least 2"),
        ({"bayes_error": 0.5}, "less than 0.5, the error of guessing among 2 classes"),
        ({"bayes_error": 0.0}, "at least 1e-6"),
        ({"n_latent": 1}, "expected at least n_classes=2"),
        ({"kind": "distance"}, "kind='distance' is unknown"),
        ({"indefinite": 1.5}, "indefinite=1.5 is out of range; expected a share"),
        ({"sparsity": 1.0}, "sparsity=1.0 is out of range; expected a share"),
        ({"asymmetry": -1}, "asymmetry=-1 is out of range; expected a number"),
        ({"noise": float("nan")}, "noise=nan is out of range; expected a number"),
    ],
)
def test_messages(options, message):
    with pytest.raises(InputError, match=message):
        datasets.make_similarities(**options)


def test_types_and_seeds_are_checked():
    with pytest.raises(InputTypeError, match="n_samples='ten' must be an integer, got str"):
        datasets.make_similarities("ten")
    with pytest.raises(InputTypeError, match=r"noise=.* must be a number, got list"):
        datasets.make_similarities(noise=[1])
    for make in (datasets.make_similarities, datasets.make_cylinder):
        with pytest.raises(InputError, match="random_state=-1 cannot seed random numbers"):
            make(10, random_state=-1)
