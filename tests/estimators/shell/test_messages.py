"""Bad input gets a sentence: what was got, what was expected, what to do next."""

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from similearn import (
    LocalNearestMeansClassifier,
    NeighborsClassifier,
    Pairwise,
    PathSearchCV,
    PrototypeFeatures,
    SDAClassifier,
    SimilarityClassifier,
    SimilaritySVC,
    Sources,
    SpectrumTransformer,
    convert,
    read_pairwise,
)
from similearn.errors import InputError, InputTypeError, KindWarning, SimilearnWarning

S = np.array([[3.0, 1, 2, 0], [1, 3, 0, 1], [2, 0, 3, 1], [0, 1, 1, 3]])
y = [0, 1, 0, 1]


def with_entry(value, dtype=float):
    X = S.astype(dtype)
    X[1, 2] = value
    return X


def repeated_names():
    return pd.DataFrame(S, columns=["a", "b", "a", "c"])


FIT = {
    "NaN": (with_entry(np.nan), y, "NaN at row 1, column 2.*by similearn.convert.fill_missing"),
    "infinity": (with_entry(np.inf), y, "infinity at row 1, column 2.*Put a finite number there"),
    "NaN, sparse": (sparse.csr_array(with_entry(np.nan)), y, r"NaN at row 1.*missing='zero'"),
    "not square": (S[:, :3], y, "square block .*got 4 × 3"),
    "one class": (S, [1, 1, 1, 1], "one class only.*needs at least two"),
    "labels too few": (S, [0, 1], "X has 4 rows but there are 2 labels"),
    "objects": (with_entry("x", object), y, "X must hold numbers; compare objects"),
    "empty": (np.empty((0, 0)), [], "X is empty: pass at least one row"),
    "complex": (S + 1j, y, "Complex data not supported"),
    "one dimension": (S[0], y, "Expected 2D array, got 1D array"),
    "repeated names": (repeated_names(), y, "column names of X repeats 'a' .*must be unique"),
    "no diagonal to tell by": (np.ones((4, 4)) - np.eye(4)[::-1], y, "diagonal.*Say kind='simi"),
    "continuous labels": (S, [0.1, 0.2, 0.3, 0.4], "Unknown label type: continuous"),
}


@pytest.mark.parametrize("case", FIT)
def test_fit_messages(case):
    X, labels, message = FIT[case]
    with pytest.raises(ValueError, match=message) as caught:
        NeighborsClassifier(2).fit(X, labels)
    assert len(str(caught.value)) < 600


SHAPES = {  # of which scikit-learn writes out all values, or counsels what is not meant
    "condensed": (S[np.triu_indices(4, 1)], r"has shape \(6,\).*distance\.squareform\(X\)"),
    "one dimension": (S[0], r"has shape \(4,\); expected a matrix.*sample is X\[None\]"),
    "a column of a frame": (pd.Series(S[0]), r"has shape \(4,\); expected.*sample is X\[None\]"),
    "nothing": (None, "got scalar array. X is of type NoneType; expected a matrix"),
    "complex": (S + 1j, "Complex data not supported: X holds complex128.*Pass the real part"),
    "complex frame": (pd.DataFrame(S + 1j), "supported: X holds complex128.*Pass the real part"),
    "np.matrix": (np.asmatrix(S), r"np.matrix is not supported.*numpy.matrix.html.$"),
}


@pytest.mark.parametrize("case", SHAPES)
@pytest.mark.parametrize("model", [NeighborsClassifier(2), SimilarityClassifier()], ids=type)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_what_is_no_matrix_is_told_in_one_line(model, case):
    X, message = SHAPES[case]
    with pytest.raises((InputError, InputTypeError), match=message) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)


def test_a_single_query_is_a_row():
    model = NeighborsClassifier(2).fit(S, y)
    for row in (S[0], S[0].tolist(), pd.Series(S[0])):
        with pytest.raises(InputError, match=r"Reshape your data: .* is X\[None\], or \[X\]\.$"):
            model.predict(row)
        assert model.predict([row]) == model.predict(S[:1])
    with pytest.raises(InputError, match=r"1D array\. X must be a dense table.*Reshape your data"):
        LocalNearestMeansClassifier().fit(S[0], y)


def test_sources_for_a_model_of_one_block():
    several = Sources({"a": S, "b": S})
    for call in (
        lambda: NeighborsClassifier(2).fit(several, y),
        lambda: NeighborsClassifier(2).fit(S, y).predict(several),
        lambda: SpectrumTransformer().fit(several),
    ):
        with pytest.raises(InputTypeError, match=r"got Sources. Pass one of them: X\['a'\]\.$"):
            call()


