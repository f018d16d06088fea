"""All pairs: how often a function is called, by whom, and what is said of bad values."""

import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from similearn.errors import InputError
from similearn.similarities import (
    Euclidean,
    FunctionSimilarity,
    Similarity,
    TverskyContrast,
    TverskyRatio,
    evaluate_block,
    evaluate_square,
)

WORDS = ["to", "be", "or", "not", "that", "is", "the", "question"]


def minus(a, b):
    return len(a) - 2 * len(b)


def process_of(a, b):
    return os.getpid()


def asymmetric(function):
    return FunctionSimilarity(function, kind="similarity", symmetric=False, name="mine")


def symmetric(function):
    return FunctionSimilarity(function, kind="similarity", symmetric=True, name="mine")


class Counting:
    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, a, b):
        self.calls += 1
        return self.function(a, b)


@pytest.mark.parametrize("n", [1, 2, 8])
def test_a_symmetric_function_is_evaluated_once_a_pair(n):
    count = Counting(lambda a, b: len(a) * len(b))
    values = evaluate_square(symmetric(count), WORDS[:n])
    assert count.calls == n * (n + 1) // 2
    assert_array_equal(values, np.outer(*[[len(w) for w in WORDS[:n]]] * 2))


def test_an_asymmetric_function_is_evaluated_in_both_directions():
    count = Counting(minus)
    values = evaluate_square(asymmetric(count), WORDS)
    assert count.calls == len(WORDS) ** 2
    assert_array_equal(values, [[minus(a, b) for b in WORDS] for a in WORDS])


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("declared", [symmetric, asymmetric])
def test_workers_give_the_same_values(n_jobs, declared):
    function = (lambda a, b: len(a) + len(b)) if declared is symmetric else minus
    expected = [[function(a, b) for b in WORDS] for a in WORDS]
    assert_array_equal(evaluate_square(declared(function), WORDS, n_jobs=n_jobs), expected)
    assert_array_equal(
        evaluate_block(declared(function), WORDS[:3], WORDS, n_jobs=n_jobs), expected[:3]
    )


def test_plain_functions_run_in_other_processes():
    used = set(evaluate_square(asymmetric(process_of), WORDS, n_jobs=2).ravel())
    assert os.getpid() not in used
    assert set(evaluate_square(asymmetric(process_of), WORDS).ravel()) == {os.getpid()}


def test_a_function_that_releases_the_lock_runs_in_threads():
    class Compiled(FunctionSimilarity):
        releases_lock = True

    here = Compiled(process_of, kind="similarity", symmetric=False)
    assert set(evaluate_square(here, WORDS, n_jobs=2).ravel()) == {os.getpid()}


class BlocksOfProcesses(Similarity):
    """The process of each block, so that it shows who computed what."""

    kind, symmetric = "similarity", True

    def matrix(self, A, B):
        return np.full((len(A), len(B)), float(os.getpid()))


def test_matrix_forms_that_hold_the_lock_run_in_other_processes():
    mine = BlocksOfProcesses()
    assert os.getpid() not in set(evaluate_square(mine, WORDS, n_jobs=2).ravel())
    assert os.getpid() not in set(evaluate_block(mine, WORDS, WORDS[:3], n_jobs=2).ravel())
    assert set(evaluate_square(mine, WORDS).ravel()) == {os.getpid()}


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_panels_of_processes_are_put_where_they_belong(n):
    product = FromMatrix()
    values = evaluate_square(product, np.arange(1.0, n + 1), n_jobs=2)
    assert_array_equal(values, np.outer(np.arange(1, n + 1), np.arange(1, n + 1)))


class FromMatrix(Similarity):
    kind, symmetric = "similarity", True

    def matrix(self, A, B):
        return np.outer(A, B)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_panels_of_matrix_forms(n_jobs):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3))  # three panels
    values = evaluate_square(Euclidean(), X, n_jobs=n_jobs)
    assert_array_equal(values, Euclidean().matrix(X, X))
    assert_array_equal(evaluate_block(Euclidean(), X[:70], X, n_jobs=n_jobs), values[:70])


