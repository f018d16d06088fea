"""Models that hold the objects they were fitted to, and how these are compared."""

from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline

from similearn import (
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    Pairwise,
    PairwiseSimilarity,
    SimilarityClassifier,
    Sources,
    datasets,
)
from similearn.errors import FileError, SimilearnError
from similearn.experiments.models import Model, load_model, save_model
from similearn.similarities import (
    Levenshtein,
    Quantized,
    SklearnMetric,
    TverskyContrast,
    register,
    registry,
)
from similearn.version import __version__
from tests.experiments.model_mutations import (
    STRANGE,
    changed_arrays,
    leaves,
    pack,
    unpacked,
    with_leaf,
)

RNG = np.random.default_rng(0)
WORDS = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "tottori \udc80"]
SETS = [
    {"fly", "sing"},
    {"fly"},
    {"sing", 3},
    {"fly", 3},
    {"swim"},
    {"dive"},
    {"swim", "dive"},
    {1},
]
SERIES = [RNG.normal(size=length) for length in (3, 4, 5, 6, 4, 3, 5, 4)]
ROWS = RNG.normal(size=(8, 3))
VOTES = np.array([["y", "n", None]] * 4 + [["n", 2, "y"]] * 4, dtype=object)
Y = ["a"] * 4 + ["b"] * 4


def as_model(estimator, n=8, kind="similarity"):
    created = datetime.now(UTC).isoformat()
    classes = estimator.classes_.tolist()
    return Model(estimator, "auto", {}, kind, classes, n, None, __version__, created)


def saved_and_loaded(estimator, path, **more):
    save_model(as_model(estimator, **more), path)
    return load_model(path).estimator


@pytest.mark.parametrize(
    ("function", "objects"),
    [
        ("levenshtein", WORDS),
        ("levenshtein", np.array([*WORDS[:7], "ott"])),
        ("levenshtein", [list(word) for word in WORDS]),
        ("smith_waterman", ["ACDEF", "ACDE", "CDEF", "ACF", "WYVT", "WYV", "YVTS", "WWYV"]),
        ("tversky_ratio", SETS),
        (TverskyContrast(theta=2.0, weights={"fly": 2.0, 3: 0.5}), SETS),
        ("tversky_ratio", sparse.csr_array(abs(ROWS) > 0.5).astype(float)),
        ("euclidean", ROWS),
        (SklearnMetric("seuclidean"), ROWS),
        ("value_difference", VOTES),
        ("dynamic_time_warping", SERIES),
        ("tangent", RNG.random((8, 6, 6))),
        ("tfidf_cosine", ["to be", "be to", "to be to", "be", "or not", "not or", "or", "not"]),
        ("normalized_compression", [word[:4].encode() for word in WORDS]),
        (Quantized(Levenshtein(normalized=True), n_levels=4), WORDS),
    ],
    ids=lambda thing: thing if isinstance(thing, str) else type(thing).__name__,
)
def test_objects_of_every_kind_come_back(tmp_path, function, objects):
    compare = PairwiseSimilarity(function, progress=False).fit(objects, Y)
    kind = compare.function_.kind
    model = make_pipeline(compare, NeighborsClassifier(2, kind=kind)).fit(objects, Y)
    loaded = saved_and_loaded(model, tmp_path / "model")
    queries = objects[2:5]
    assert_array_equal(loaded[:-1].transform(queries), model[:-1].transform(queries))
    assert_array_equal(loaded.predict_proba(queries), model.predict_proba(queries))


def test_the_default_on_objects_and_on_sources_comes_back(tmp_path):
    pytest.importorskip("rapidfuzz")
    model = SimilarityClassifier(similarity="levenshtein", effort="quick").fit(WORDS, Y)
    loaded = saved_and_loaded(model, tmp_path / "model", kind="dissimilarity")
    assert_array_equal(loaded.predict_proba(["motto"]), model.predict_proba(["motto"]))
    D = abs(ROWS[:, :1] - ROWS[:, 0])
    X = Sources({"gap": Pairwise(D, "dissimilarity"), "rows": ROWS})
    model = SimilarityClassifier(effort="quick").fit(X, Y)
    loaded = saved_and_loaded(model, tmp_path / "model", kind=None)
    queries = X[np.ix_([1, 6], range(8))]
    assert_array_equal(loaded.predict_proba(queries), model.predict_proba(queries))


