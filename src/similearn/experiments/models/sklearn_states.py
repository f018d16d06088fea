"""The declared state of the scikit-learn classes that registered methods use.

Only what predicting needs is stored; the rest is as the constructor leaves it. scikit-learn checks
none of this: its compiled code believes the nodes of a tree and the counts of support vectors.
"""

from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.svm import SVC

from similearn.estimators import NystromFeatures, PairwiseSimilarity, SimilaritySources
from similearn.experiments.models.classes import TABLE, Part, Stored
from similearn.experiments.models.declarations import (
    Declaration,
    Each,
    Flag,
    Members,
    Number,
    Row,
    Sizes,
    Whole,
    Word,
    maybe,
    only,
    require,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.shared_states import FEATURES, NOT_NEGATIVE, PRIORS, needs

_SCORES = "n_scores"  # one for two classes, else one per class


class Tree(Declaration):
    """One boosted tree: from every node the children come later, so that each walk ends."""

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(type(value) is TreePredictor and not len(value.raw_left_cat_bitsets), value)
        return {"tree": members.add(value.nodes)}

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        nodes = members.get(only(stored, "tree"))
        require(nodes.dtype == PREDICTOR_RECORD_DTYPE and nodes.ndim == 1 and nodes.size, nodes)
        inner = nodes["is_leaf"] == 0
        places = np.flatnonzero(inner)
        needs((nodes["is_leaf"] <= 1).all(), "tree: a node is neither leaf nor inner")
        for side in ("left", "right"):
            child = nodes[side][inner].astype(np.int64)
            fits = ((child > places) & (child < len(nodes))).all()
            needs(fits, f"tree: a {side} child is not a later node")
        feature = nodes["feature_idx"][inner]
        needs(((feature >= 0) & (feature < sizes["d"])).all(), "tree: a feature is not there")
        needs(not nodes["is_categorical"].any(), "tree: a split is of categories")
        needs(np.isfinite(nodes["value"]).all(), "tree: a value is not finite")
        empty = np.zeros((0, 8), dtype=np.uint32)
        return TreePredictor(nodes, empty, empty)


def _enter(kind: Any, parameters: dict[str, Declaration], state: Any, **more: Any) -> None:
    TABLE.add(Stored(kind, parameters, state, foreign=True, **more))


def _one_score_a_class(model: Any, sizes: Sizes) -> None:
    n_classes = sizes["n_classes"]
    needs(n_classes > 1 and sizes[_SCORES] == (1 if n_classes == 2 else n_classes), "scores differ")


_LINEAR = FEATURES | {"coef_": Array((_SCORES, "d")), "intercept_": Array((_SCORES,))}
_enter(LogisticRegression, {"C": NOT_NEGATIVE}, _LINEAR, check=_one_score_a_class)
_enter(
    LinearDiscriminantAnalysis,
    {"solver": Word(("lsqr",)), "shrinkage": maybe(Number(0.0, 1.0))},
    _LINEAR | {"priors_": PRIORS, "means_": Array(("n_classes", "d"))},
    check=_one_score_a_class,
)
_enter(
    StandardScaler,
    {"with_mean": Flag(), "with_std": Flag()},
    {
        "n_features_in_": Whole(1, size="d"),
        "mean_": maybe(Array(("d",))),
        "scale_": maybe(Array(("d",))),
    },
    check=lambda model, sizes: needs(
        (model.mean_ is not None or not model.with_mean)
        and (model.scale_ is not None or not model.with_std),
        "mean_ or scale_ is missing",
    ),
)


def _counts_support(model: Any, sizes: Sizes) -> None:
    counts, n_classes = model._n_support, sizes["n_classes"]
    needs(int(counts.sum()) == sizes["v"] and n_classes > 1, "_n_support does not fit")
    needs(sizes["rows"] == n_classes - 1, "dual_coef_ does not fit")
    model._dual_coef_, model._intercept_ = model.dual_coef_, model.intercept_
    if n_classes == 2:
        model._dual_coef_, model._intercept_ = -model.dual_coef_, -model.intercept_


_enter(
    SVC,
    {"C": NOT_NEGATIVE, "kernel": Word(("linear",)), "break_ties": Flag()},
    FEATURES
    | {
        "_sparse": Flag(),
        "_gamma": NOT_NEGATIVE,
        "support_": Array(("v",), "int32", 0),
        "support_vectors_": Array(("v", "d")),
        "_n_support": Array(("n_classes",), "int32", 0),
        "dual_coef_": Array(("rows", "v")),
        "intercept_": Array(("n_pairs",)),
        "_probA": Array((0,)),
        "_probB": Array((0,)),
        "fit_status_": Whole(),
        "shape_fit_": Row((Whole(1), Whole(1, size="d"))),
    },
    check=_counts_support,
)


def _boosts(model: Any, sizes: Sizes) -> None:
    _one_score_a_class(model, sizes)
    needs(not model.warm_start, "warm_start is set")


def _with_boosting_parts(model: Any) -> None:
    """What scikit-learn makes at fit from the numbers of features and classes alone."""
    model._n_features = model.n_features_in_
    model.n_trees_per_iteration_ = model._baseline_prediction.shape[1]
    model._loss = model._get_loss(sample_weight=None)
    model._preprocessor = model.is_categorical_ = model._is_categorical_remapped = None
    model._label_encoder = LabelEncoder()
    model._label_encoder.classes_ = model.classes_
    model._bin_mapper = _BinMapper(n_bins=model.max_bins + 1)
    model._bin_mapper.is_categorical_ = np.zeros(model.n_features_in_, dtype=np.uint8)
    model._bin_mapper.bin_thresholds_ = []


_enter(
    HistGradientBoostingClassifier,
    {"learning_rate": NOT_NEGATIVE, "max_iter": Whole(1), "max_bins": Whole(2, 255)},
    FEATURES
    | {
        "_baseline_prediction": Array((1, _SCORES)),
        "_predictors": Each(Each(Tree(), _SCORES)),
    },
    check=_boosts,
    finish=_with_boosting_parts,
)


def _chained(model: Any, sizes: Sizes) -> None:
    """Each step takes as many columns as the one before gives."""
    needs(model.steps, "steps are none")
    width = None
    for name, step in model.steps:
        taken = getattr(step, "n_features_in_", None)
        needs(width is None or taken is None or taken == width, f"{name} takes other columns")
        width = _given(step, taken)


def _given(step: Any, taken: int | None) -> int | None:
    if hasattr(step, "classes_"):
        return -1  # nothing comes after a classifier
    if hasattr(step, "n_components_"):
        return int(step.n_components_)
    if isinstance(step, NystromFeatures | PairwiseSimilarity):
        return int(step._n_features_out)
    if isinstance(step, SimilaritySources):
        return int(next(iter(step.comparisons_.values()))._n_features_out)
    prototypes = getattr(step, "prototypes_", None)
    return taken if prototypes is None else len(prototypes)


_enter(Pipeline, {"steps": Each(Row((Word(), Part())))}, {}, check=_chained)
