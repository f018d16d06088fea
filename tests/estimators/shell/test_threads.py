"""The number of BLAS threads is lowered by whoever comes first, and given back by the last."""

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from similearn.estimators.shell.threads import one_blas_thread


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


def test_limits_are_nested_and_restored():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            assert blas_threads() == {1}
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == before
        with one_blas_thread(False):
            assert blas_threads() == before


def test_any_thread_lowers_it_and_the_last_gives_it_back():
    inside, others_left = threading.Event(), threading.Event()
    seen = {}

    def first():
        with one_blas_thread():
            inside.set()
            others_left.wait(10)
            seen["first, alone"] = blas_threads()

    def second():
        inside.wait(10)
        with one_blas_thread():
            seen["both"] = blas_threads()
        seen["second left"] = blas_threads()
        others_left.set()

    before = blas_threads()
    threads = [threading.Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {who: {1} for who in ("both", "second left", "first, alone")}
    assert blas_threads() == before


def test_failures_give_it_back():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 // 0
    assert blas_threads() == before