def test_rounding_cannot_break_symmetry():
    rng = np.random.default_rng(0)
    rows = rng.integers(2, size=(300, 40))
    model = TverskyContrast(0.3, alpha=0.7, beta=0.7, weights=rng.random(40))
    values = evaluate_square(model, rows)
    assert_array_equal(values, values.T)
    np.testing.assert_allclose(values, model.matrix(rows, rows), atol=1e-12)
    sets = [{1}, {1, 2}, set()]
    assert_array_equal(
        evaluate_square(TverskyRatio(alpha=0.5), sets),
        TverskyRatio(alpha=0.5).matrix(sets, sets),
    )


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (None, "None"),
        ("3", "a value of type str"),
        (1j, "1j"),
        (-(10**400), "an integer beyond all floats"),
        (np.array([1.0, 2.0]), r"a value of type ndarray of shape \(2,\)"),
        (np.array([1.0]), r"a value of type ndarray of shape \(1,\)"),
    ],
)
def test_a_bad_value_names_the_pair(bad, told):
    def spoiled(a, b):
        return bad if (a, b) == ("or", "that") else 1.0

    message = f"mine returned {told} for objects 2 and 4 .*expected one finite number"
    with pytest.raises(InputError, match=message):
        evaluate_square(symmetric(spoiled), WORDS)
    with pytest.raises(InputError, match=f"{told} for query 0 and reference 4"):
        evaluate_block(symmetric(spoiled), ["or"], WORDS)


def test_a_worker_names_the_pair_too():
    with pytest.raises(InputError, match=r"mine returned None for objects 0 and \d"):
        evaluate_square(symmetric(lambda a, b: 1.0 if a == b else None), WORDS[:2], n_jobs=2)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_exception_in_the_function_names_the_pair(n_jobs):
    def failing(a, b):
        return 1 / ((a, b) != ("to", "is"))

    with pytest.raises(ZeroDivisionError) as caught:
        evaluate_block(asymmetric(failing), WORDS, WORDS, n_jobs=n_jobs)
    assert "mine failed on query 0 and reference 5 (counting from 0)." in caught.value.__notes__


def test_all_kinds_of_numbers_are_numbers():
    kinds = iter([True, 2, np.float32(0.5), Fraction(1, 4), 10**30])
    values = evaluate_block(asymmetric(lambda a, b: next(kinds)), [0], range(5))
    assert_array_equal(values, [[1, 2, 0.5, 0.25, 1e30]])
    assert_array_equal(evaluate_block(asymmetric(lambda a, b: np.array(3)), [0], [0]), [[3]])


def test_a_matrix_form_may_not_return_nan():
    class Broken(Euclidean):
        def matrix(self, A, B):
            return np.full((len(A), len(B)), np.nan)

    with pytest.raises(InputError, match="NaN at row 0, column 0"):
        evaluate_block(Broken(), [[1.0]], [[2.0]])


SLOW = """
import faulthandler, os, pathlib, signal, sys, time
faulthandler.register(signal.SIGUSR1, all_threads=True)
signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may ignore it
from similearn.similarities import FunctionSimilarity, evaluate_square
folder = pathlib.Path(sys.argv[1])
def slow(a, b):
    (folder / str(os.getpid())).touch()
    time.sleep(0.05)
    return 1.0
evaluate_square(FunctionSimilarity(slow, kind="similarity", symmetric=True), range(200), n_jobs=2)
"""


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def errors_of_interrupted(process):
    """Interrupt once. A process that goes on tells in the failure where it stands."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGUSR1)
        time.sleep(1.0)
        process.kill()
        told = process.communicate()[1]
        raise AssertionError(f"one interrupt did not end the process:\n{told}") from None


def test_an_interrupt_leaves_no_workers(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, tmp_path], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(workers := list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "KeyboardInterrupt" in errors_of_interrupted(process)
    assert len(workers) == 2, "its workers had not begun"
    while any(alive(int(w.name)) for w in workers) and time.monotonic() < deadline + 60:
        time.sleep(0.1)
    assert not any(alive(int(w.name)) for w in workers)
