"""Small linear algebra in one thread: others would only wait for each other."""

import threading
from contextlib import contextmanager
from functools import cache

import threadpoolctl


@contextmanager
def one_blas_thread(enough=True):
    """Context that keeps BLAS to one thread meanwhile, if that is `enough`.

    Most libraries have one number of threads for the process: who comes first lowers it, in
    whatever thread, and who leaves last gives back what was found. MKL, and what OpenMP runs, have
    one for each thread.
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
    """The limits of the process and of each thread, and how many work under them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._users, self._limit = 0, None
        self._own = threading.local()

    def enter(self):
        of_process, of_threads = _controllers()
        with self._lock:
            if self._users == 0:
                self._limit = of_process.limit(limits=1)
                _give_up_control()
            self._users += 1
        if of_threads.lib_controllers:
            self._own.depth = getattr(self._own, "depth", 0) + 1
            if self._own.depth == 1:
                self._own.limit = of_threads.limit(limits=1)

    def leave(self):
        if _controllers()[1].lib_controllers:
            self._own.depth -= 1
            if self._own.depth == 0:
                self._own.limit.restore_original_limits()
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limit.restore_original_limits()
                self._limit = None
                _give_up_control()


def _give_up_control():
    """Let any thread restore the limit: from 3.8 threadpoolctl heeds that which set it only.

    A limit around ours, in this thread, keeps control.
    """
    holders = getattr(threadpoolctl, "CONTROLLING_THREAD_OWNERSHIP", None)
    if holders is not None:
        holders.increment()
        holders.decrement()  # the last one to leave clears it


_LIMIT = _SharedLimit()


@cache
def _controllers():
    """What limits BLAS libraries of one number of threads, and those of one for each thread."""
    found = threadpoolctl.ThreadpoolController().select(user_api="blas")
    of_threads = [lib.filepath for lib in found.lib_controllers if _has_own_number(lib)]
    of_process = [lib.filepath for lib in found.lib_controllers if lib.filepath not in of_threads]
    return found.select(filepath=of_process), found.select(filepath=of_threads)


def _has_own_number(library):
    """Whether threadpoolctl sets the number of the calling thread alone: it does from 3.8 on."""
    if not hasattr(threadpoolctl, "CONTROLLING_THREAD_OWNERSHIP"):
        return False
    return library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp"
