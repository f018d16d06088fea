"""RegSDA Table I: Cazzanti and Gupta, regularized local SDA.

The grids of the registered methods are those of §V: k of 1, ..., 16, 32, 64 and 128, and α
of 1e-6, 1e-3, 0.01, 0.1, 0.5 and 0.9. Its last k is min(n, 128); where a training fold is
smaller than 128 (Amazon, Aural Sonar), that is global SDA, which has a row of its own here.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from similearn.estimators import LocalSDAClassifier
from similearn.experiments.registry import get_method
from similearn.experiments.reproduction.columns.block_columns import block_column
from similearn.experiments.reproduction.columns.readings import (
    GlobalPriorLocalSDA,
    LeftOutLocalSDA,
    OwnClassLocalSDA,
)
from similearn.experiments.reproduction.plan import Plan, Row
from similearn.experiments.reproduction.plans.jmlr import (
    SINGLE_SDA,
    self_similar_sonar,
    strict_voting,
)

_COLUMNS = (
    block_column("amazon", "Amazon", "amazon"),
    block_column("aural-sonar", "Aural Sonar", "aural-sonar"),
    self_similar_sonar("Aural Sonar"),
    block_column("patrol", "Patrol", "patrol"),
    block_column("voting", "Voting", "voting"),
    strict_voting("Voting"),
)

_PRINTED = {
    "Local SDA": "local-sda",
    "Local SDA (joint-regularized)": "local-sda-joint",
    "Local SDA (marginal-regularized)": "local-sda-marginal",
    "Local SDA (global λ-regularized)": "local-sda-global-rate",
    "Local SDA (average λ-regularized)": "local-sda-average-rate",
    "Local SDA (mean constraint-regularized)": "local-sda-mean",
    "k-NN": "knn",
    "SVM w/ clipped spectrum": "svm-clip",
    "SVM w/ flipped spectrum": "svm-flip",
    "SVM w/ shifted spectrum": "svm-shift",
    "SVM on similarities as features": "features-linear-svm",
}

_READINGS: dict[str, tuple[type[LocalSDAClassifier], str]] = {
    "global-prior": (GlobalPriorLocalSDA, "P(g) from the training set, not the neighbourhood"),
    "left-out": (LeftOutLocalSDA, "training samples are left out of their own neighbourhoods"),
    "own-class": (OwnClassLocalSDA, "P_ave(s_h | g) over the training samples of class g alone"),
}


def _build(kind: str, estimator: type[LocalSDAClassifier], regularization: str) -> Any:
    return estimator(regularization=regularization, kind=kind)


def _reading(regularization: str, name: str) -> Row:
    estimator, reading = _READINGS[name]
    build = partial(_build, estimator=estimator, regularization=regularization)
    method = get_method(f"local-sda-{regularization}")
    method = replace(method, name=f"{method.name}-{name}", build=build)
    return Row(f"Local SDA ({regularization}-regularized)", method, reading)


PLANS = (
    Plan(
        "regsda-1",
        _COLUMNS,
        (
            *(Row(printed, get_method(name)) for printed, name in _PRINTED.items()),
            SINGLE_SDA,
            *(_reading("marginal", name) for name in _READINGS),
            *(_reading("joint", name) for name in ("left-out", "own-class")),
            *(Row("", get_method(name)) for name in ("sda", "krein-svm", "indefinite-fisher")),
        ),
    ),
)
