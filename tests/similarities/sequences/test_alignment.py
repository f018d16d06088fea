"""Smith-Waterman scores, by both libraries and by a table filled cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError, MissingExtraError
from similearn.similarities import SmithWaterman, evaluate_square, get_similarity
from similearn.similarities.sequences import alignment
from similearn.similarities.sequences.alignment import LETTERS, pam50
from tests.reference.similarities import smith_waterman
from tests.thinning import drawn

proteins = st.lists(st.text("ARNDCQEGHILKMFPSTWYVX", max_size=12), min_size=1, max_size=4)


def without(*missing):
    return lambda name: None if name in missing else object()


@pytest.mark.parametrize("library", ["parasail", "Bio"])
@pytest.mark.parametrize("substitution", ["blosum62", "pam50"])
@given(A=proteins, gaps=st.sampled_from([(11, 1), (3, 1), (2, 2), (1, 1), (8, 0)]))
@drawn(10)
def test_scores_are_the_table(library, substitution, A, gaps):
    pytest.importorskip(library)
    Align = pytest.importorskip("Bio.Align")
    if substitution == "pam50":
        table = pam50()
    else:
        table = np.asarray(Align.substitution_matrices.load("BLOSUM62"))

    def score(x, y):
        return table[LETTERS.index(x), LETTERS.index(y)]

    expected = [[smith_waterman(a, b, score, *gaps) for b in A] for a in A]
    model = SmithWaterman(substitution, gap_open=gaps[0], gap_extend=gaps[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "find_spec", without({"Bio": "parasail"}.get(library)))
        assert_array_equal(model.matrix(A, A), expected)
        assert_array_equal(model.self_values(A), np.diag(expected))


def test_pam50_is_parasails():
    parasail = pytest.importorskip("parasail")
    assert_array_equal(pam50(), parasail.pam50.matrix)


def test_normalized_scores():
    pytest.importorskip("parasail")
    A = ["HEAGAWGHEE", "PAWHEAE", "WWWW", "", "XX"]
    raw = SmithWaterman().matrix(A, A)
    values = SmithWaterman(normalized=True).matrix(A, A)
    own = np.diag(raw)
    for i in range(5):
        for j in range(5):
            expected = raw[i, j] / np.sqrt(own[i] * own[j]) if own[i] * own[j] else 0
            assert values[i, j] == pytest.approx(expected)
    assert_array_equal(SmithWaterman(normalized=True).self_values(A), [1, 1, 1, 0, 0])


def test_gaps_whose_letters_all_cost_the_same():
    pytest.importorskip("parasail")
    values = SmithWaterman("pam50", gap_open=2, gap_extend=2).matrix(["CC", "CAAC"], ["CC", "CAAC"])
    assert_array_equal(values, [[18, 14], [14, 28]])


def test_long_scores_do_not_saturate():
    pytest.importorskip("parasail")
    assert SmithWaterman()("W" * 5000, "W" * 5000) == 5000 * 11


def test_letters():
    pytest.importorskip("parasail")
    assert SmithWaterman()("heag", "HEAG") == SmithWaterman()("HEAG", "HEAG")
    assert SmithWaterman()("HEUG", "HEUG") == SmithWaterman()("HEXG", "HEXG")


def test_workers_give_the_same_scores():
    pytest.importorskip("parasail")
    rng = np.random.default_rng(0)
    A = ["".join(rng.choice(list(LETTERS[:20]), size=rng.integers(5, 30))) for _ in range(37)]
    model = SmithWaterman(normalized=True)
    assert_allclose(evaluate_square(model, A, n_jobs=2), model.matrix(A, A), rtol=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SmithWaterman()("HE AG", "HEAG"), "Sequence 0 .* holds ' '.*spaces first.$"),
        (lambda: SmithWaterman()("HE-AG", "HEAG"), "holds '-'.* first. Alignment makes gaps .*ngr"),
        (lambda: SmithWaterman().matrix(["H", 3], ["H"]), "Object 1 .* type int"),
        (lambda: SmithWaterman("identity")("H", "H"), "substitution='identity' is unknown"),
        (lambda: SmithWaterman(gap_open=-1)("H", "H"), "integers that are not negative"),
        (lambda: SmithWaterman(gap_open=1, gap_extend=2)("H", "H"), "gap_open=1 is less than"),
    ],
)
def test_messages(call, message):
    pytest.importorskip("parasail")
    with pytest.raises(InputError, match=message):
        call()


def test_without_both_libraries_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(alignment, "find_spec", without("parasail", "Bio"))
    with pytest.raises(MissingExtraError, match=r'"similearn\[bio\]"'):
        get_similarity("smith_waterman")
