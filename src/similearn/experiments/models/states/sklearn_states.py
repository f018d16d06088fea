"""The declared state of the scikit-learn classes that registered methods use.

Only what predicting needs is stored; the rest is as the constructor leaves it. scikit-learn checks
none of this: its compiled code believes the nodes of a tree and the counts of support vectors.
"""

from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from similearn.experiments.models.classes import TABLE, Stored
from similearn.experiments.models.declarations import (
    Declaration,
    Flag,
    Number,
    Row,
    Sizes,
    Whole,
    Word,
    maybe,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.states.shared_states import FEATURES, NOT_NEGATIVE, PRIORS, needs

SCORES = "n_scores"  # one for two classes, else one per class


def enter_foreign(kind: Any, parameters: dict[str, Declaration], state: Any, **more: Any) -> None:
    """Enter a class of scikit-learn, of which only what is declared is kept."""
    TABLE.add(Stored(kind, parameters, state, foreign=True, **more))


def one_score_a_class(model: Any, sizes: Sizes) -> None:
    """Two classes have one score, more have one each."""
    n_classes = sizes["n_classes"]
    needs(n_classes > 1 and sizes[SCORES] == (1 if n_classes == 2 else n_classes), "scores differ")


_LINEAR = FEATURES | {"coef_": Array((SCORES, "d")), "intercept_": Array((SCORES,))}
enter_foreign(LogisticRegression, {"C": NOT_NEGATIVE}, _LINEAR, check=one_score_a_class)
enter_foreign(
    LinearDiscriminantAnalysis,
    {"solver": Word(("lsqr",)), "shrinkage": maybe(Number(0.0, 1.0))},
    _LINEAR | {"priors_": PRIORS, "means_": Array(("n_classes", "d"))},
    check=one_score_a_class,
)
enter_foreign(
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


enter_foreign(
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
