"""JMLR Tables 3 and 4: Chen, Garcia, Gupta, Rahimi and Cazzanti 2009.

The grids of the registered methods are those of Table 2, but for γ of the Gaussian SVM, which is
given here as printed: the registered one follows the units of the data. Neighbourhoods larger
than a training fold are cut down to the fold. The folds of cross-validation deal every class out
evenly; the paper does not say how it made its own.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from similearn.data import Pairwise
from similearn.data.convert import one_minus_scaled
from similearn.estimators import (
    LocalSDAClassifier,
    NeighborsClassifier,
    PairwiseSimilarity,
    RowRBFSimilarity,
)
from similearn.experiments.comparisons.problems import Split, VotesProblem
from similearn.experiments.families.features import RBF_COSTS
from similearn.experiments.registry import Method, get_method
from similearn.experiments.reproduction.columns.block_columns import Labelled, block_column
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.readings import (
    LinearlyShiftedSVC,
    ShiftedRidgeNeighbors,
)
from similearn.experiments.reproduction.columns.table_problems import (
    LazyProblem,
    plain_random_split,
)
from similearn.experiments.reproduction.plan import Column, Plan, Row


def _row_rbf(block: Pairwise, y: NDArray[Any]) -> Labelled:
    """Protein RBF: "we transformed the entire data set" (§7.3), with γ = 1 (§7.1)."""
    return RowRBFSimilarity(gamma=1.0).fit_transform(block), y


def _mean_row_rbf(block: Pairwise, y: NDArray[Any]) -> Labelled:
    """γ = 1/n: the mean of the squared differences, where the formula has their sum."""
    return RowRBFSimilarity(gamma=1 / len(y)).fit_transform(block), y


def _four_classes(block: Pairwise, y: NDArray[Any]) -> Labelled:
    """The 213 proteins of classes 1-4 as similarities 1 - D / max D, undamaged."""
    kept = np.flatnonzero(np.isin(y.astype(str), ["1", "2", "3", "4"]))
    return one_minus_scaled(block[np.ix_(kept, kept)]), y[kept]


def _four_classes_row_rbf(block: Pairwise, y: NDArray[Any]) -> Labelled:
    return _row_rbf(*_four_classes(block, y))


def _load_strict_votes(key: str, data: DataFolder) -> LazyProblem:
    """The votes are bundled, so that nothing has to be in the folder."""
    return LazyProblem(key, VotesProblem().fingerprint, VotesProblem, _split_votes)


def _split_votes(whole: VotesProblem, seed: int, number: int) -> Split:
    """Fit the value difference metric to the training members; similarities 1 - D / max D.

    The maximum is the training block's, so that a test member may be a little below zero.
    """
    votes, y = whole.votes, whole.y
    train, test = plain_random_split(len(y), seed, number)
    metric = PairwiseSimilarity("value_difference", progress=False)
    block = metric.fit_transform(votes[train], y[train])
    top = float(block.values.max())
    queries = one_minus_scaled(metric.transform(votes[test]), maximum=top)
    return Split(one_minus_scaled(block), y[train], queries, y[test])


def _self_similarity_ten(block: Pairwise, y: NDArray[Any]) -> Labelled:
    """The file holds (score - 2) / 10, but 1 for a sample with itself, which would be 12."""
    values = block.values.copy()
    np.fill_diagonal(values, 0.8)
    return block.with_values(values), y


def self_similar_sonar(printed: str) -> Column:
    """Aural Sonar with the largest score there is, 10, for a sample with itself."""
    reading = (
        "self-similarity 10, the largest of the integers 2 to 10 of §7.1, where the file has 12"
    )
    return block_column("aural-sonar-ten", printed, "aural-sonar", _self_similarity_ten, reading)


def strict_voting(printed: str) -> Column:
    """Voting without the labels of test samples inside the similarities."""
    key = "voting-strict"
    reading = "value difference metric of the training members alone, as 1 - D / max D"
    return Column(key, printed, partial(_load_strict_votes, key), reading)


_TRUE_DISTANCES = "the distances undamaged, as 1 - D / max D"

_AMAZON = block_column("amazon-47", "Amazon-47", "amazon-47")
_MIREX = block_column("mirex07", "Mirex", "mirex07")
_PATROL = block_column("patrol", "Patrol", "patrol")
_PROTEIN = block_column("protein", "Protein", "protein")
TRUE_PROTEIN = block_column(
    "protein-true",
    "Protein",
    "protein-hofmann-buhmann-226",
    _four_classes,
    _TRUE_DISTANCES,
)
_VOTING = block_column("voting", "Voting", "voting")


def _renamed(name: str, new_name: str, **changes: Any) -> Method:
    """A registered method under the name of its row."""
    return replace(get_method(name), name=new_name, **changes)


def _gaussian_svm(kind: str) -> Pipeline:
    return get_method("features-rbf-svm").build(kind).set_params(rows__gamma=1.0)


_RBF_GAMMAS = tuple(10.0**-e for e in range(-1, 6))
_GAUSSIAN_SVM = replace(
    get_method("features-rbf-svm"),
    build=_gaussian_svm,
    grid={"svm__C": RBF_COSTS, "rows__gamma": _RBF_GAMMAS},
)


def _weighted(weights: str, spectrum: str, kind: str) -> NeighborsClassifier:
    return NeighborsClassifier(weights=weights, spectrum=spectrum, kind=kind)


def _single_local_sda(kind: str) -> LocalSDAClassifier:
    return LocalSDAClassifier(degenerate="single", kind=kind)


def _shifted(kind: str) -> ShiftedRidgeNeighbors:
    return ShiftedRidgeNeighbors(weights="krr", spectrum="pinv", kind=kind)


SHIFTED_KRR = Row(
    "KRR k-NN (pinv)",
    _renamed("krr-knn", "krr-knn-shifted", build=_shifted),
    "weights shifted to a sum of one, as in footnote 5, which takes that to change no decision",
)

SINGLE_SDA = Row(
    "Local SDA",
    _renamed("local-sda", "local-sda-single", build=_single_local_sda),
    "nearest centroid where a class has exactly one neighbour, as in Cazzanti and Gupta 2007, "
    "rather than fewer than three",
)

_COMPARISONS = ("krein-svm", "indefinite-fisher", "pseudo-euclidean-lda", "features-boosting")


def _table_3() -> Plan:
    columns = (
        _AMAZON,
        block_column("aural-sonar", "Aural Sonar", "aural-sonar"),
        self_similar_sonar("Aural Sonar"),
        block_column("caltech-101", "Caltech-101", "caltech-101"),
        block_column("face-rec", "Face Rec", "face-rec"),
        _MIREX,
        _PATROL,
        _PROTEIN,
        TRUE_PROTEIN,
        block_column("protein-rbf", "Protein RBF", "protein", _row_rbf),
        block_column(
            "protein-rbf-mean",
            "Protein RBF",
            "protein",
            _mean_row_rbf,
            "γ = 1/213, the mean rather than the sum of the squared differences of rows",
        ),
        block_column(
            "protein-true-rbf",
            "Protein RBF",
            "protein-hofmann-buhmann-226",
            _four_classes_row_rbf,
            _TRUE_DISTANCES,
        ),
        _VOTING,
        strict_voting("Voting"),
    )
    printed = {
        "k-NN": "knn",
        "affinity k-NN": "affinity-knn",
        "KRI k-NN (clip)": "kri-knn",
        "KRR k-NN (pinv)": "krr-knn",
        "Local SDA": "local-sda",
        "SVM-KNN (clip)": "svm-knn",
        "SVM-similarities as kernel (clip)": "svm-clip",
        "SVM-similarities as features (linear)": "features-linear-svm",
        "SVM-similarities as features (RBF)": "features-rbf-svm",
        "P-SVM": "psvm",
    }
    methods = {name: get_method(method) for name, method in printed.items()}
    methods["SVM-similarities as features (RBF)"] = _GAUSSIAN_SVM
    rows = [Row(name, method) for name, method in methods.items()]
    comparisons = [Row("", get_method(name)) for name in _COMPARISONS]
    return Plan("jmlr-3", columns, (*rows, SHIFTED_KRR, SINGLE_SDA, *comparisons))


def _table_4() -> Plan:
    columns = (
        replace(_AMAZON, printed="Amazon"),
        _MIREX,
        _PATROL,
        _PROTEIN,
        TRUE_PROTEIN,
        _VOTING,
        strict_voting("Voting"),
    )
    rows = [
        *(_weighted_row("kri", s) for s in ("clip", "flip", "shift")),
        *(_weighted_row("krr", s) for s in ("clip", "flip", "shift", "pinv")),
        Row("SVM-KNN clip", get_method("svm-knn")),
        Row("SVM-KNN flip", get_method("svm-knn-flip")),
        Row("SVM-KNN shift", get_method("svm-knn-shift")),
        *(Row(f"SVM {s}", get_method(f"svm-{s}")) for s in ("clip", "flip", "shift")),
        _LINEAR_SHIFT,
        *(_wide_row(s) for s in ("clip", "flip", "shift", "pinv")),
    ]
    return Plan("jmlr-4", columns, rows)


_LINEAR_SHIFT = Row(
    "SVM shift",
    _renamed(
        "svm-shift",
        "svm-shift-linear",
        build=lambda kind: LinearlyShiftedSVC(spectrum="shift"),
    ),
    "test similarities mapped by (S + λ I) S⁻¹, which is consistent, not left as they are",
)


def _weighted_row(weights: str, spectrum: str) -> Row:
    build = partial(_weighted, weights, spectrum)
    method = _renamed(f"{weights}-knn", f"{weights}-knn-{spectrum}", build=build)
    return Row(f"{weights.upper()} {spectrum}", method)


def _wide_row(spectrum: str) -> Row:
    """KRR that may choose λ = 1e6 and so come out as affinity weights, as KRI may as k-NN."""
    row = _weighted_row("krr", spectrum)
    grid = {**row.method.grid, "ridge": get_method("kri-knn").grid["ridge"]}
    method = replace(row.method, name=f"{row.method.name}-wide", grid=grid)
    return replace(row, method=method, reading="λ from the choices of KRI, 1e-6 to 10 and 1e6")


PLANS = (_table_3(), _table_4())
