"""The number of BLAS threads is lowered by the main thread alone, and given back."""

import threading

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


def test_other_threads_leave_it_alone():
    seen = []

    def elsewhere():
        with one_blas_thread():
            seen.append(blas_threads())

    with threadpool_limits(2, user_api="blas"):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert seen == [blas_threads()]
