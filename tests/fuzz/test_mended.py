"""What the attacker found and nothing else tests, once each."""

import networkx
import numpy as np
import pandas as pd
import polars
import pytest
from scipy import sparse

import similearn as sl
from similearn.data.formats.recognizing import format_of
from similearn.errors import ConvergenceWarning, SimilearnError

D = abs(np.arange(12.0)[:, None] - np.arange(12.0))
Y = np.repeat([0, 1], 6)
BLOCKS = sl.Sources({"a": sl.Pairwise(D, "dissimilarity"), "b": sl.Pairwise(D**2, "dissimilarity")})


class Raising:
    """Labels that cannot be read."""

    def __array__(self, *_, **__):
        raise RuntimeError("no labels today")


def _without_entries():
    matrix = sparse.csr_array(D)
    matrix.data = None
    return matrix


REFUSED = {
    "weight of an edge": (
        lambda: sl.as_pairwise(networkx.Graph([(0, 1, {"weight": np.nan})]), "similarity"),
        "has weight nan; expected a finite number",
    ),
    "number of neighbours": (
        lambda: sl.neighbor_table(sl.Pairwise(D, "dissimilarity"), "x"),
        "k='x' must be an integer",
    ),
    "self-similarities": (
        lambda: sl.convert.distance_from_inner_products(-D, column_self_values=["x"] * 12),
        "column_self_values",
    ),
    "labels": (
        lambda: sl.PairwiseSimilarity("levenshtein").fit(["a"] * 12, Raising()),
        "y does not fit the objects",
    ),
    "a component": (
        lambda: sl.FusionClassifier([("x", None, "a")]).fit(BLOCKS, Y),
        "Component 'x' is of type NoneType; expected a classifier",
    ),
    "a combiner": (
        lambda: sl.CDNNClassifier(0).fit(BLOCKS, Y),
        "combiner is a int; expected a DissimilarityCombiner",
    ),
    "a word for labels": (
        lambda: sl.NeighborsClassifier(1, kind="dissimilarity").fit(D, "no_validation"),
        "y is a string",
    ),
    "variances beyond all numbers": (
        lambda: sl.PairwiseSimilarity("seuclidean").fit(np.diag([1e300, 1.0])),
        "beyond 1e308",
    ),
    "covariances beyond all numbers": (
        lambda: sl.PairwiseSimilarity("mahalanobis").fit(np.diag([1e300, 1.0])),
        "beyond 1e308",
    ),
    "sparse labels": (
        lambda: sl.PathSearchCV(
            sl.NeighborsClassifier(kind="dissimilarity"), {"n_neighbors": [1]}
        ).fit(D, sparse.csr_array(np.c_[Y, Y])),
        "Pass y as a vector of 12 labels",
    ),
    "a class for samples": (
        lambda: sl.suspicious_labels(sl.NeighborsClassifier(1), np.ndarray, Y),
        "X",
    ),
    "names without dimensions": (
        lambda: sl.write_report(
            sl.NeighborsClassifier(1).fit(D, Y), "x", X=D, y=Y, names=np.array("a")
        ),
        "names is of type ndarray; expected a list of 12 names",
    ),
    "a support of SDA": (
        lambda: sl.SDAClassifier(np.array([])).fit(D, Y),
        "is unknown; expected 'observed', 'continuous' or a number of levels",
    ),
    "entries that are none": (
        lambda: sl.Pairwise(_without_entries(), "similarity"),
        "not an array",
    ),
    "whether to show progress": (
        lambda: sl.PairwiseSimilarity("euclidean", progress=np.array([])).fit_transform(D),
        "expected 'auto', True or False",
    ),
    "ridges without dimensions": (
        lambda: sl.DissimilarityCombiner(ridges=np.array("x")).fit(BLOCKS, Y),
        "ridges cannot be listed",
    ),
    "folds of a combiner": (
        lambda: sl.DissimilarityCombiner("weighted", cv=np.array([])).fit(BLOCKS, Y),
        "cv",
    ),
    "powers of components": (
        lambda: sl.FusionClassifier([("x", sl.NeighborsClassifier(), "a")], temper=range(3)).fit(
            BLOCKS, Y
        ),
        r"temper=range\(0, 3\) cannot split 12 samples",
    ),
    "folds for powers": (
        lambda: sl.FusionClassifier([("x", sl.NeighborsClassifier(), "a")], temper=-1).fit(
            BLOCKS, Y
        ),
        "temper=-1 cannot split 12 samples",
    ),
    "a seed of a table": (
        lambda: sl.neighbor_table(["a", "b"], 1, function="levenshtein", random_state="x"),
        "random_state='x' cannot seed",
    ),
    "labels of a report": (
        lambda: sl.write_report(sl.NeighborsClassifier(1).fit(D, Y), "x", X=D, y=np.c_[Y, Y]),
        "Pass y as a vector of 12 labels",
    ),
    "names of a report": (
        lambda: sl.write_report(sl.NeighborsClassifier(1).fit(D, Y), "x", X=D, y=Y, names=0.5),
        "names is of type float; expected a list of 12 names",
    ),
    "a million million empty rows": (
        lambda: sl.PathSearchCV(sl.NeighborsClassifier(), {}).fit(
            sparse.coo_array(([1.0], ([0], [0])), (10**12, 12)), Y
        ),
        "X has 1000000000000 rows but only 1 stored entries",
    ),
    "a method": (
        lambda: sl.compare(D, Y, [1], kind="dissimilarity"),
        "A method is named 1; expected a word",
    ),
    "methods": (lambda: sl.compare(D, Y, "knn", kind="dissimilarity"), "expected a list"),
    "splits of a comparison": (
        lambda: sl.compare(D, Y, ["knn"], n_splits=0.5),
        "n_splits=0.5 must be an integer",
    ),
    "processes of a comparison": (
        lambda: sl.compare(D, Y, ["knn"], kind="dissimilarity", n_splits=1, n_jobs=0.5),
        "n_jobs=0.5 must be an integer",
    ),
    "a report of a comparison": (
        lambda: sl.compare(D, Y, ["knn"], report=np.array([])),
        "neither True, False nor a path",
    ),
    "groups of a search": (
        lambda: sl.PathSearchCV(sl.NeighborsClassifier(1), {}).fit(D, Y, groups=np.int64(3)),
        "at least 1 dimension",
    ),
    "an infinite weight": (
        lambda: sl.NeighborsClassifier(1).fit(D, Y, sample_weight=np.inf),
        "sample_weight contains infinity",
    ),
    "complex weights": (
        lambda: sl.NeighborsClassifier(1).fit(D, Y, sample_weight=Y * 1j),
        "sample_weight cannot be read as numbers",
    ),
    "ragged groups": (
        lambda: sl.SimilarityClassifier(effort="quick").fit(-D, Y, groups=[[1], [1, 2]] * 6),
        "groups is ragged",
    ),
    "one label for a report": (
        lambda: sl.write_report(sl.NeighborsClassifier(1).fit(-D, Y), "x", X=-D, y=5),
        "Pass y as a vector of 12 labels",
    ),
    "missing labels of a learned similarity": (
        lambda: sl.PairwiseSimilarity("value_difference").fit([["a"]] * 12, [None, *Y[1:]]),
        "y holds None at position 0",
    ),
    "a seed": (
        lambda: sl.SimilarityClassifier(kind="dissimilarity", random_state="x").fit(D, Y),
        "random_state='x' must be an integer",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case):
    attempt, message = REFUSED[case]
    with pytest.raises(SimilearnError, match=message):
        attempt()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_combiner_takes_every_source_of_random_numbers():
    seeds = [3, None, np.random.RandomState(3)]
    for seed in seeds:
        sl.DissimilarityCombiner("weighted", ridge=0.1, random_state=seed).fit(BLOCKS, Y)


def test_a_ridge_too_small_for_its_unit_leaves_scores_finite():
    S = sl.Pairwise(np.full((5, 5), 5e-324) * np.eye(5), "similarity")
    model = sl.IndefiniteFisherClassifier(ridge=1e-300).fit(S, [0, 0, 0, 1, 1])
    assert np.isfinite(model.decision_function(S)).all()


def test_a_list_of_splits_is_no_word():
    splits = np.array([[np.arange(0, 12, 2), np.arange(1, 12, 2)]])
    search = sl.PathSearchCV(
        sl.NeighborsClassifier(kind="dissimilarity"), {"n_neighbors": [1, 2]}, cv=splits
    )
    assert search.fit(D, Y).n_splits_ == 1


def test_reports_of_sparse_matrices_and_of_huge_values(tmp_path):
    model = sl.NeighborsClassifier(3, kind="similarity").fit(sparse.csr_array(np.exp(-D)), Y)
    sl.write_report(model, tmp_path / "a.html", X=sparse.csr_array(np.exp(-D)), y=Y)
    huge = sl.Pairwise(1e200 * D, "dissimilarity")
    sl.write_report(sl.NeighborsClassifier(3).fit(huge, Y), tmp_path / "b.html", X=huge, y=Y)
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("a.html", "b.html"))


