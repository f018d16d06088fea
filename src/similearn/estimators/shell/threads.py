"""Small linear algebra in one thread: others would only wait for each other."""

import threading
from contextlib import contextmanager
from functools import cache

import threadpoolctl


@contextmanager
def one_blas_thread(enough=True):
    """Context that keeps BLAS to one thread meanwhile, if that is `enough`.

    The number of threads belongs to the process. So who comes first lowers it, in whatever
    thread, and who leaves last gives back what was found.
    """
    if not enough:
        yield
        return
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


class _SharedLimit:
    """The limit of the process, and how many work under it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._users, self._limit = 0, None

    def enter(self):
        with self._lock:
            if self._users == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
                _give_up_control()
            self._users += 1

    def leave(self):
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limit.restore_original_limits()
                self._limit = None
                _give_up_control()


def _give_up_control():
    """Let any thread restore the limit: from 3.8 threadpoolctl heeds that which set it only."""
    release = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if release is not None:
        release()


_LIMIT = _SharedLimit()


@cache
def _controller():
    return threadpoolctl.ThreadpoolController()
