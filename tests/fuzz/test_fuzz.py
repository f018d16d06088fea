"""Some cases of the attacker; and the attacker itself, attacked."""

import tempfile
import time
import warnings
from multiprocessing import Pipe

import numpy as np
import pytest

from similearn.errors import InputError, SimilearnWarning
from tests.fuzz import children
from tests.fuzz.__main__ import summary
from tests.fuzz.cases import KINDS, cases, kind_of, play_case
from tests.fuzz.children import run_in_children
from tests.fuzz.deaths import die
from tests.fuzz.known import KNOWN
from tests.fuzz.outcomes import BrokenPromise, outcome_of, require_finite, require_probabilities
from tests.thinning import some

SEED, CASES = 14, some(288)  # by default as many as all kinds of cases take


def test_no_case_fails_but_the_known_ones():
    reports = list(run_in_children(cases(SEED, CASES), play_case))
    assert len(reports) == CASES
    assert {case[0] for case, _, _ in reports} == set(KINDS)
    failures = {outcome.signature for _, outcome, _ in reports if not outcome.fine}
    assert failures == set(KNOWN), summary(reports)


def test_a_case_is_the_same_whenever_it_is_drawn():
    for kind in KINDS:
        told = [[], []]
        outcomes = [play_case((kind, 3, 5), steps.append) for steps in told]
        assert told[0] == told[1] and told[0]
        assert outcomes[0] == outcomes[1]
    assert kind_of(4, "api") == "estimators" and kind_of(5, "api") == "functions"


def raising(error):
    def play():
        raise error

    return play


def warning(category):
    def play():
        warnings.warn("told", category, stacklevel=1)

    return play


@pytest.mark.parametrize(
    ("play", "name"),
    [
        (lambda: None, "ok"),
        (lambda: "sentence", "sentence"),
        (raising(InputError("X has 3 rows; expected 4. Pass the other one.")), "sentence"),
        (raising(ValueError("could not broadcast")), "foreign"),
        (raising(OSError("no such file")), "foreign"),
        (raising(IndexError("5 is out of bounds")), "internal"),
        (raising(ZeroDivisionError()), "internal"),
        (raising(np.linalg.LinAlgError("singular")), "internal"),
        (raising(MemoryError()), "memory"),
        (raising(BrokenPromise("labels", "predict")), "labels"),
        (warning(SimilearnWarning), "ok"),
        (warning(RuntimeWarning), "warning"),
        (lambda: require_finite(np.array([0.0, np.nan]), "predict"), "nan"),
        (lambda: require_finite(np.array([0.0, -np.inf]), "log", minus_infinity=True), "ok"),
        (lambda: require_probabilities(np.array([[0.5, 0.6]]), "predict_proba"), "probabilities"),
        (lambda: require_probabilities(np.array([[1.5, -0.5]]), "predict_proba"), "probabilities"),
        (lambda: require_probabilities(np.array([[0.5, 0.5]]), "predict_proba"), "ok"),
    ],
)
def test_outcomes_are_told_apart(play, name):
    assert outcome_of(play).name == name


def test_an_unreadable_sentence_is_a_failure():
    error = InputError("fine")
    error.args = ("y holds np.int64(0)",)
    assert outcome_of(raising(error)).name == "unreadable"
    error.args = ("",)
    assert outcome_of(raising(error)).name == "unreadable"


def test_children_that_die_are_replaced(monkeypatch, tmp_path):
    """A crash, a hang, too much memory and a wait without work are told; the next case runs.

    To wait for a process that works is no fault.
    """
    monkeypatch.setattr(children, "SECONDS", 1.0)
    monkeypatch.setattr(children, "WALL_SECONDS", 4.0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    reports = list(run_in_children([("die", 0, number) for number in range(6)], die))
    assert not list(tmp_path.iterdir())
    names = [outcome.name for _, outcome, _ in reports]
    assert names == ["crash", "hang", "memory", "hang", "ok", "ok"]
    assert all(steps == ["dying"] for _, _, steps in reports)


def test_time_in_which_all_were_stopped_is_not_waited():
    here, other = Pipe()
    child = children.Child.__new__(children.Child)
    child.pipe, child.waited, child.looked = here, 0.0, time.monotonic() - 1000
    assert child.report() is None
    assert child.waited == children.LOOK_SECONDS
    other.close()
