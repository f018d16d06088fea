"""What models say of the samples that a fold held out: scored, and kept."""

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from similearn.data.checks import as_labels
from similearn.errors import InputError

_RESPONSES = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")


def _model_has(name):
    return lambda held_out: hasattr(held_out.model, name)


class HeldOut:
    """A candidate as scorers see it: its scores of the samples `X` are known already.

    Asked of other samples, or for anything else that a fitted model has, it fits the
    candidate after all, so that every scoring function gets the same answers from it as
    from the model itself.

    Parameters
    ----------
    model : the classifier of the path, which turns scores into decisions and probabilities
    scores : (m, n_classes)
    X : the m samples
    candidate : its place among those of the path
    fitted : called without arguments, returns the fitted model
    """

    def __init__(self, model, scores, X, candidate, fitted):
        self.model, self.scores, self.X, self.candidate = model, scores, X, candidate
        self.classes_ = model.classes_
        self._fitted, self._true = fitted, None

    def __getattr__(self, name):
        if name.startswith("__") or name in _RESPONSES:
            raise AttributeError(f"{type(self.model).__name__} has no attribute {name!r}")
        return getattr(self._whole(), name)

    def __sklearn_tags__(self):
        return get_tags(self.model)

    def __sklearn_is_fitted__(self):
        return True

    def _whole(self):
        if self._true is None:
            self._true = self._fitted()
        return self._true

    def predict(self, X):
        """Labels."""
        if X is not self.X:
            return self._whole().predict(X)
        return self.classes_[self.model._decide(self.scores, self.candidate)]

    def score(self, X, y, sample_weight=None):
        """Accuracy, as of every classifier."""
        from sklearn.metrics import accuracy_score

        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X):
        """Probabilities of the classes."""
        if X is not self.X:
            return self._whole().predict_proba(X)
        return self.model._probabilities(self.scores, self.candidate)

    @available_if(_model_has("predict_log_proba"))
    def predict_log_proba(self, X):
        """Logarithms of probabilities."""
        if X is not self.X:
            return self._whole().predict_log_proba(X)
        return self.model._log_probabilities(self.scores, self.candidate)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X):
        """Scores of the classes, or of the second of two."""
        if X is not self.X:
            return self._whole().decision_function(X)
        return self.model._decision_scores(self.scores)


def tally_of(model, truth, *, losses):
    """Return a function that counts, for `ScoreClassifier.path_scores`.

    Of the scores (n_candidates, r, n_classes) of some rows it keeps two numbers for each
    candidate, (n_candidates, 1, 2): how many decisions are right, and the sum of the log-losses,
    NaN without `losses`. So a search of n samples needs no memory for n scores of each candidate.
    """

    def tally(scores, rows):
        n_candidates, _, n_classes = scores.shape
        decided = model._decide(scores.reshape(-1, n_classes)).reshape(n_candidates, -1)
        right = np.count_nonzero(model.classes_[decided] == truth[rows], axis=1)
        lost = np.full(n_candidates, np.nan)
        if losses and hasattr(model, "predict_proba"):
            told = model._probabilities(scores.reshape(-1, n_classes)).reshape(scores.shape)
            lost = own_log_losses(told, model.classes_, truth[rows]).sum(axis=1)
        return np.stack([right, lost], axis=1)[:, None]

    return tally


def accuracy(model, X, truth):
    """Share of right decisions."""
    return float(np.mean(model.predict(X) == truth))


def log_losses(models, X, truth):
    """Mean log-loss of each model; None for those without probabilities."""
    able = all(hasattr(model, "predict_proba") for model in models)
    said = [model.predict_proba(X) if able else None for model in models]
    return [mean_log_loss(p, m.classes_, truth) for p, m in zip(said, models, strict=True)]


def mean_log_loss(probabilities, classes, y):
    """Mean of -log P(true class); None without probabilities. See `own_log_losses`."""
    if probabilities is None:
        return None
    return float(own_log_losses(probabilities, classes, y).mean())


def own_log_losses(probabilities, classes, y):
    """-log P(true class), (..., m), of probabilities (..., m, n_classes).

    Probabilities below the machine epsilon count as the epsilon, as in scikit-learn, so
    that a method that rules out the truth, or has never seen that class, pays 36 for it
    rather than infinity.
    """
    y = np.asarray(y)
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    own = np.where(classes[codes] == y, probabilities[..., np.arange(len(y)), codes], 0.0)
    return -np.log(np.clip(own, np.finfo(np.float64).eps, 1.0))


def response(model, X):
    """Classes, and what a model says of them: probabilities if it can, or else scores.

    Returns
    -------
    classes, (len(X), n_classes), whether these are probabilities
    """
    if hasattr(model, "predict_proba"):
        return model.classes_, np.asarray(model.predict_proba(X)), True
    if isinstance(model, HeldOut):
        return model.classes_, model.scores, False
    scores = np.asarray(model.decision_function(X), dtype=float)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    return model.classes_, scores, False


def out_of_fold(parts, classes, n):
    """Gather what models said of samples that they had not seen.

    Parameters
    ----------
    parts : list of (rows, (classes, values, whether these are probabilities))
    classes : (n_classes,), the order of the columns
    n : number of samples

    Returns
    -------
    masked array (n, n_classes)
        The mean where a sample was held out several times. A class that a fold never saw
        has probability zero there, and no score (masked). Rows that no fold held out are
        masked; the data beneath are equal for all classes.
    """
    sums, counts = np.zeros((n, len(classes))), np.zeros((n, len(classes)))
    for rows, (seen, values, probabilities) in parts:
        columns = np.searchsorted(classes, seen)
        np.add.at(sums, (rows[:, None], columns), values)
        known = np.arange(len(classes)) if probabilities else columns
        np.add.at(counts, (rows[:, None], known), 1)
    never = counts == 0
    means = np.divide(sums, counts, where=~never, out=np.full_like(sums, 1 / len(classes)))
    return np.ma.MaskedArray(means, mask=never)


def known_out_of_fold(model, y):
    """What a fitted search kept of its samples, and their classes.

    Returns
    -------
    masked array (n, n_classes) of probabilities, or None; (n,) positions in ``classes_``, or None
    """
    kept = getattr(model, "oof_proba_", None)
    if kept is None:
        return None, None
    y = as_labels(y)
    if y.shape != kept.shape[:1] or not np.isin(y, model.classes_).all():
        raise InputError(
            f"y has shape {y.shape}, and the search was fitted to {len(kept)} samples of the "
            f"classes {', '.join(map(str, model.classes_[:5]))}; expected the labels that it was "
            "fitted to."
        )
    return np.ma.MaskedArray(kept, mask=np.ma.getmaskarray(kept)), np.searchsorted(
        model.classes_, y
    )
