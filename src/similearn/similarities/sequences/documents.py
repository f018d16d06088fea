"""Cosine of documents, with terms weighed by tf-idf."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from similearn.errors import InputError
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity, each_object
from similearn.similarities.shell.registering import register


@register("tfidf_cosine")
class TfidfCosine(PreparedSimilarity):
    r"""Cosine of two documents' tf-idf vectors.

    .. math:: \psi(a, b) = \frac{a^T b}{\|a\| \|b\|},\quad
              a_t = \mathrm{tf}(t, a) \log\frac{\dots}{\mathrm{df}(t)}

    Parameters
    ----------
    vectorizer : scikit-learn transformer, optional
        Turns documents into vectors, and is fitted on the training documents. By default
        `TfidfVectorizer` for strings and `TfidfTransformer` for rows of counts; another
        one chooses characters or n-grams, such as ``TfidfVectorizer(analyzer="char",
        ngram_range=(2, 4))``.

    Attributes
    ----------
    vectorizer_ : the fitted vectorizer

    Notes
    -----
    Salton and Buckley (1988); JMLR §1. Document frequencies are counted among the
    training documents only. A document without any known term has similarity zero with
    all, itself included. One sparse product, O(m · pairs of documents that share a term).

    Examples
    --------
    >>> from similearn.similarities import TfidfCosine
    >>> documents = ["the cat sat", "the dog sat", "stocks fell"]
    >>> TfidfCosine().fit(documents).matrix(documents, documents).round(2)
    array([[1.  , 0.54, 0.  ],
           [0.54, 1.  , 0.  ],
           [0.  , 0.  , 1.  ]])
    """

    kind = "similarity"
    symmetric = True
    needs_fit = True
    releases_lock = True

    def __init__(self, vectorizer: Any = None) -> None:
        self.vectorizer = vectorizer

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Zero to one; from minus one if a vectorizer of one's own may give negative values."""
        return (0.0, 1.0) if self.vectorizer is None else (-1.0, 1.0)

    def fit(self, objects: Any, y: Any = None) -> "TfidfCosine":
        """Count in how many of the documents each term occurs; labels are not looked at."""
        documents = _documents(objects)
        vectorizer = self.vectorizer
        if vectorizer is None:
            from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

            vectorizer = TfidfVectorizer() if isinstance(documents, list) else TfidfTransformer()
        self.vectorizer_ = clone(vectorizer).fit(documents)
        return self

    def self_values(self, A: Any) -> np.ndarray:
        """Return ones, and zeros for documents without any known term."""
        (vectors,) = self.prepare(A).parts
        return np.asarray((abs(vectors).sum(axis=1) > 0), dtype=np.float64)

    def _prepare(self, objects: Any) -> tuple[Any]:
        check_is_fitted(self)
        vectors = sparse.csr_array(self.vectorizer_.transform(_documents(objects)))
        lengths = np.sqrt(vectors.multiply(vectors).sum(axis=1))
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return (sparse.csr_array(vectors.multiply(scale[:, None])),)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        products = (a.parts[0] @ b.parts[0].T).toarray()
        return np.clip(products, *self.range)  # rounding


def _documents(objects: Any) -> Any:
    """Return a list of strings, or rows of counts as they are."""
    if sparse.issparse(objects) or (hasattr(objects, "ndim") and objects.ndim == 2):
        return objects
    documents = list(each_object(objects, "documents"))
    if not all(isinstance(item, str | bytes) for item in documents):
        raise InputError("Documents are neither strings nor rows of counts (n, d).")
    return documents