def test_a_mean_square_beyond_the_largest_number_is_infinite():
    features = sl.PrototypeFeatures(sigma=1.0).fit(sl.Pairwise(1e200 * D, "dissimilarity"))
    with pytest.warns(FutureWarning):
        assert features.mean_square_ == np.inf


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_a_forest_takes_a_sparse_block_with_a_dense_reverse(kind):
    values = sparse.csr_array(np.where(D < 5, D + 1, 0.0))
    block = sl.Pairwise(values, kind, reverse=D + 2)
    forest = sl.ProximityForestClassifier(2, random_state=0).fit(block, Y)
    assert np.isfinite(forest.predict_proba(block)).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("value", [0.0, 1e100])
def test_local_sda_of_a_single_level(value):
    model = sl.LocalSDAClassifier(kind="similarity", support=20, alpha=0.0)
    model.fit(np.full((12, 12), value), Y)
    assert np.isfinite(model.predict_proba(np.full((2, 12), value))).all()


def test_a_search_cuts_frames_of_polars():
    grid = {"weights": ["uniform", "affinity"]}
    search = sl.PathSearchCV(sl.NeighborsClassifier(2, kind="similarity"), grid, cv=2)
    frame = polars.DataFrame(np.exp(-D), schema=[f"s{i}" for i in range(12)])
    assert search.fit(frame, Y).n_splits_ == 2


