"""Labels and probabilities together, for those who want both."""

from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.explanation import is_pipeline


def labels_and_probabilities(model, X):
    """Label queries and tell the probabilities, both from the same scores.

    Parameters
    ----------
    model : fitted classifier of this library, of which the scores are computed once; or any
        other one, which is asked twice; or a `Pipeline` that ends in one, whose transformers are
        asked once; or a search over any of them
    X : what its ``predict`` takes, m queries

    Returns
    -------
    labels : (m,), what ``predict`` gives, to the bit
    probabilities : (m, n_classes), what ``predict_proba`` gives, to the bit; None without any
    """
    if hasattr(model, "best_estimator_"):
        return labels_and_probabilities(model.best_estimator_, X)
    if is_pipeline(model) and len(model) > 1:
        return labels_and_probabilities(model.steps[-1][1], model[:-1].transform(X))
    if isinstance(model, ScoreClassifier):
        return model._labels_and_probabilities(X)
    return model.predict(X), model.predict_proba(X) if hasattr(model, "predict_proba") else None
