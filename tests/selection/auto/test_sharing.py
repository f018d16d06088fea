"""What members share is worked out once, and changes no bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from similearn import Pairwise, SimilarityClassifier, datasets
from similearn.data.memory import remembering, symmetric_spectrum
from similearn.numerics.linalg.spectrum import Spectrum
from similearn.selection.auto import sharing


@pytest.fixture(scope="module")
def problem():
    bunch = datasets.make_similarities(60, n_classes=3, indefinite=0.2, random_state=0)
    train, test = np.arange(50), np.arange(50, 60)
    return bunch.data[np.ix_(train, train)], bunch.target[train], bunch.data[np.ix_(test, train)]


def counted(monkeypatch, owner, name):
    """Count the calls of a method with blocks of each length."""
    calls, original = [], getattr(owner, name)

    def counting(first, *args, **kwargs):
        calls.append(len(first))
        return original(first, *args, **kwargs)

    monkeypatch.setattr(owner, name, counting)
    return calls


@pytest.mark.parametrize(
    ("kind", "effort"),
    [
        ("similarity", "normal"),
        ("dissimilarity", "quick"),  # which searches and decomposes, too
        pytest.param("dissimilarity", "normal", marks=pytest.mark.exhaustive),
    ],
)
def test_the_same_bits_with_and_without(problem, monkeypatch, kind, effort):
    S, y, queries = problem
    if kind == "dissimilarity":
        top = S.values.max()
        S, queries = Pairwise(top - S.values, kind), Pairwise(top - queries.values, kind)
    shared = SimilarityClassifier(effort=effort).fit(S, y)
    monkeypatch.setattr(sharing, "remembering", lambda block, *known: block)
    alone = SimilarityClassifier(effort=effort).fit(S, y)
    assert_array_equal(shared.weights_, alone.weights_)
    assert_array_equal(shared.predict_proba(queries), alone.predict_proba(queries))


def test_a_query_is_searched_once_for_all_members(problem, monkeypatch):
    S, y, queries = problem
    model = SimilarityClassifier(effort="quick").fit(S, y)
    voters = [member for member in model.members_ if member.n_neighbors]
    assert len(voters) > 1
    searches = counted(monkeypatch, Pairwise, "nearest")
    model.predict(queries[[0]])
    assert searches == [1]


def test_one_search_and_one_decomposition_for_each_fold(problem, monkeypatch):
    S, y, _ = problem
    searches, decompositions = counted(monkeypatch, Pairwise, "nearest"), []
    whole = Spectrum.of
    monkeypatch.setattr(Spectrum, "of", lambda S: decompositions.append(len(S)) or whole(S))
    model = SimilarityClassifier(effort="quick").fit(S, y)
    assert len(model.leaderboard_) == 4  # two that search, two that decompose
    assert sorted(searches) == [16, 17, 17]
    assert sorted(decompositions)[:3] == [33, 33, 34]
    assert len(decompositions) <= 4  # the last is of all samples, if one of the two has a weight


def test_a_remembering_block_answers_as_the_block_does(problem):
    S = problem[0]
    block = remembering(S, n_nearest=20)
    for k in (1, 5, 20, 30):
        for rows in (slice(None), slice(3, 9)):
            for one, other in zip(block.nearest(k, rows), S.nearest(k, rows), strict=True):
                assert_array_equal(one, other)
                assert one.flags.c_contiguous
    assert_array_equal(block.nearest(4, skip_self=True)[0], S.nearest(4, skip_self=True)[0])
    assert symmetric_spectrum(block) is symmetric_spectrum(block)
    assert symmetric_spectrum(S) is not symmetric_spectrum(S)
    assert_array_equal(symmetric_spectrum(block).vectors, symmetric_spectrum(S).vectors)


def test_a_part_or_a_change_of_it_remembers_nothing(problem):
    block = remembering(problem[0], n_nearest=20)
    block.nearest(5)
    part = block[np.ix_(np.arange(10), np.arange(10))]
    assert part.nearest(2)[0].max() < 10
    assert_array_equal(block.T.nearest(3)[0], problem[0].T.nearest(3)[0])
    negative = block._with(values=-np.asarray(block.values))
    assert type(negative) is Pairwise
