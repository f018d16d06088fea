"""What every registered similarity says of itself is true, and its name works in a pipeline."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from similearn import PairwiseSimilarity
from similearn.similarities import (
    ColourDifference94,
    EarthMover,
    Indel,
    JaccardSets,
    LongestCommonSubsequence,
    NgramProfile,
    PyramidMatch,
    Quantized,
    SmithWaterman,
    TangentDistance,
    TverskyContrast,
    ValueDifference,
    evaluate_square,
    registry,
)
from tests.thinning import drawn

VARIANTS = [
    ColourDifference94("textiles"),
    EarthMover([3.0, 1.0, 0.0, 7.0]),
    Indel(normalized=True),
    JaccardSets(64),
    LongestCommonSubsequence(normalized=False),
    NgramProfile(2, 2, ends=False),
    PyramidMatch(normalized=False),
    Quantized("relative_entropy", n_levels=4),
    SmithWaterman("pam50", normalized=True),
    TangentDistance(1),
    TverskyContrast(alpha=0.25),
    ValueDifference(weighted=True),
]
N = 6
OBJECTS = {
    "strings": lambda rng: ["".join(rng.choice(list("ACDW"), rng.integers(7))) for _ in range(N)],
    "images": lambda rng: rng.random((N, 5, 5)),
    "sets": lambda rng: [set(rng.integers(5, size=3)) for _ in range(N)],
    "points": lambda rng: [4 * rng.standard_normal((rng.integers(1, 5), 2)) for _ in range(N)],
    "series": lambda rng: [rng.standard_normal(rng.integers(1, 6)) for _ in range(N)],
    "table": lambda rng: rng.integers(3, size=(N, 4)),
    "pairs": lambda rng: rng.random((N, 2)) - 0.5,
    "colours": lambda rng: 100 * rng.random((N, 3)),
    "numbers": lambda rng: rng.random((N, 4)) + np.round(rng.random((N, 4))),
    "binary": lambda rng: np.hstack([np.tile([1.0, 0.0], (N, 1)), np.round(rng.random((N, 4)))]),
}
KINDS = {
    "strings": "compression normalized_compression smith_waterman tfidf_cosine levenshtein "
    "damerau_levenshtein optimal_string_alignment indel longest_common_subsequence jaro "
    "jaro_winkler ngrams",
    "images": "tangent fuzzy_image",
    "sets": "tversky_contrast tversky_ratio jaccard_sets tanimoto sorensen_dice",
    "points": "pyramid_match earth_mover_sets",
    "series": "dynamic_time_warping edit_real_penalty",
    "table": "value_difference",
    "pairs": "haversine",
    "colours": "colour_difference_94",
    "binary": "dice jaccard rogerstanimoto russellrao sokalsneath yule hamming",
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names.split()}


def problem(similarity, seed):
    kind = KIND_OF.get(similarity.name, "numbers")
    return OBJECTS[kind](np.random.default_rng(seed)), np.arange(N) % 2


def skip_if_missing(similarity):
    if similarity.requires is not None:
        pytest.importorskip(similarity.requires[0])


def fitted(similarity, objects, y):
    if similarity.name == "tfidf_cosine":  # one-letter words are none, by default
        objects = ["AA CC", *objects[1:]]
    return similarity.fit(objects, y)


EVERY = [*registry.values(), *VARIANTS]


@pytest.mark.parametrize("similarity", EVERY, ids=lambda s: f"{s.name}-{s!r}"[:60])
@given(seed=st.integers(0, 10**6))
@drawn(4)
def test_symmetry_and_range_are_as_declared(similarity, seed):
    skip_if_missing(similarity)
    objects, y = problem(similarity, seed)
    model = fitted(similarity, objects, y)
    values = model.matrix(objects, objects)
    low, high = model.range
    assert values.shape == (N, N) and values.dtype == np.float64
    assert np.all((values >= low) & (values <= high))
    scale = np.abs(values).max() + 1
    if model.symmetric:
        assert_allclose(values, values.T, atol=1e-9 * scale)
    assert_allclose(model.self_values(objects), np.diag(values), atol=1e-7 * scale)
    assert_allclose(model(objects[1], objects[2]), values[1, 2], atol=1e-9 * scale)


@pytest.mark.parametrize("similarity", [s for s in EVERY if not s.symmetric], ids=str)
def test_the_asymmetric_ones_are(similarity):
    """A symmetry that is denied must be seen to fail somewhere."""
    skip_if_missing(similarity)
    gaps = []
    for seed in range(5):
        objects, y = problem(similarity, seed)
        values = fitted(similarity, objects, y).matrix(objects, objects)
        gaps.append(np.abs(values - values.T).max())
    assert max(gaps) > 0.01


@pytest.mark.parametrize("name", sorted(registry))
def test_names_work_in_the_transformer(name):
    skip_if_missing(registry[name])
    objects, y = problem(registry[name], 0)
    if name == "tfidf_cosine":
        objects = [f"{word} ACDW" for word in objects]
    transformer = PairwiseSimilarity(name)
    block = transformer.fit_transform(objects, y)
    assert block.kind == registry[name].kind
    queries = transformer.transform(objects[:2])
    tolerance = 1e-7 * (np.abs(block.values).max() + 1)
    assert_allclose(queries.values, block.values[:2], atol=tolerance)
    assert_allclose(queries.self_values, np.diag(block.values)[:2], atol=tolerance)


def test_only_learned_similarities_look_at_labels():
    learned = {name for name, similarity in registry.items() if similarity.learned}
    needing = {name for name, similarity in registry.items() if similarity.needs_fit}
    assert learned == {"value_difference"}
    assert needing == learned | {"tfidf_cosine", "quantized", "seuclidean", "mahalanobis"}


def test_prepared_once_a_collection(monkeypatch):
    seen = []
    prepare = PyramidMatch._prepare
    monkeypatch.setattr(
        PyramidMatch, "_prepare", lambda self, X: seen.append(len(X)) or prepare(self, X)
    )
    points = [np.full((1, 2), float(i)) for i in range(600)]
    values = evaluate_square(PyramidMatch(), points)
    assert seen == [600]
    assert_array_equal(values, PyramidMatch().matrix(points, points))
