"""The declared state of scikit-learn's boosted trees."""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.preprocessing import LabelEncoder

from similearn.experiments.families.calibrated_trees import BoostedTreesClassifier
from similearn.experiments.models.classes import Part
from similearn.experiments.models.declarations import (
    Declaration,
    Each,
    Members,
    Sizes,
    Whole,
    only,
    require,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.states.shared_states import (
    FEATURES,
    NOT_NEGATIVE,
    enter,
    needs,
)
from similearn.experiments.models.states.sklearn_states import (
    SCORES,
    enter_foreign,
    one_score_a_class,
)


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


def _boosts(model: Any, sizes: Sizes) -> None:
    one_score_a_class(model, sizes)
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


enter_foreign(
    HistGradientBoostingClassifier,
    {"learning_rate": NOT_NEGATIVE, "max_iter": Whole(1), "max_bins": Whole(2, 255)},
    FEATURES
    | {
        "_baseline_prediction": Array((1, SCORES)),
        "_predictors": Each(Each(Tree(), SCORES)),
    },
    check=_boosts,
    finish=_with_boosting_parts,
)


def _boosts_the_same(model: Any, sizes: Sizes) -> None:
    trees = model.trees_
    needs(np.array_equal(trees.classes_, np.arange(sizes["n_classes"])), "trees_ differ in classes")
    needs(trees.n_features_in_ == sizes["d"], "trees_ differ in features")


enter(
    BoostedTreesClassifier,
    FEATURES | {"trees_": Part(("HistGradientBoostingClassifier",))},
    check=_boosts_the_same,
)