def test_a_table_learned_from_labels_comes_back(tmp_path):
    votes, party = datasets.load_house_votes(return_X_y=True)
    model = SimilarityClassifier(similarity="value_difference", effort="quick")
    model.fit(votes[:40], party[:40])
    loaded = saved_and_loaded(model, tmp_path / "model", n=40, kind="dissimilarity")
    assert_array_equal(loaded.predict_proba(votes[40:50]), model.predict_proba(votes[40:50]))


def shared_letters(a, b):
    return float(len(set(a) & set(b)))


def test_functions_are_held_by_their_registered_names(tmp_path):
    options = {"kind": "similarity", "symmetric": True}
    model = make_pipeline(PairwiseSimilarity(shared_letters, **options), NeighborsClassifier(1))
    with pytest.raises(FileError, match="is shared_letters, and a file holds no code: register it"):
        save_model(as_model(model.fit(WORDS, Y)), tmp_path / "model")
    register("shared_letters", **options)(shared_letters)
    try:
        model = make_pipeline(PairwiseSimilarity("shared_letters"), NeighborsClassifier(1))
        loaded = saved_and_loaded(model.fit(WORDS, Y), tmp_path / "model")
        assert_array_equal(loaded.predict(WORDS), model.predict(WORDS))
    finally:
        del registry["shared_letters"]
    with pytest.raises(FileError, match="'shared_letters', which is not registered"):
        load_model(tmp_path / "model")


def test_what_draws_at_random_and_what_is_no_data_is_refused(tmp_path):
    for function, told in (
        (Quantized("levenshtein", random_state=None), "give it a random_state"),
        (TverskyContrast(weights=np.array([1j])), "which no model file holds"),
    ):
        model = make_pipeline(PairwiseSimilarity("levenshtein"), NeighborsClassifier(1))
        model.set_params(neighborsclassifier__kind="dissimilarity").fit(WORDS, Y)
        model[0].function = function
        with pytest.raises(FileError, match=told):
            save_model(as_model(model), tmp_path / "model")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", ["levenshtein", "dynamic_time_warping", "value_difference"])
def test_no_change_of_a_file_gets_through(tmp_path, function):
    objects = {"levenshtein": WORDS, "dynamic_time_warping": SERIES, "value_difference": VOTES}
    objects = objects[function]
    model = make_pipeline(
        PairwiseSimilarity(function), NeighborsClassifier(2, kind="dissimilarity")
    )
    save_model(as_model(model.fit(objects, Y)), path := tmp_path / "model")
    document, arrays = unpacked(path)
    rng = np.random.default_rng(0)
    changed = [
        (with_leaf(document, place, value), arrays)
        for place in leaves(document)
        if place
        for value in (STRANGE[rng.integers(len(STRANGE))], ...)
    ]
    for name, array in arrays.items():
        changed += [(document, arrays | {name: other}) for other in changed_arrays(array, rng)]
    for one, members in changed:
        pack(path, one, members)
        try:
            load_model(path).estimator.predict(objects[:2])
        except SimilearnError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    "classifier",
    [
        NeighborsClassifier(3, weights="kri"),
        LocalSDAClassifier(3, regularization="joint"),
        LocalSVC(3),
    ],
    ids=lambda one: type(one).__name__,
)
def test_lazy_models_come_back(tmp_path, classifier):
    model = make_pipeline(PairwiseSimilarity("levenshtein", lazy=True), classifier).fit(WORDS, Y)
    again = saved_and_loaded(model, tmp_path / "a.model")
    assert_array_equal(again.predict_proba(WORDS[::-1]), model.predict_proba(WORDS[::-1]))


def test_no_part_of_a_lazy_block_is_believed(tmp_path):
    compare = PairwiseSimilarity("levenshtein", lazy=True)
    model = make_pipeline(compare, NeighborsClassifier(3, weights="krr")).fit(WORDS, Y)
    save_model(as_model(model), tmp_path / "a.model")
    document, arrays = unpacked(tmp_path / "a.model")
    places = [p for p in leaves(document) if "changes" in p or "compared" in p]
    assert places
    for place in places:
        for value in STRANGE:
            pack(tmp_path / "b.model", with_leaf(document, place, value), arrays)
            try:
                load_model(tmp_path / "b.model").estimator.predict(WORDS)
            except SimilearnError:
                continue


def test_a_lazy_block_of_what_was_learned_is_refused(tmp_path):
    compare = PairwiseSimilarity(SklearnMetric("seuclidean"), lazy=True)
    model = make_pipeline(compare, NeighborsClassifier(3, weights="krr")).fit(ROWS, Y)
    with pytest.raises(SimilearnError, match="lazy=False"):
        save_model(as_model(model), tmp_path / "a.model")
