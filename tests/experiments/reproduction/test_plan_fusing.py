import csv
import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from similearn.data import Pairwise, Sources
from similearn.experiments.comparisons.runner import run_units
from similearn.experiments.reproduction.columns import feature_columns as features
from similearn.experiments.reproduction.columns.feature_classifiers import (
    FeatureLocalSVC,
    GaussianMixtureClassifier,
    SourcesWithTable,
)
from similearn.experiments.reproduction.columns.feature_columns import random_draws, standardized
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.plan import loaded
from similearn.experiments.reproduction.plans.fusing import PLANS, VOWEL_FEATURES
from similearn.experiments.reproduction.published.printed import published
from similearn.selection import PathSearchCV
from tests.experiments.data import quick_units
from tests.experiments.reproduction.tiny import write_data
from tests.uncalibrated import NeighborsClassifier

TABLE_1, TABLE_2 = PLANS


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def write_table(path, names, X, y):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*names, "label"])
        for row, label in zip(X, y, strict=True):
            lines.writerow([*("" if np.isnan(cell) else cell for cell in row), label])


def points(n, d, seed=0):
    """Three classes of Gaussian points."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, d)) + 3 * np.eye(3, d, k=d - 3)[y], np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("data")
    write_data(path, ["aural-sonar"])
    for seed, half in enumerate(("train", "test")):
        X, y = points(60, 12, seed)
        write_table(
            path / f"features/vowel-{half}.csv.gz", ["speaker", "sex", *VOWEL_FEATURES], X, y
        )
    write_ads(path / "features/internet-ads.csv.gz")
    return DataFolder(path)


def write_ads(path, n=60):
    rng = np.random.default_rng(0)
    ad = np.arange(n) < n // 3
    sizes = np.exp(rng.normal(size=(n, 3)) + ad[:, None])
    words = (rng.random((n, 8)) < 0.2 + 0.4 * ad[:, None]).astype(float)
    X = np.hstack([sizes, words])
    X[5, 0] = np.nan
    names = ["height", "width", "aratio", *(f"url*{i}" for i in range(8))]
    write_table(path, names, X, np.where(ad, "ad", "nonad"))


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_every_row_runs(plan, folder, monkeypatch, two_folds):
    monkeypatch.setattr(features, "MOST_DRAWS", 4)
    problems, missing = loaded(plan, folder)
    records = run_units(quick_units(plan, problems, n_splits=1))
    assert not [r["failure"] for r in records if "failure" in r]
    assert {r["method"] for r in records} == {row.method.name for row in plan.rows}
    assert all(r["error"] < 0.6 for r in records)
    assert "letter" in missing or "protein" in missing


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_plan_answers_to_the_published_table(plan):
    table = plan.table
    assert {row.printed for row in plan.rows} == set(table.rows)
    assert {column.printed for column in plan.columns} == set(table.columns)
    assert len(table.cells) == len(table.rows) * len(table.columns)
    assert len({row.method.name for row in plan.rows}) == len(plan.rows)
    assert len([row for row in plan.rows if not row.reading]) == len(table.rows)


def test_published_numbers():
    first, second = published("fusing-1").cells, published("fusing-2").cells
    assert first["Letter Rec.", "Local BDA"].mean == 3.23
    assert first["Pen Digits", "GMM"].mean == 13.95
    assert first["Vowel", "Local Nearest Means"].mean == 43.72
    assert second["Internet Ads", "k-NN on pairwise similarities"].mean == 11.06
    assert second["Patrol", "Fused local SDA/BDA"].mean == 18.85
    assert second["Amazon", "Local SDA"].sd is None


def test_readings_of_ads_are_run_where_they_differ():
    columns = {column.key: column for column in TABLE_2.columns}
    rows = {row.method.name: row for row in TABLE_2.rows}
    applies = TABLE_2.applies
    assert not applies(columns["internet-ads-half"], rows["rows-bda"])
    assert applies(columns["internet-ads-half"], rows["knn"])
    assert not applies(columns["internet-ads-standardized"], rows["knn"])
    assert applies(columns["internet-ads-standardized"], rows["rows-knn"])
    assert all(applies(columns["internet-ads"], row) for row in TABLE_2.rows)


def test_ads_drop_incomplete_rows_and_contrast_binary_features(folder):
    problems, _ = loaded(TABLE_2, folder, only=["internet-ads", "internet-ads-half"])
    one, half = (problems[key].split(0, 0) for key in ("internet-ads", "internet-ads-half"))
    assert len(one.y_train) + len(one.y_test) == 59
    assert one.train["features"].shape[1] == 3
    own = one.train["pairs"].values.diagonal()  # all features are common
    assert_array_equal(own, half.train["pairs"].values.diagonal())
    # c - d and c - d/2 of common and distinctive features: sizes are c + c + d.
    common = 2 * half.train["pairs"].values - one.train["pairs"].values
    distinctive = common - one.train["pairs"].values
    assert_allclose(own[:, None] + own[None], 2 * common + distinctive)


def test_shuffled_ads_are_the_same_samples_in_another_order(folder):
    problems, _ = loaded(TABLE_2, folder, only=["internet-ads", "internet-ads-shuffled"])
    kept, mixed = (problem.split(0, 0) for problem in problems.values())
    assert_array_equal(kept.y_test, mixed.y_test)
    assert (kept.y_train != mixed.y_train).any()
    one, other = (s.train["pairs"].values for s in (kept, mixed))
    assert_array_equal(np.sort(one.diagonal()), np.sort(other.diagonal()))
    assert_array_equal(np.sort(one, axis=None), np.sort(other, axis=None))
    assert_array_equal(np.sort(kept.test["pairs"].values), np.sort(mixed.test["pairs"].values))


def test_vowel_has_ten_standardized_features(folder):
    split = loaded(TABLE_1, folder, only=["vowel"])[0]["vowel"].split(0, 0)
    train = split.train["features"]
    assert train.shape == (60, 10) and split.test["features"].shape == (60, 10)
    assert_allclose(train.mean(axis=0), 0, atol=1e-12)
    assert_allclose(train.std(axis=0), 1)
    assert len(split.folds) == 100


def test_standardized_leaves_constant_features_at_zero():
    train, test = standardized(np.array([[9.0, 1.0], [9.0, 3.0]]), np.array([[9.0, 5.0]]))
    assert_array_equal(train, [[0, -1], [0, 1]])
    assert_array_equal(test, [[0, 3]])


@pytest.mark.parametrize(("n", "draws"), [(210, 100), (1600, 100), (16_000, 10)])
def test_random_draws_hold_out_a_tenth(n, draws):
    drawn = random_draws(n, 0, 0)
    assert len(drawn) == draws
    for train, held_out in drawn[:3]:
        assert len(held_out) == n // 10
        assert_array_equal(np.union1d(train, held_out), np.arange(n))
    assert (drawn[0][1] != drawn[1][1]).any()


def test_folds_cut_similarities_as_features():
    block = Pairwise(np.arange(36.0).reshape(6, 6), "similarity")
    X = Sources({"pairs": block, "features": block})
    step = SourcesWithTable(alone=True)
    assert_array_equal(
        step.fit_transform(X[np.ix_([5], [0, 2])]), block.values[np.ix_([5], [0, 2])]
    )
    both = SourcesWithTable().fit_transform(X)
    assert isinstance(both["pairs"], Pairwise) and isinstance(both["features"], np.ndarray)


@pytest.mark.parametrize("d", [3, 20])
def test_local_svm_is_libsvm_among_the_neighbours(d):
    X, y = points(60, d)
    queries = points(25, d, seed=1)[0]
    model = FeatureLocalSVC(n_neighbors=15, C=2.0).fit(X, y)
    near = KNeighborsClassifier(15).fit(X, y).kneighbors(queries, return_distance=False)
    for label, query, place in zip(model.predict(queries), queries, near, strict=True):
        if len(set(y[place])) == 1:
            expected = y[place[0]]
        else:
            machine = SVC(kernel="linear", C=2.0, tol=1e-8, break_ties=True)
            expected = machine.fit(X[place], y[place]).predict(query[None])[0]
        assert label == expected


@pytest.mark.parametrize("model", [FeatureLocalSVC(), GaussianMixtureClassifier(random_state=0)])
def test_paths_equal_single_fits(model):
    X, y = points(80, 3)
    name = model._path[0]
    candidates = [{name: value} for value in (1, 2, 7)]
    path = type(model)(**model.get_params()).fit_path(X, y, candidates).path_scores(X)
    for scores, candidate in zip(path, candidates, strict=True):
        single = type(model)(**model.get_params() | candidate).fit(X, y)
        assert_allclose(single.decision_function(X), scores, rtol=1e-6, atol=1e-9)


def test_mixtures_have_at_most_as_many_components_as_samples_allow():
    X, y = points(60, 3)
    model = GaussianMixtureClassifier(44, random_state=0).fit(X, y)
    (mixtures,) = model.mixtures_.values()
    assert [mixture.n_components for mixture in mixtures] == [6, 6, 6]
    search = PathSearchCV(GaussianMixtureClassifier(random_state=0), {"n_components": [6, 44]})
    assert search.fit(X, y).best_params_ == {"n_components": 6}


def test_each_source_has_a_k_of_its_own(tmp_path):
    data = DataFolder(write_data(tmp_path, ["voting"]))
    problems, _ = loaded(TABLE_2, data, only=["voting"])
    split = problems["voting"].split(0, 0)
    row = next(row for row in TABLE_2.rows if row.name == "rows-fused-own-k")
    model = row.method.build("similarity").fit(split.train, split.y_train)
    pairs, features = (search.best_estimator_ for search in model.searches_)
    ks = [search.best_params_["local__n_neighbors"] for search in model.searches_]
    votes = ks[0] * pairs.predict_proba(split.test) + ks[1] * features.predict_proba(split.test)
    assert_allclose(model.predict_proba(split.test), votes / sum(ks))
    plain = NeighborsClassifier(ks[0]).fit(split.train["pairs"], split.y_train)
    assert_allclose(
        pairs.predict_proba(split.test), plain.predict_proba(split.test["pairs"]), atol=1e-12
    )
