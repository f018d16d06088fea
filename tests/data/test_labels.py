"""Labels of every form that a scientist may have, through every door that takes them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

import similearn as sl
from similearn.data.checks import as_labels
from similearn.errors import InputError, SimilearnError

N = 20
Y = np.arange(N) % 2
WORDS = np.array(["blue", "red"])[Y]
POINTS = np.arange(N) % 2 * 5 + np.linspace(0, 1, N)
S = sl.Pairwise(np.exp(-abs(POINTS[:, None] - POINTS)), "similarity")
WITH_GAP = [None if i == 3 else word for i, word in enumerate(WORDS)]
MISSING = {
    "None": (np.array(WITH_GAP, dtype=object), "y holds None at position 3"),
    "NaN": (np.array([np.nan, *WORDS[1:]], dtype=object), "y holds NaN at position 0"),
    "NaN in a list": ([*WORDS[:3].tolist(), np.nan, *WORDS[4:].tolist()], "NaN at position 3"),
    "NaN among numbers": (np.where(np.arange(N) == 3, np.nan, Y), "y holds NaN at position 3"),
    "NaN of 32 bits": (np.where(Y > 0, np.nan, Y).astype("f4"), "y holds NaN at position 1"),
    "NA": (pd.Series(WITH_GAP, dtype="string"), "y holds NA at position 3"),
    "no category": (pd.Series(pd.Categorical(WITH_GAP)), "y holds NaN at position 3"),
    "neither true nor false": (pd.array([None, *(Y[1:] > 0)], dtype="boolean"), "y holds NA"),
    "no time": (pd.Series(pd.to_datetime([None, *["2020"] * 19], utc=True)), "y holds NaT"),
}
FORMS = {
    "words of NumPy's newer type": WORDS.astype(np.dtypes.StringDType()),
    "numbers as objects": Y.astype(object),
    "integers and floats": np.array([int(v) if i % 3 else float(v) for i, v in enumerate(Y)], "O"),
    "truth values and integers": np.array([bool(v) if i % 3 else int(v) for i, v in enumerate(Y)]),
    "other byte order": Y.astype(Y.dtype.newbyteorder()),
    "categories": pd.Categorical(WORDS),
    "nullable": pd.Series(Y, dtype="Int64"),
    "arrow": pd.Series(WORDS, dtype="string[pyarrow]"),
}


def _searched(y, **more):
    knn = sl.NeighborsClassifier(kind="similarity")
    return sl.PathSearchCV(knn, {"n_neighbors": [1, 3]}, cv=2, **more).fit(S, y)


DOORS = {
    "fit": lambda y: sl.NeighborsClassifier(3).fit(S, y),
    "score": lambda y: sl.NeighborsClassifier(3).fit(S, Y if as_number(y) else WORDS).score(S, y),
    "search": _searched,
    "score of a search": lambda y: _searched(Y if as_number(y) else WORDS).score(S, y),
    "default": lambda y: sl.SimilarityClassifier(effort="quick", progress=False).fit(S, y),
    "diagnose": lambda y: sl.diagnose(S, y),
    "goodness": lambda y: sl.goodness(S, y),
    "suspicious": lambda y: sl.suspicious_labels(sl.NeighborsClassifier(3), S, y, cv=2),
    "sets": lambda y: sl.conformal_sets(
        _searched(Y if as_number(y) else WORDS, keep_out_of_fold=True), S, y
    ),
    "compare": lambda y: sl.compare(S, y, ["knn"], n_splits=1),
}


def as_number(y):
    return not any(isinstance(label, str) for label in y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("form", MISSING)
def test_a_missing_label_is_named(form, door):
    y, told = MISSING[form]
    with pytest.raises(SimilearnError, match=told):
        DOORS[door](y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("door", DOORS)
def test_labels_of_every_form_are_read(door):
    for y in FORMS.values():
        DOORS[door](y)


def test_labels_keep_their_values():
    for name, y in FORMS.items():
        expected = Y if as_number(y) else WORDS
        assert as_labels(y).tolist() == expected.tolist(), name
    assert as_labels(Y) is Y
    assert as_labels(None) is None


def test_a_column_of_labels_stays_one():
    with pytest.warns(DataConversionWarning):
        assert sl.NeighborsClassifier(3).fit(S, Y[:, None]).classes_.tolist() == [0, 1]


def test_predictions_that_cannot_be_compared():
    model = sl.NeighborsClassifier(3).fit(S, Y)
    with pytest.raises(InputError, match="X has 20 rows but there are 19 labels"):
        model.score(S, Y[1:])
    with pytest.raises(InputError, match="cannot be compared with y"):
        model.score(S, Y + 0.5)
