"""Cosine of documents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from similearn.errors import InputError
from similearn.similarities import TfidfCosine, evaluate_square

DOCUMENTS = ["the cat sat on the mat", "the dog sat", "stocks fell and fell", "cat and dog"]
QUERIES = ["a dog fell", "unheard of", "the the the"]


@pytest.mark.parametrize("vectorizer", [None, TfidfVectorizer(analyzer="char", ngram_range=(2, 3))])
def test_is_scikit_learns(vectorizer):
    theirs = (vectorizer or TfidfVectorizer()).fit(DOCUMENTS)
    ours = TfidfCosine(vectorizer).fit(DOCUMENTS)
    expected = cosine_similarity(theirs.transform(QUERIES), theirs.transform(DOCUMENTS))
    assert_allclose(ours.matrix(QUERIES, DOCUMENTS), expected, atol=1e-12)
    assert_allclose(evaluate_square(ours, DOCUMENTS, n_jobs=2), ours.matrix(*[DOCUMENTS] * 2))
    assert ours.needs_fit and not ours.learned


def test_counts_are_documents_too():
    counter = CountVectorizer().fit(DOCUMENTS)
    ours = TfidfCosine().fit(DOCUMENTS).matrix(QUERIES, DOCUMENTS)
    for form in (lambda X: X, lambda X: X.toarray()):
        model = TfidfCosine().fit(form(counter.transform(DOCUMENTS)))
        values = model.matrix(*(form(counter.transform(X)) for X in (QUERIES, DOCUMENTS)))
        assert_allclose(values, ours, atol=1e-12)


def test_frequencies_come_from_training_only():
    some = TfidfCosine().fit(DOCUMENTS[:2])
    assert some(DOCUMENTS[2], DOCUMENTS[2]) == 0
    assert_array_equal(some.self_values(DOCUMENTS), [1, 1, 0, 1])


def test_messages():
    with pytest.raises(NotFittedError):
        TfidfCosine().matrix(DOCUMENTS, DOCUMENTS)
    with pytest.raises(InputError, match="neither strings nor rows of counts"):
        TfidfCosine().fit([3, 4])
    assert np.all(TfidfCosine().fit(np.array(DOCUMENTS)).self_values(np.array(DOCUMENTS)) == 1)