LABELS = {
    "Decimal": ([Decimal(i) for i in y], "of type Decimal; .*Pass labels as strings"),
    "Fraction": ([Fraction(i, 3) for i in y], "of type Fraction; .*Pass labels as strings"),
    "date": ([date(2020, 1, 1 + i) for i in y], "of type date; .*Pass labels as strings"),
    "large": ([10**30 + i for i in y], "of type int; .*at most 64 bits.*Pass labels as strings"),
    "dict": (dict(enumerate(y)), "y is of type dict; .*vector of labels, such as a list"),
    "generator": ((label for label in y), "y is of type generator; .*such as a list"),
    "scalar": (5, "y is of type int; .*such as a list"),
    "infinity": ([0, 1, np.inf, 1], "y contains infinity at position 2 .*Leave that sample out"),
    "columns": (np.c_[y, y], r"y has shape \(4, 2\); .*one of its columns, y\[:, 0\]"),
    "sparse": (sparse.csr_array(np.c_[y]), r"y is sparse.*labels: y.toarray\(\).ravel\(\)\.$"),
    "complex": (np.array(y) + 1j, "Complex data not supported: y holds .*labels as strings.$"),
    "too few": ([0, 1, 0], r"\[4, 3\]\. X has 4 rows but there are 3 labels"),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_that_are_none(case):
    labels, message = LABELS[case]
    for X in (S, Pairwise(S, "similarity")):
        with pytest.raises((InputError, InputTypeError), match=message) as caught:
            SimilarityClassifier().fit(X, labels)
        assert "X must hold" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_column_of_labels_still_is_one_with_a_warning():
    with pytest.warns(Warning, match="column-vector y was passed"):
        assert NeighborsClassifier(2).fit(S, np.c_[y]).predict(S).shape == (4,)


def test_groups_that_cannot_be_sorted():
    for groups, message in (
        (["a", None, "a", "b"], "mixes values of types NoneType, str; .*one of its own"),
        (np.array(["2020", "NaT", "2020", "2021"], dtype="M8[D]"), "groups holds NaN"),
    ):
        with pytest.raises(InputError, match=message):
            SimilarityClassifier(effort="quick").fit(S, y, groups=groups)


@pytest.mark.parametrize("names", [list("dcba"), list("abce"), list("abc")])
def test_columns_of_other_names_are_to_be_taken_by_those_of_the_fit(names):
    model = NeighborsClassifier(2).fit(pd.DataFrame(S, columns=list("abcd")), y)
    with pytest.raises(InputError, match=re.escape("at fit: X[model.feature_names_in_].")):
        model.predict(pd.DataFrame(S[:, : len(names)], columns=names))


def test_what_a_reader_returned_is_a_block_and_labels(tmp_path):
    np.savez(tmp_path / "s.npz", S=S, y=y, kind="similarity")
    data = read_pairwise(tmp_path / "s.npz")
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1]}, cv=2)
    for call in (
        lambda: NeighborsClassifier(1).fit(data, y),
        lambda: SimilaritySVC().fit(data, y),
        lambda: SimilarityClassifier().fit(data, y),
        lambda: search.fit(data, y),
        lambda: NeighborsClassifier(1).fit(*data).predict(data),
        lambda: Pairwise(data, "similarity"),
        lambda: convert.fill_missing(data),
    ):
        with pytest.raises((InputTypeError, InputError), match=r"^Got a LabelledPairwise.*\.block"):
            call()


def test_negative_dissimilarities_of_queries():
    D = Pairwise(3 - S, "dissimilarity")
    queries = Pairwise([[1.0, -2, 3, 1]], "dissimilarity")
    with pytest.raises(
        InputError, match=r"^There are negative dissimilarities .the smallest is -2"
    ):
        SimilaritySVC().fit(D, y).predict(queries)


