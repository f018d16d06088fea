"""Edit distances, against rapidfuzz itself and a table filled cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError, MissingExtraError
from similearn.similarities import (
    DamerauLevenshtein,
    Indel,
    Jaro,
    JaroWinkler,
    Levenshtein,
    LongestCommonSubsequence,
    OptimalStringAlignment,
    evaluate_square,
    get_similarity,
)
from similearn.similarities.shell import similarity
from tests.reference.similarities import levenshtein
from tests.thinning import drawn

distance = pytest.importorskip("rapidfuzz.distance")
words = st.lists(st.text("abcé", max_size=8), min_size=1, max_size=5)


@given(words, words, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
@drawn(30)
def test_levenshtein_is_its_table(A, B, insertion, deletion, substitution):
    costs = {"insertion": insertion, "deletion": deletion, "substitution": substitution}
    expected = [[levenshtein(a, b, **costs) for b in B] for a in A]
    assert_array_equal(Levenshtein(**costs).matrix(A, B), expected)
    assert Levenshtein(**costs).symmetric == (insertion == deletion)


@pytest.mark.parametrize(
    ("similarity", "scorer"),
    [
        (Levenshtein(), distance.Levenshtein.distance),
        (Levenshtein(normalized=True), distance.Levenshtein.normalized_distance),
        (DamerauLevenshtein(), distance.DamerauLevenshtein.distance),
        (DamerauLevenshtein(normalized=True), distance.DamerauLevenshtein.normalized_distance),
        (OptimalStringAlignment(), distance.OSA.distance),
        (OptimalStringAlignment(normalized=True), distance.OSA.normalized_distance),
        (Indel(), distance.Indel.distance),
        (Indel(normalized=True), distance.Indel.normalized_distance),
        (LongestCommonSubsequence(normalized=False), distance.LCSseq.similarity),
        (LongestCommonSubsequence(), distance.LCSseq.normalized_similarity),
        (Jaro(), distance.Jaro.similarity),
        (JaroWinkler(), distance.JaroWinkler.similarity),
    ],
    ids=lambda part: "" if callable(part) and not hasattr(part, "matrix") else str(part),
)
def test_each_is_what_rapidfuzz_computes(similarity, scorer):
    names = ["martha", "marhta", "", "dwayne", "duane", "ça", "aç", "dixon", "dicksonx"]
    expected = np.array([[scorer(a, b) for b in names] for a in names])
    assert_allclose(similarity.matrix(names, names), expected, rtol=1e-14)
    assert_allclose(evaluate_square(similarity, names, n_jobs=2), expected, rtol=1e-14)
    assert_allclose(similarity.self_values(names), np.diag(expected), rtol=1e-14)
    assert similarity("martha", "marhta") == pytest.approx(scorer("martha", "marhta"))


def test_published_examples():
    assert DamerauLevenshtein()("ca", "abc") == 2
    assert OptimalStringAlignment()("ca", "abc") == 3
    assert JaroWinkler(prefix_weight=0.2)("martha", "marhta") > JaroWinkler()("martha", "marhta")


def test_sequences_of_anything_and_arrays_of_strings():
    assert Levenshtein()(["to", "be"], ["to", "have", "be"]) == 1
    assert Levenshtein()((1, 2, 3), np.array([1, 3])) == 1
    names = ["abc", "abd", "x"]
    expected = Levenshtein().matrix(names, names)
    for form in (np.array(names), np.array(names, dtype=object)):
        assert_array_equal(Levenshtein().matrix(form, form), expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Levenshtein().matrix(["a", None], ["a"]), "Object 1 .*NoneType.*missing"),
        (lambda: Levenshtein().matrix([3.5], ["a"]), "Object 0 .*float"),
        (lambda: Levenshtein(insertion=-1)("a", "b"), "integers that are not negative"),
        (lambda: JaroWinkler(prefix_weight=1)("a", "b"), "from 0 to 0.25"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_single_string_is_not_a_collection():
    with pytest.raises(TypeError, match="Got one str; expected a list of strings"):
        Levenshtein().matrix("abc", ["abc"])


def test_without_rapidfuzz_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(similarity, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'"similearn\[strings\]"'):
        get_similarity("jaro_winkler")
    with pytest.raises(MissingExtraError, match=r'"similearn\[strings\]"'):
        Levenshtein()("a", "b")