def test_weights_beyond_the_largest_number_are_bounded():
    S = np.array([[0.0, 1.5e-250], [1.5e-250, 1e50]])
    weights = sl.krr_weights(S, np.array([-1.4e48, -2.6e49]), 1e-300)
    assert (abs(weights) <= 1e300).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_no_sample_of_classes_of_one_can_be_held_out():
    block = sl.Pairwise(D, "dissimilarity")
    for model in (sl.NeighborsClassifier(1), sl.ProximityForestClassifier(2, random_state=0)):
        assert np.isnan(model.calibration_losses(block, np.arange(12), [{}])).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_labels_of_half_precision(tmp_path):
    np.save(tmp_path / "block.npy", D)
    np.save(tmp_path / "labels.npy", Y.astype(np.float16))
    y = sl.read_pairwise(tmp_path / "block.npy", labels=tmp_path / "labels.npy").labels
    assert y.dtype.kind == "i" and y.tolist() == Y.tolist()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_epsilon_below_all_that_can_be_told_from_zero():
    rng = np.random.default_rng(0)
    S = 1e20 * rng.normal(size=(20, 20))
    model = sl.PotentialSVC(epsilon=1e-300)
    with pytest.warns(ConvergenceWarning, match="raise epsilon"):
        model.fit(sl.Pairwise(S, "similarity"), np.arange(20) % 3)
    assert np.isfinite(model.decision_function(sl.Pairwise(S[:2], "similarity", S[:, :2].T))).all()


