"""Similarities as features for scikit-learn's classifiers (JMLR §3)."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from similearn.estimators import PrototypeFeatures
from similearn.experiments.registry import Method


def _logistic_on_features(kind: str) -> Pipeline:
    """Similarities and dissimilarities are features alike."""
    steps = [
        ("features", PrototypeFeatures()),
        ("scale", StandardScaler(with_mean=False)),
        ("logistic", LogisticRegression(max_iter=1000)),
    ]
    return Pipeline(steps)


METHODS = (
    Method(
        name="features-logistic",
        summary="logistic regression on similarities to all training samples",
        source="JMLR §3; the classifier is ours",
        family="similarities as features",
        build=_logistic_on_features,
        grid={"logistic__C": tuple(10.0**e for e in range(-2, 2))},
    ),
)
