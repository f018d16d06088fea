"""`PairwiseSimilarity`: the door through which objects enter."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from similearn.data.checks import as_labels
from similearn.data.lazy.allowed_memory import working_bytes
from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.pairwise import Pairwise
from similearn.errors import InputError, InputTypeError
from similearn.estimators.shell.blocks import validated
from similearn.estimators.shell.columns_out import block_or_frame
from similearn.similarities.shell.choosing import decided, told_namesakes
from similearn.similarities.shell.evaluate import evaluate_block, evaluate_square
from similearn.similarities.shell.object_pairs import ObjectPairs
from similearn.similarities.shell.objects import as_objects, count
from similearn.similarities.shell.prepared import prepared_or_same
from similearn.similarities.shell.registering import get_similarity, known_similarities
from similearn.similarities.shell.similarity import Similarity

ROWS = {"numbers": "a table of numbers", "table": "a table"}


class PairwiseSimilarity(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Compare objects pair by pair; first step of a pipeline before a pairwise classifier.

    Parameters
    ----------
    function : str, Similarity or callable, default="euclidean"
        A name in ``similearn.similarities.registry``, a similarity with its own parameters
        such as ``TverskyRatio(alpha=2)``, any function of two objects, or "auto" for the one that
        suits what the objects are, as in the shell.
    kind : {"similarity", "dissimilarity"}, optional
        Needed for a plain function, which cannot tell; others say it themselves.
    symmetric : bool, optional
        Needed for a plain function: whether ``function(a, b)`` always equals
        ``function(b, a)``, so that each pair is evaluated once.
    n_jobs : int, optional
        With joblib's meaning: threads for functions that release the interpreter lock
        (vectorized or compiled), processes for others.
    lazy : bool, optional
        Whether the values are computed only when a classifier asks for them, so that the matrix
        need never exist; by default where it would exceed scikit-learn's ``working_memory``.
        Nearest neighbours, local SDA and local SVMs ask for few; other methods get the matrix
        computed, if half of the machine's memory holds it.
    progress : {"auto", True, False}, default="auto"
        "auto" draws a bar on a terminal, with rich, once the work has taken two seconds.

    Attributes
    ----------
    function_ : the similarity, fitted on the training objects and labels
    references_ : the training objects
    chosen_ : the similarity that "auto" chose
    notes_ : list; with "auto", the sentence that says which similarity was chosen, and why
    labels_ : (n,), their labels, where the similarity is learned from them
    n_features_in_ : number of columns, where objects are rows of a table

    Notes
    -----
    `fit` evaluates no pair, but looks at each object once and keeps what a similarity compares of
    it, so that a few new objects are compared at once. `fit_transform` gives the square block
    of the training objects: n(n+1)/2 evaluations if symmetric, else n². `transform` gives the
    block of queries against training objects, and if asymmetric the reverse direction too: m n or
    2 m n evaluations, and m self-similarities.

    The result is a `Pairwise`, which carries the kind along. With
    ``set_output(transform="pandas")`` or "polars" it becomes a plain frame that a later step
    reads as its own kind, without reverse direction.

    A similarity that is learned from labels sees only what `fit` is given; within
    cross-validation these are the training rows.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import NeighborsClassifier, PairwiseSimilarity
    >>> def shared_letters(a, b):
    ...     return len(set(a) & set(b))
    >>> words = ["aabab", "abba", "baab", "bab", "xyyx", "xxy", "yyx", "yx"]
    >>> compare = PairwiseSimilarity(shared_letters, kind="similarity", symmetric=True)
    >>> compare.fit_transform(words)
    <Pairwise: similarity, 8 × 8>
    >>> model = make_pipeline(compare, NeighborsClassifier(n_neighbors=1))
    >>> cross_val_score(model, words, [0, 0, 0, 0, 1, 1, 1, 1], cv=2)
    array([1., 1.])
    """

    def __init__(
        self,
        function="euclidean",
        *,
        kind=None,
        symmetric=None,
        n_jobs=None,
        lazy=None,
        progress="auto",
    ):
        self.function = function
        self.kind = kind
        self.symmetric = symmetric
        self.n_jobs = n_jobs
        self.lazy = lazy
        self.progress = progress

    def fit(self, X, y=None):
        """Remember the training objects; learn the similarity from labels if it is learned.

        Parameters
        ----------
        X : n objects: a list, an array (n, d) whose rows are objects, a data frame. One column
            of strings, as an array (n, 1) or a data frame, is n strings.
        y : (n,) labels; needed only by a similarity that is learned
        """
        chosen, self.notes_ = decided(self.function, X)
        vars(self).pop("chosen_", None)
        if self.notes_:
            self.chosen_ = chosen
        function = get_similarity(chosen, kind=self.kind, symmetric=self.symmetric)
        objects = self._objects(X, function, reset=True)
        if y is not None:
            _check_labels(objects, y)
        y = as_labels(y) if function.learned else y
        self.function_ = function.fit(objects, y)
        self.references_ = objects
        self._prepared = prepared_or_same(self.function_, objects)
        vars(self).pop("labels_", None)
        if function.learned:
            self.labels_ = y
        return self

    def fit_transform(self, X, y=None):
        """Fit, and return the square `Pairwise` block (n, n) of the training objects."""
        self.fit(X, y)
        if self._is_lazy(count(self.references_)):
            return block_or_frame(self, self._lazy_block())
        values = evaluate_square(
            self.function_, self._prepared, n_jobs=self.n_jobs, show=self.progress
        )
        return block_or_frame(self, Pairwise(values, self.function_.kind, same_samples=True))

    def transform(self, X):
        """Return the `Pairwise` block (m, n) of queries against the training objects."""
        check_is_fitted(self)
        function = self.function_
        queries = self._objects(X, function, reset=False)
        if self._is_lazy(count(queries)):
            return block_or_frame(self, self._lazy_block(queries))
        if not hasattr(self, "_prepared"):  # it came from a file
            self._prepared = prepared_or_same(function, self.references_)
        references, queries = self._prepared, prepared_or_same(function, queries)
        options = {"n_jobs": self.n_jobs, "show": self.progress}
        values = evaluate_block(function, queries, references, **options)
        reverse = None
        if not function.symmetric:
            roles = ("reference", "query")
            reverse = evaluate_block(function, references, queries, roles=roles, **options).T
        block = Pairwise(
            values,
            function.kind,
            reverse=reverse,
            self_values=function.self_values(queries),
            same_samples=False,
        )
        return block_or_frame(self, block)

    def __getstate__(self):
        """Return the state without what can be prepared again."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_prepared"}

    def _is_lazy(self, n_rows):
        """Whether values are computed when they are asked for."""
        if self.lazy is not None and not isinstance(self.lazy, bool | np.bool_):
            raise InputTypeError(f"lazy={self.lazy!r} must be True, False or None.")
        too_many = 8 * n_rows * count(self.references_) > working_bytes()
        return too_many if self.lazy is None else bool(self.lazy)

    def _lazy_block(self, queries=None):
        """The block of the training objects, or of queries against them."""
        objects = (self.references_,) if queries is None else (queries, self.references_)
        source = ObjectPairs(self.function_, *objects)
        return LazyPairwise(source, n_jobs=self.n_jobs, show=self.progress)

    def _objects(self, X, function, *, reset):
        if function.accepts == "objects":
            return as_objects(X, function)
        options = {"dtype": np.float64}
        if function.accepts == "table":
            # Lists become objects: text would swallow the numbers and None beside it.
            dtype = None if hasattr(X, "dtype") else object
            options = {"dtype": dtype, "ensure_all_finite": False}
        what = f". {function.name} compares the rows of {ROWS[function.accepts]}."

        def hint(error):
            return f"{what}{told_namesakes(function, X)}"

        return validated(self, X, reset=reset, hint=hint, **options)

    @property
    def _n_features_out(self):
        return count(self.references_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # always float64
        function = self.function
        if isinstance(function, str):
            function = known_similarities().get(function)
        accepts = function.accepts if isinstance(function, Similarity) else "objects"
        tags.input_tags.two_d_array = accepts != "objects"
        tags.input_tags.one_d_array = accepts == "objects"
        tags.input_tags.string = tags.input_tags.allow_nan = accepts != "numbers"
        tags.input_tags.categorical = accepts == "table"
        tags.input_tags.sparse = accepts == "objects" and isinstance(function, Similarity)
        tags.target_tags.required = isinstance(function, Similarity) and function.learned
        return tags


def _check_labels(objects, y):
    try:
        check_consistent_length(np.empty((count(objects), 0)), y)
    except Exception as error:  # what is no array may do what it likes when it is made one
        expected = f"expected one label for each of {count(objects)} objects"
        raise InputError(f"y does not fit the objects ({error}); {expected}.") from error