@pytest.mark.parametrize(
    "model",
    [sl.NeighborsClassifier(np.int8(3)), sl.NeighborsClassifier(weights="krr", ridge=10**30)],
)
def test_integers_of_any_length_are_numbers(model):
    assert set(model.set_params(kind="dissimilarity").fit(D, Y).predict(D)) <= {0, 1}


def test_an_archive_whose_list_is_damaged_gets_a_sentence(tmp_path):
    np.savez(tmp_path / "a.npz", S=D)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[content.rindex(b"PK\x01\x02")] ^= 255
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(SimilearnError, match="damaged archive"):
        format_of(tmp_path / "a.npz")


def test_the_name_of_a_source_that_is_not_there_is_told_in_short():
    with pytest.raises(KeyError) as caught:
        sl.Sources({"n" * 5000: D})["z"]
    assert len(str(caught.value)) < 2000


def test_a_bound_beyond_the_largest_number_is_infinite():
    bound = sl.jmlr_features_bound(0.1, beta=1.0, kappa=1e300, n_samples=9, n_prototypes=3)
    assert bound == np.inf


@pytest.mark.parametrize("form", ["Float64", "Int64", "boolean", "double[pyarrow]", "mixed"])
def test_frames_of_every_type_of_numbers(form):
    frame = pd.DataFrame(D) if form != "boolean" else pd.DataFrame(D < 3)
    frame = frame.astype({0: "float32", 1: "Int64"} if form == "mixed" else form)
    kind = "similarity" if form == "boolean" else "dissimilarity"
    assert sl.as_pairwise(frame, kind).values.tolist() == np.asarray(frame, float).tolist()
    knn = sl.NeighborsClassifier(kind=kind)
    sl.PathSearchCV(knn, {"n_neighbors": [1, 2]}, cv=2).fit(frame, Y)
    sl.suspicious_labels(knn, frame, Y, cv=2)


def test_missing_numbers_of_a_frame_are_named():
    with pytest.raises(SimilearnError, match="NaN at row 0, column 0"):
        sl.diagnose(pd.DataFrame(D).astype("Float64").replace(0.0, pd.NA), kind="dissimilarity")


def test_a_model_of_a_frame_with_names_is_saved(tmp_path):
    frame = pd.DataFrame(D, columns=[f"s{i}" for i in range(12)])
    model = sl.NeighborsClassifier(3, kind="dissimilarity").fit(frame, Y)
    sl.save(model, tmp_path / "model")
    loaded = sl.load(tmp_path / "model")
    assert (loaded.predict(frame) == model.predict(frame)).all()
    with pytest.raises(SimilearnError, match="feature names should match"):
        loaded.predict(frame.add_prefix("x"))


def test_labels_are_judged_where_folds_are_smaller_than_neighbourhoods():
    found = sl.suspicious_labels(sl.NeighborsClassifier(12, kind="dissimilarity"), D, Y, cv=2)
    assert found.n_samples == 12
    model = sl.SimilarityClassifier(effort="quick", progress=False).fit(-D, Y)
    model.members_[0].estimator.set_params(n_neighbors=12)
    assert sl.suspicious_labels(model, -D, Y, cv=2).n_samples == 12


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_search_shows_values_of_several_precisions():
    grid = {"ridge": [np.float32(0.5), 1e300], "n_neighbors": [1, 2]}
    knn = sl.NeighborsClassifier(2, weights="kri", kind="dissimilarity")
    assert "ridge" in sl.PathSearchCV(knn, grid, cv=2).fit(D, Y)._repr_html_()
