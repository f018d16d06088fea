"""Fusing Tables 1 and 2: Cazzanti, Gupta and Srivastava, fusing similarities and features.

Table 1. Neighbours "of each class" are at most as many as the class has, which is the
paper's limit for k where classes are equally large, as they are where it matters. Numbers of
mixture components are all up to eight and then ever fewer: neighbouring large ones differ by
less than their luck. The paper does not print the cost C of SVM-KNN.

Table 2. Features of the sets that are similarities alone are the similarities to the
training samples; folds cut them to their own. Internet Ads are the rows without missing
values, and the paper prints no weights of Tversky's model, nor whether it standardized the
sizes. Its row of local SDA is that of JMLR Table 3 to the last digit, hence the same method.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from similearn.data import Pairwise, Sources
from similearn.estimators import (
    FusedNeighborsClassifier,
    FusionClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    LocalSDAClassifier,
    NeighborsClassifier,
)
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.families.sda import ALPHAS
from similearn.experiments.registry import NEIGHBORS, Method, get_method
from similearn.experiments.reproduction.columns.block_columns import block_column
from similearn.experiments.reproduction.columns.feature_classifiers import (
    FeatureLocalSVC,
    GaussianMixtureClassifier,
    SourcesWithTable,
)
from similearn.experiments.reproduction.columns.feature_columns import halves_column, standardized
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.readings import SeparatelyTunedVotes
from similearn.experiments.reproduction.columns.table_problems import (
    LazyProblem,
    plain_random_split,
)
from similearn.experiments.reproduction.plan import Column, Plan, Row
from similearn.experiments.reproduction.plans.jmlr import SINGLE_SDA, TRUE_PROTEIN, strict_voting
from similearn.similarities import TverskyContrast

FEATURE_NEIGHBORS = (*range(1, 21), *range(30, 101, 10))  # §6.1.1
COMPONENTS = (*range(1, 9), 12, 16, 24, 36)
VOWEL_FEATURES = tuple(f"f{i}" for i in range(10))
_FAMILY = "Fusing"
_SIZES = ("height", "width", "aratio")


def _method(name: str, summary: str, build: Any, grid: Any, needs: Any) -> Method:
    return Method(name, summary, "Fusing §6", _FAMILY, build, grid, needs)


# Table 1


def _feature_svm(C: float, kind: str) -> FeatureLocalSVC:
    return FeatureLocalSVC(C=C)


def _local_bda(priors: Any, kind: str) -> LocalBDAClassifier:
    return LocalBDAClassifier(priors=priors)


def _table_1() -> Plan:
    grid = {"n_neighbors": FEATURE_NEIGHBORS}
    columns = (
        halves_column("letter", "Letter Rec.", "letter"),
        halves_column("optdigits", "Opt. Digits", "optdigits"),
        halves_column("pendigits", "Pen Digits", "pendigits"),
        halves_column("image-segmentation", "Image Seg.", "image-segmentation"),
        halves_column("vowel", "Vowel", "vowel", VOWEL_FEATURES),
    )
    neighbors = _method(
        "feature-knn",
        "votes of the k nearest by Euclidean distance",
        lambda kind: FusedNeighborsClassifier(),
        grid,
        "sources",
    )
    means = _method(
        "feature-local-means",
        "the nearest mean of the nearest samples of each class",
        lambda kind: LocalNearestMeansClassifier(),
        grid,
        "features",
    )
    mixture = _method(
        "gmm",
        "a mixture of Gaussians for each class",
        lambda kind: GaussianMixtureClassifier(),
        {"n_components": COMPONENTS},
        "features",
    )
    rows = (
        Row("k-NN", neighbors),
        Row("Local Nearest Means", means),
        Row("Local BDA", _feature_bda("feature-local-bda", None)),
        Row("SVM KNN", _svm_knn("feature-svm-knn", 1.0)),
        Row("SVM KNN", _svm_knn("feature-svm-knn-10", 10.0), "C = 10, not 1"),
        Row("GMM", mixture),
    )
    return Plan("fusing-1", columns, rows, splits=1)


def _feature_bda(name: str, priors: Any) -> Method:
    summary = "Bayesian discriminant analysis of the nearest samples of each class"
    grid = {"n_neighbors": FEATURE_NEIGHBORS}
    return _method(name, summary, partial(_local_bda, priors), grid, "features")


def _svm_knn(name: str, C: float) -> Method:
    summary = "linear support vector machines among the k nearest"
    grid = {"n_neighbors": FEATURE_NEIGHBORS}
    return _method(name, summary, partial(_feature_svm, C), grid, "features")


# Table 2


def _with_rows_as_features(column: Column) -> Column:
    """The same column, its block once as similarities and once as features."""
    return Column(column.key, column.printed, partial(_load_twice, column), column.reading)


def _load_twice(column: Column, data: DataFolder) -> LazyProblem:
    one = column.load(data)
    return LazyProblem(one.name, one.fingerprint, one.read, partial(_split_twice, one.cut))  # type: ignore[attr-defined]


def _split_twice(cut: Any, whole: Any, seed: int, number: int) -> Split:
    split = cut(whole, seed, number)
    return Split(_twice(split.train), split.y_train, _twice(split.test), split.y_test)


def _twice(block: Pairwise) -> Sources:
    return Sources({"pairs": block, "features": block})


def _ads_column(
    key: str,
    distinctive: float = 1.0,
    *,
    scaled: bool = False,
    shuffled: bool = False,
    reading: str = "",
) -> Column:
    """Internet Ads.

    `distinctive` weighs what one image has and the other has not. Equally near samples count
    in their order: that of the file, where ads come first, or a random one if `shuffled`.
    """
    cut = partial(_split_ads, scaled, shuffled)
    return Column(key, "Internet Ads", partial(_load_ads, key, distinctive, cut), reading)


def _load_ads(key: str, distinctive: float, cut: Any, data: DataFolder) -> LazyProblem:
    fingerprint = data.fingerprint(data.features("internet-ads"))
    return LazyProblem(key, fingerprint, partial(read_ads, data, distinctive), cut)


def read_ads(data: DataFolder, distinctive: float) -> tuple[Pairwise, Any, NDArray[Any]]:
    """Rows without missing values (§6.2.1): similarities, sizes, labels."""
    table = data.read_features("internet-ads")
    whole = ~np.isnan(table.X).any(axis=1)
    sets = table.columns(*(name for name in table.names if name not in _SIZES))[whole]
    similarity = TverskyContrast(alpha=distinctive, beta=distinctive)
    block = Pairwise(similarity.matrix(sets, sets), "similarity")
    return block, table.columns(*_SIZES)[whole], table.y[whole]


def _split_ads(scaled: bool, shuffled: bool, whole: Any, seed: int, number: int) -> Split:
    block, sizes, y = whole
    train, test = plain_random_split(len(y), seed, number)
    if shuffled:
        train = np.random.default_rng([seed, number, 2]).permutation(train)
    known, new = sizes[train], sizes[test]
    if scaled:
        known, new = standardized(known, new)
    among = Sources({"pairs": block[np.ix_(train, train)], "features": known})
    queries = Sources({"pairs": block[np.ix_(test, train)], "features": new})
    return Split(among, y[train], queries, y[test])


def _on_table(classifier: Any, alone: bool) -> Pipeline:
    return Pipeline([("table", SourcesWithTable(alone)), ("local", classifier)])


def _table_bda(priors: Any, kind: str) -> Pipeline:
    return _on_table(LocalBDAClassifier(priors=priors), True)


def _table_votes(
    sources: list[str] | None, kind: str, calibration: str = "temperature"
) -> Pipeline:
    votes = FusedNeighborsClassifier(1, sources=sources, calibration=calibration)
    return _on_table(votes, False)


def _one_neighbor(kind: str) -> NeighborsClassifier:
    return NeighborsClassifier(1, kind=kind)


def _fusion(prior: str, priors: Any, kind: str) -> FusionClassifier:
    sda = LocalSDAClassifier(regularization="joint", kind=kind, calibration="none")
    bda = LocalBDAClassifier(priors=priors, calibration="none")
    return FusionClassifier([("sda", sda, "pairs"), ("bda", bda, "features")], prior=prior)


def _fusion_row(name: str, prior: str, priors: Any, reading: str = "") -> Row:
    grid = {
        "sda__n_neighbors": NEIGHBORS,
        "sda__alpha": ALPHAS,
        "bda__n_neighbors": NEIGHBORS,
    }
    summary = "joint-regularized local SDA times local BDA"
    method = _method(name, summary, partial(_fusion, prior, priors), grid, "sources")
    return Row("Fused local SDA/BDA", method, reading)


def _table_row(printed: str, name: str, summary: str, build: Any, reading: str = "") -> Row:
    grid = {"local__n_neighbors": NEIGHBORS}
    return Row(printed, _method(name, summary, build, grid, "sources"), reading)


def _separate_votes(kind: str) -> SeparatelyTunedVotes:
    grid = {"local__n_neighbors": NEIGHBORS}
    builds = {
        name: partial(_table_votes, [name], calibration="none") for name in ("pairs", "features")
    }
    return SeparatelyTunedVotes(
        [
            _method(f"votes-{name}", "one source", build, grid, "sources")
            for name, build in builds.items()
        ]
    )


_SEPARATE_VOTES = Row(
    "Fused k-NN",
    _method(
        "rows-fused-own-k",
        "votes of nearest neighbours by similarity and by Euclidean distance",
        _separate_votes,
        {},
        "sources",
    ),
    "each source with the k that is best for it alone, not both with one k",
)


def _nearest_rows() -> tuple[Row, ...]:
    """The three neighbour rules with k = 1; equally near samples count in the file's order.

    The ads of Internet Ads come first in its file, and many images are equally near.
    """
    only = ["features"]
    builds = {
        ("k-NN on pairwise similarities", "nn"): (_one_neighbor, "block"),
        ("k-NN on Euclidean features", "rows-nn"): (partial(_table_votes, only), "sources"),
        ("Fused k-NN", "rows-fused-nn"): (partial(_table_votes, None), "sources"),
    }
    return tuple(
        Row(printed, _method(name, "the nearest neighbour", build, {}, needs), "k = 1")
        for (printed, name), (build, needs) in builds.items()
    )


# What a reading of Internet Ads changes, and is worth its time.
_ROWS_OF = {
    "internet-ads-half": ("local-sda", "local-sda-joint", "knn", "rows-fused-knn"),
    "internet-ads-common": ("local-sda", "local-sda-joint", "fusion-each", "knn", "rows-fused-knn"),
    "internet-ads-standardized": ("rows-bda", "fusion-each", "rows-knn", "rows-fused-knn"),
    "internet-ads-shuffled": ("local-sda", "local-sda-joint", "knn", "rows-knn", "rows-fused-knn"),
    "internet-ads-common-shuffled": ("local-sda", "knn", "rows-fused-knn"),
}


def _says_something_new(column: Column, row: Row) -> bool:
    name = row.method.name
    return name in _ROWS_OF.get(column.key, (name,))


def _table_2() -> Plan:
    blocks = (
        block_column("amazon", "Amazon", "amazon"),
        block_column("aural-sonar", "Aural Sonar", "aural-sonar"),
        block_column("patrol", "Patrol", "patrol"),
        block_column("protein", "Protein", "protein"),
        TRUE_PROTEIN,
        block_column("voting", "Voting", "voting"),
        strict_voting("Voting"),
    )
    common = "distinctive features do not weigh"
    random_ties = "equally near samples in random order, not the file's"
    ads = (
        _ads_column("internet-ads"),
        _ads_column("internet-ads-half", 0.5, reading="distinctive features weigh ½, not 1"),
        _ads_column("internet-ads-common", 0.0, reading=common),
        _ads_column("internet-ads-standardized", scaled=True, reading="sizes standardized"),
        _ads_column("internet-ads-shuffled", shuffled=True, reading=random_ties),
        _ads_column(
            "internet-ads-common-shuffled",
            0.0,
            shuffled=True,
            reading=f"{common}; {random_ties}",
        ),
    )
    columns = (*map(_with_rows_as_features, blocks), *ads)
    bda = "Bayesian discriminant analysis of the nearest samples of each class"
    near_prior = "priors from the k nearest of all classes, as in eq. 6"
    rows = (
        Row("Local SDA", get_method("local-sda")),
        SINGLE_SDA,
        Row("Regularized Local SDA", get_method("local-sda-joint")),
        _table_row("Local BDA", "rows-bda", bda, partial(_table_bda, None)),
        _table_row(
            "Local BDA", "rows-bda-near-prior", bda, partial(_table_bda, "neighborhood"), near_prior
        ),
        _fusion_row("fusion-each", "each", "neighborhood"),
        _fusion_row("fusion-once", "once", None, "the prior counted once"),
        Row("k-NN on pairwise similarities", get_method("knn")),
        _table_row(
            "k-NN on Euclidean features",
            "rows-knn",
            "votes of the k nearest by Euclidean distance",
            partial(_table_votes, ["features"]),
        ),
        _table_row(
            "Fused k-NN",
            "rows-fused-knn",
            "votes of the k nearest by similarity and by Euclidean distance",
            partial(_table_votes, None),
        ),
        _SEPARATE_VOTES,
        *_nearest_rows(),
    )
    return Plan("fusing-2", columns, rows, applies=_says_something_new)


PLANS = (_table_1(), _table_2())