class Stubborn:
    """Raises what it likes when it is asked for numbers."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("not today")


def test_objects_that_refuse_to_be_arrays():
    for call in (
        lambda: NeighborsClassifier(2).fit(Stubborn(), y),
        lambda: Pairwise(Stubborn(), "similarity"),
        lambda: LocalNearestMeansClassifier().fit(Stubborn(), y),
    ):
        with pytest.raises(InputError, match=r"cannot be read as an array .RuntimeError: not to"):
            call()
    with pytest.raises(InputError, match="y cannot be read as an array"):
        NeighborsClassifier(2).fit(Pairwise(S, "similarity"), Stubborn())


def test_kinds_that_are_no_words():
    for X in (S, Pairwise(S, "similarity")):
        with pytest.raises(InputError, match="is unknown; expected one of 'similarity'"):
            NeighborsClassifier(2, kind=np.array([1.0, 2.0])).fit(X, y)


def test_names_of_columns_on_one_side_only():
    frame = pd.DataFrame(S, columns=list("abcd"))
    with pytest.warns(SimilearnWarning, match="has feature names, but.*in their order"):
        NeighborsClassifier(2).fit(S, y).predict(frame)
    with pytest.warns(SimilearnWarning, match="not have valid feature names"):
        NeighborsClassifier(2).fit(frame, y).predict(S)


def test_objects_that_are_no_numbers_at_all():
    with pytest.raises(InputTypeError, match="X must hold numbers"):
        NeighborsClassifier(2).fit(with_entry({}, object), y)


QUERIES = {
    "transposed": (np.ones((4, 2)), "columns of X must be the 4 training samples.*mean X.T"),
    "other columns": (np.ones((2, 3)), "X has 3 features.*columns of X must be the 4 training"),
    "NaN": (with_entry(np.nan)[1:2], "NaN at row 0, column 2"),
    "reverse NaN": (
        Pairwise(S[:1], "similarity", reverse=with_entry(np.nan)[1:2]),
        "reverse direction of X contains NaN",
    ),
    "other kind": (Pairwise(S, "dissimilarity"), "fitted to a similarity. Pass the same"),
    "empty": (np.empty((0, 4)), "X is empty"),
}


@pytest.mark.parametrize("case", QUERIES)
def test_query_messages(case):
    X, message = QUERIES[case]
    model = NeighborsClassifier(2).fit(S, y)
    with pytest.raises(InputError, match=message):
        model.predict(X)


PARAMETERS = {
    "too many neighbours": ({"n_neighbors": 5}, "larger than 4, the number of training samples"),
    "no neighbours": ({"n_neighbors": 0}, "too small; expected at least 1"),
    "half a neighbour": ({"n_neighbors": 2.5}, "must be an integer, got float"),
    "weights": ({"weights": "gaussian"}, "weights='gaussian' is unknown; expected one of"),
    "kind": ({"kind": "distance"}, "kind='distance' is unknown"),
    "costs": ({"costs": [[0, 1]]}, r"costs has shape \(1, 2\); expected \(2, 2\)"),
    "costs, infinite": ({"costs": [[0, np.inf], [1, 0]]}, "large finite cost"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameter_messages(case):
    parameters, message = PARAMETERS[case]
    with pytest.raises((ValueError, TypeError), match=message):
        NeighborsClassifier(**({"n_neighbors": 2} | parameters)).fit(S, y)


def test_the_kind_that_was_said_and_the_kind_that_came():
    with pytest.raises(InputError, match="X holds a similarity, but kind='dissimilarity'"):
        NeighborsClassifier(2, kind="dissimilarity").fit(Pairwise(S, "similarity"), y)
    with pytest.raises(InputError, match="Negative values in data passed to SimilaritySVC"):
        SimilaritySVC().fit(Pairwise(-S, "dissimilarity"), y)


def test_transformer_messages():
    with pytest.raises(InputError, match="method='cut' is unknown; expected one of 'clip'"):
        SpectrumTransformer("cut").fit(S)
    with pytest.raises(InputError, match="n_prototypes=9 is larger than 4"):
        PrototypeFeatures("random", n_prototypes=9).fit(S)
    with pytest.raises(InputError, match="prototypes name position 7; there are 4 samples"):
        PrototypeFeatures([0, 7]).fit(S)
    with pytest.raises(InputError, match="'k-medoids' or integer positions"):
        PrototypeFeatures([0.5]).fit(S)


def test_a_distance_matrix_taken_for_a_similarity():
    with pytest.warns(KindWarning, match="looks like a dissimilarity"):
        NeighborsClassifier(2, kind="similarity").fit(3 - S + 0.5 * (1 - np.eye(4)), y)
    with pytest.warns(KindWarning, match="looks like a similarity"):
        NeighborsClassifier(2, kind="dissimilarity").fit(S, y)


def test_integers_do_not_wrap_around():
    X = np.array([[100, 90], [90, 100]], dtype=np.int8)
    K = SpectrumTransformer("square").fit_transform(X)
    assert K[0, 0] == 100**2 + 90**2


def test_paths_that_are_none():
    S, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(InputError, match="candidates is empty"):
        NeighborsClassifier(1).fit_path(S, y, [])
    with pytest.raises(InputError, match="SDAClassifier has no path"):
        SDAClassifier().fit_path(S, y, [{}]).path_scores(S)


def test_labels_that_name_the_samples_in_another_order():
    """They were read by position: the labels of others, without a word."""
    ids = [f"s{i}" for i in range(8)]
    D = pd.DataFrame(np.abs(np.arange(8.0)[:, None] - np.arange(8.0)), ids, ids)
    labels = pd.Series(list("aaaabbbb"), ids)
    model = NeighborsClassifier(1, kind="dissimilarity")
    with pytest.raises(InputError, match=r"Label 0 of y is that of 's7'.*Pass y.loc\[X.index\]"):
        model.fit(D, labels[::-1])
    assert list(model.fit(D, labels[::-1].loc[D.index]).predict(D)) == list("aaaabbbb")
    for y in (labels.reset_index(drop=True), labels.to_list(), labels.rename(index=str.upper)):
        assert list(model.fit(D, y).predict(D)) == list("aaaabbbb")
