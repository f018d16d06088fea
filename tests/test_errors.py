import pickle

import numpy as np
import pytest

from similearn.errors import ConvergenceWarning, FileError, InputError, MissingExtraError, readable


def test_ordinary_messages_stay_as_they_are():
    text = "X has 3 rows,\n\tbut /a/folder/with some/file-of-scores.npz says np.load(4) [π ≥ 3]."
    assert readable(text) == text


@pytest.mark.parametrize(
    ("quoted", "shown"),
    [
        (np.int64(3), "3"),
        (np.str_("red"), "'red'"),
        (np.float32(0.5), "0.5"),
        (np.bool_(True), "True"),
        ([np.int64(3), np.int64(4)], "[3, 4]"),
    ],
)
def test_scalars_of_numpy_are_told_as_numbers_and_words(quoted, shown):
    assert str(InputError(f"got {quoted!r}.")) == f"got {shown}."


def test_nothing_speaks_to_the_terminal():
    error = FileError("label \x1b[31mred\x07\x9b0m\r is unknown")
    assert str(error) == r"label \x1b[31mred\x07\x9b0m\x0d is unknown"
    assert str(ConvergenceWarning("\x1b[2J")) == r"\x1b[2J"
    assert str(FileError("a\udcff \u202eb")) == r"a\udcff \u202eb"


def test_long_words_and_messages_are_shortened_in_the_middle():
    told = readable(f"label {'a' * 50_000}{'z' * 50_000} is unknown")
    assert told.startswith("label aaa") and told.endswith("zzz is unknown") and len(told) < 200
    told = readable("one " * 10_000 + "end")
    assert told.startswith("one ") and told.endswith("end") and len(told) < 1300
    path = "/folder" * 25
    assert readable(path) == path


def test_errors_travel_between_processes():
    for error in (InputError("got \x1b"), MissingExtraError("pip install it")):
        other = pickle.loads(pickle.dumps(error))
        assert type(other) is type(error) and str(other) == str(error)
