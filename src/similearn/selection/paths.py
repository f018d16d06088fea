"""Paths of estimators and pipelines: one fit that scores many candidates."""

import time

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from similearn.data import Pairwise, Sources
from similearn.data.memory import lent
from similearn.data.values import as_values
from similearn.estimators.shell.explanation import is_pipeline


class Path:
    """How parameters of an estimator, or of the last step of a pipeline, form a path.

    Attributes
    ----------
    names : set of the parameters of which one fit can score many values
    """

    def __init__(self, steps, prefix, last):
        self.steps, self.prefix, self.last = steps, prefix, last
        self.names = {prefix + name for name in last._path}

    @classmethod
    def of(cls, estimator):
        """The path that an estimator declares, or None."""
        return cls.along(named_steps(estimator))

    @classmethod
    def along(cls, steps):
        """The path of named steps, the last of which declares it, or None."""
        name, last = steps[-1] if steps else ("", None)
        if not getattr(last, "_path", ()):
            return None
        return cls([step for _, step in steps[:-1]], f"{name}__" if name else "", last)

    def scores(self, group, train, y, parts, *, leave_one_out, of_rows=None):
        """Fit this path once, for all candidates of a group.

        Parameters
        ----------
        group : list of dicts, candidates that differ in `names` only
        train, y : the training samples and their labels
        parts : lists of samples to score
        leave_one_out : whether each training sample is scored as if it had not been there
        of_rows : what to keep of the scores of some rows, see `ScoreClassifier.path_scores`

        Returns
        -------
        list of (n_candidates, len(part), n_classes), and the seconds that the fit took
        """
        start = time.perf_counter()
        train = self._fit_transformed(train, y)
        self.last.fit_path(train, y, self._own(group), leave_one_out=leave_one_out)
        seconds = time.perf_counter() - start
        del train  # what was made of it is as large as it is, and has been learned from
        parts = [self.transformed(part) for part in parts]
        return [self.last.path_scores(part, of_rows) for part in parts], seconds

    def fit(self, X, y):
        """Fit the estimator itself, with its own parameters."""
        self.last.fit(self._fit_transformed(X, y), y)

    def calibration_losses(self, group, X, y):
        """Log-losses (n_candidates,) that the last step met when it was calibrated."""
        return self.last.calibration_losses(self._fit_transformed(X, y), y, self._own(group))

    def _own(self, group):
        """Parameters of the last step, by their own names."""
        strip = len(self.prefix)
        return [{n[strip:]: v for n, v in c.items() if n in self.names} for c in group]

    def _fit_transformed(self, train, y):
        """Training samples as the last step takes them: it alone sees what the others made."""
        made = train
        for step in self._transformers():
            made = step.fit_transform(made, y)
        return made if _share_values(made, train) else lent(made)

    def _transformers(self):
        return [step for step in self.steps if step is not None and step != "passthrough"]

    def transformed(self, part):
        """Queries as the last step takes them."""
        for step in self._transformers():
            part = step.transform(part)
        return part


def named_steps(estimator):
    """Names and steps of a pipeline; of another estimator, itself without a name."""
    return estimator.steps if is_pipeline(estimator) else [("", estimator)]


def _share_values(one, other):
    """Whether two blocks may have values in common; of what is no dense block, nobody knows."""
    dense = (isinstance(X, Pairwise) and not (X.is_lazy or X.is_sparse) for X in (one, other))
    return not all(dense) or np.may_share_memory(one.values, other.values)


def declared_simpler(estimator):
    """What an estimator, or the last step of a pipeline, calls simpler; see `ScoreClassifier`."""
    name, last = named_steps(estimator)[-1]
    own = getattr(last, "_simpler", ())
    if not name:
        return own
    return tuple(f"-{name}__{n[1:]}" if n.startswith("-") else f"{name}__{n}" for n in own)


def hides_reverse(X):
    """Whether held-out samples show one of two directions that differ, as of a plain matrix."""
    if isinstance(X, Sources):
        return any(hides_reverse(block) for block in X.values() if isinstance(block, Pairwise))
    if sparse.issparse(X):
        X = Pairwise(X, "similarity", one_way=True)
    if isinstance(X, Pairwise):
        return bool(X.one_way and X.same_samples and not X.is_symmetric)
    values = np.asarray(X)  # what else it should be, the method will say
    return values.ndim == 2 and not np.array_equal(values, values.T)


def cut(X, rows, columns, *, pairwise):
    """Part of X, the way scikit-learn cuts it: blocks by rows and columns, others by rows."""
    if not pairwise:
        return _safe_indexing(X, rows)
    if isinstance(X, np.ndarray):  # the same as below, in half the time
        return np.take(X[rows], columns, axis=1)
    if not isinstance(X, Pairwise | Sources):  # of lists, frames and the like, the numbers
        X = as_values(X, "X")
    return X[np.ix_(rows, columns)]
