"""Similarities as words of the shell, near names, and the choice by what objects are."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from similearn import PairwiseSimilarity
from similearn.errors import InputError, InputTypeError
from similearn.similarities import (
    NgramProfile,
    SmithWaterman,
    choose_similarity,
    parse_similarity,
    registry,
    spelled,
    what_objects_are,
)


def test_words_and_back():
    found = parse_similarity("Smith-Waterman:substitution=pam50, gap-open=12,normalized=True")
    assert isinstance(found, SmithWaterman)
    assert (found.substitution, found.gap_open, found.normalized) == ("pam50", 12, True)
    assert repr(parse_similarity(spelled(found))) == repr(found)
    for name, similarity in registry.items():
        assert spelled(similarity) == name.replace("_", "-")
        assert parse_similarity(spelled(similarity)).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dtw", "Did you mean 'dynamic_time_warping'"),
        ("tversky", "Did you mean 'tversky_ratio' or 'tversky_contrast'"),
        ("ngrams:n=3", "'n=3' is no parameter of ngrams; it takes ends, longest, shortest"),
        ("ngrams:shortest", "'shortest' is no parameter"),
        ("jaccard-sets:n_hashes=__import__('os')", None),
    ],
)
def test_what_is_meant(text, message):
    if message is None:  # what is no plain value is a word, never run
        assert parse_similarity(text).n_hashes == "__import__('os')"
        return
    with pytest.raises(InputError, match=message):
        parse_similarity(text)


PROTEINS = ["MKVLAAGIVGLPRSTWYHE" * 2] * 3
CASES = {
    "sequences (protein)": (PROTEINS, "smith_waterman"),
    "sequences (dna)": (["ACGTACGTACGTACGTACGTACGT"] * 3, "ngrams"),
    "strings": (["Anna", "Otto"], "ngrams"),
    "sets": ([{"a"}, {"b"}], "jaccard_sets"),
    "series": ([[1.0, 2.0], [1.0]], "dynamic_time_warping"),
    "images": (np.zeros((2, 4, 4)), "tangent"),
    "numbers": (np.array([[1.0, 2.0], [2.0, 5.0]]), "seuclidean"),
    "categories": (np.array([["a", 2], ["b", 5]], dtype=object), "value_difference"),
}


@pytest.mark.parametrize("what", CASES)
def test_the_choice_follows_what_objects_are(what):
    objects, name = CASES[what]
    assert what_objects_are(objects) == what
    choice = choose_similarity(what, objects)
    assert choice.similarity.name == name and choice.reason


def test_texts_constant_columns_and_what_is_not_known():
    assert choose_similarity("strings", ["some words of a text " * 9]).similarity.name == (
        "tfidf_cosine"
    )
    assert choose_similarity("numbers", np.ones((3, 2))).similarity.name == "euclidean"
    long = choose_similarity("sequences (protein)", ["M" * 9000]).similarity
    assert isinstance(long, NgramProfile) and long.shortest == 3
    with pytest.raises(InputError, match="type object"):
        what_objects_are([object()])


WORDS = ["plum", "pear", "fig", "lime"]
DATES = pd.Series(pd.date_range("2020-01-01", periods=3))
MIXED = {
    "None": (
        [*WORDS, None],
        r"^Object 4 .counting from 0. is of type NoneType, most .* str; ",
    ),
    "NaN": (
        pd.Series([*WORDS, np.nan]),
        r"^Object 4 .* is NaN, most .* str; .*or fill it in",
    ),
    "first": ([3, *WORDS], r"^Object 0 .* is of type int, most are of type str"),
    "no set": ([{"a"}, {"b"}, None], r"^Object 2 .* is of type NoneType, most are of type set"),
    "dates": (DATES, r"objects of type datetime64\[.*Name a similarity"),
    "ragged": (
        [("a", 1), ("b",)],
        r"^Object 1 .* has 1 parts, object 0 has 2; .*make sets",
    ),
}


@pytest.mark.parametrize("case", MIXED)
def test_the_object_that_differs_is_named(case):
    objects, message = MIXED[case]
    with pytest.raises(InputError, match=message):
        what_objects_are(objects)


def test_what_cannot_be_counted_is_refused_before_it_is_used_up():
    words = (word for word in WORDS)
    for objects, message in (
        (words, "X is of type generator; expected a collection of objects: a list"),
        (sparse.csr_array(np.eye(3)), "X is sparse, .*Name one, or pass X.toarray"),
    ):
        with pytest.raises(InputTypeError, match=message):
            PairwiseSimilarity("auto").fit(objects)
    assert list(words) == WORDS
