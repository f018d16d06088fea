"""What the default refuses, or asks about, of blocks, tables and functions that come in."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import similearn
from similearn import Pairwise, PairwiseSimilarity, SimilarityClassifier, Sources
from similearn.errors import InputError, KindWarning
from similearn.selection.auto.inputs import _doubt_kind

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
POINTS = RNG.normal(size=(40, 4)) * [1.0, 1.0, 1.0, 30.0] + 3.0 * Y[:, None] * [1, 0, 0, 0]
D = np.abs(POINTS[:, :1] - POINTS[:, :1].T)
TABLE = pd.DataFrame(POINTS, columns=list("abcd"))


def quick(**options):
    return SimilarityClassifier(effort="quick", progress=False, **options)


def test_columns_of_a_table_are_found_by_their_names(tmp_path):
    """They were read by position: with them in another order, accuracy fell from 0.98 to 0.28."""
    model = quick().fit(Sources({"t": TABLE}), Y)
    said = model.predict_proba(Sources({"t": TABLE}))
    turned = TABLE[list("dbca")].assign(more=1.0)
    assert_allclose(model.predict_proba(Sources({"t": turned})), said)
    assert_allclose(model.predict_proba(Sources({"t": POINTS})), said)  # without names: by position
    with pytest.raises(InputError, match="'t' has no column 'b', which it had at fit; it has d, c"):
        model.predict(Sources({"t": turned.drop(columns="b")}))
    similearn.save(model, tmp_path / "m")
    again = similearn.load(tmp_path / "m")
    assert_allclose(again.predict_proba(Sources({"t": turned})), said)
    part = Sources({"t": TABLE})[np.ix_(np.arange(30), np.arange(30))]
    model = quick().fit(part, Y[:30])
    assert_allclose(
        model.predict_proba(Sources({"t": turned})), model.predict_proba(Sources({"t": TABLE}))
    )


def test_tables_whose_columns_have_no_names_go_by_position():
    model = quick().fit(Sources({"t": POINTS}), Y)
    said = model.predict_proba(Sources({"t": POINTS}))
    assert_allclose(model.predict_proba(Sources({"t": TABLE})), said)
    twice = TABLE.set_axis(list("aabb"), axis=1)
    model = quick().fit(Sources({"t": twice}), Y)
    assert_allclose(model.predict_proba(Sources({"t": TABLE})), said)


WRONG = D.copy()
WRONG[3, 4] = WRONG[4, 3] = -3.0


@pytest.mark.parametrize(
    ("X", "options", "told"),
    [
        (WRONG, {"kind": "dissimilarity"}, "There are negative"),
        (Pairwise(WRONG, "dissimilarity"), {}, "There are negative"),
        (
            Sources({"good": POINTS, "bad": Pairwise(WRONG, "dissimilarity")}),
            {},
            "The source 'bad': There are negative",
        ),
        (
            list(range(40)),
            {"similarity": lambda a, b: WRONG[a, b], "kind": "dissimilarity"},
            "There are negative",
        ),
    ],
    ids=["kind", "block", "source", "function"],
)
def test_a_negative_dissimilarity_is_refused_at_every_door(X, options, told):
    """Members that could not take it were left out, six of ten, and only the table said so."""
    with pytest.raises(InputError, match=f"{told} dissimilarities .the smallest is -3"):
        quick(**options).fit(X, Y)


def test_faults_of_a_block_among_sources_name_it():
    bad = Pairwise(np.where(D > 5, np.nan, D), "dissimilarity")
    with pytest.raises(InputError, match="The source 'bad': X contains NaN at row"):
        quick().fit(Sources({"good": POINTS, "bad": bad}), Y)


def test_a_kind_that_labels_contradict_is_told_of_sources_and_functions():
    turned = Pairwise(np.exp(-D), "dissimilarity")
    with pytest.warns(KindWarning, match="The source 'b' is a dissimilarity, but .* looks like a"):
        quick().fit(Sources({"a": Pairwise(D, "dissimilarity"), "b": turned}), Y)
    with pytest.warns(KindWarning, match="The function gives a dissimilarity, but"):
        quick(similarity=lambda a, b: np.exp(-D[a, b]), kind="dissimilarity").fit(range(40), Y)


def test_what_is_judged_is_told_where_classes_have_one_sample():
    y = [*Y[:36], 5, 6, 7, 8]
    notes = quick().fit(D, y).notes_
    assert any(
        "never held out: 4. Errors and log-losses are those of the other 36" in n for n in notes
    )
    named = "Those classes: '5', '6', '7' and 1 more."
    assert any(n.endswith(named) for n in notes)


def test_a_lazy_block_is_not_computed_to_doubt_its_kind():
    seen = []

    def slow(a, b):
        seen.append((a, b))
        return abs(a - b)

    compare = PairwiseSimilarity(slow, kind="similarity", symmetric=True, lazy=True)
    block = compare.fit_transform(list(range(40)))
    _doubt_kind(block, Y, "It is a similarity")
    assert not seen and "values" not in vars(block)
