"""`SimilaritySources`: objects compared in several ways at once."""

from collections.abc import Mapping

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from similearn.data.sources import Sources
from similearn.errors import InputError, InputTypeError
from similearn.estimators.transformers.pairwise_similarity import PairwiseSimilarity
from similearn.similarities.shell.naming import spelled
from similearn.similarities.shell.registering import get_similarity


class SimilaritySources(TransformerMixin, BaseEstimator):
    """Compare objects by several similarities; first step before what takes `Sources`.

    Parameters
    ----------
    functions : list or mapping
        Names of similarities, or similarities, as `PairwiseSimilarity` takes them; a mapping
        gives the sources their names, otherwise they are called as in the shell.
    n_jobs, progress : as in `PairwiseSimilarity`

    Attributes
    ----------
    comparisons_ : dict of names to fitted `PairwiseSimilarity`

    Notes
    -----
    A similarity that is learned from labels sees what `fit` is given.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import FusedNeighborsClassifier, SimilaritySources
    >>> compare = SimilaritySources(["levenshtein", "ngrams"])
    >>> model = make_pipeline(compare, FusedNeighborsClassifier(1))
    >>> model = model.fit(["anna", "hanna", "otto", "lotto"], ["a", "a", "o", "o"])
    >>> model.predict(["hannah", "motto"])
    array(['a', 'o'], dtype='<U1')
    """

    def __init__(self, functions, *, n_jobs=None, progress="auto"):
        self.functions = functions
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X, y=None):
        """Remember the training objects, and learn what is learned from labels."""
        self.comparisons_ = {name: one.fit(X, y) for name, one in self._compared()}
        return self

    def fit_transform(self, X, y=None):
        """Fit, and return `Sources` of the square blocks (n, n) of the training objects."""
        self.comparisons_ = dict(self._compared())
        return Sources({n: one.fit_transform(X, y) for n, one in self.comparisons_.items()})

    def transform(self, X):
        """Return `Sources` of the blocks (m, n) of queries against the training objects."""
        check_is_fitted(self)
        return Sources({name: one.transform(X) for name, one in self.comparisons_.items()})

    def _compared(self):
        options = {"n_jobs": self.n_jobs, "progress": self.progress}
        return [(name, PairwiseSimilarity(one, **options)) for name, one in self._named()]

    def _named(self):
        if isinstance(self.functions, Mapping):
            named = list(self.functions.items())
        elif isinstance(self.functions, list | tuple):
            named = [(spelled(get_similarity(one)), one) for one in self.functions]
        else:
            raise InputTypeError(
                f"functions={self.functions!r} must be a list of similarities, or names and "
                "similarities; for one of them there is PairwiseSimilarity."
            )
        if not named:
            raise InputError("functions is empty; expected at least one similarity.")
        names = [name for name, _ in named]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"functions has {twice!r} twice; expected each similarity once.")
        return named

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, True
        tags.input_tags.string = True
        return tags
