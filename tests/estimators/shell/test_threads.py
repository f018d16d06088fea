"""The number of BLAS threads is lowered by whoever comes first, and given back by the last."""

import threading
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from similearn.estimators.shell import threads
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


def test_a_limit_of_the_thread_itself_keeps_control():
    def other():
        with threadpool_limits(1, user_api="blas"):
            pass

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            pass
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert blas_threads() == before


class OfThreads:
    """A stand-in for MKL, whose number of threads is one of each thread."""

    filepath, internal_api, user_api = "/libmkl_rt.so", "mkl", "blas"

    def __init__(self):
        self.own = threading.local()

    @property
    def number(self):
        return getattr(self.own, "number", 2)

    def limit(self, limits):
        before, self.own.number = self.number, limits
        return SimpleNamespace(restore_original_limits=lambda: setattr(self.own, "number", before))


def test_libraries_with_a_number_for_each_thread(monkeypatch):
    library = OfThreads()
    of_process = threads._controllers()[0]
    of_threads = SimpleNamespace(lib_controllers=[library], limit=library.limit)
    assert threads._has_own_number(library)
    monkeypatch.setattr(threads, "_controllers", lambda: (of_process, of_threads))
    seen, both, left = {}, threading.Barrier(2), threading.Event()

    def second():
        with one_blas_thread():
            seen["second"] = library.number
            both.wait(10)
            left.wait(10)
        seen["second left"] = library.number

    thread = threading.Thread(target=second)
    with one_blas_thread():
        thread.start()
        both.wait(10)
        with one_blas_thread():
            seen["first"] = library.number
    seen["first left"] = library.number
    left.set()
    thread.join()
    assert seen == {"second": 1, "first": 1, "first left": 2, "second left": 2}


def test_failures_give_it_back():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 // 0
    assert blas_threads() == before
