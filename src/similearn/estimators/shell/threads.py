"""Small linear algebra in one thread: others would only wait for each other."""

import threading
from contextlib import nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController


def one_blas_thread(enough=True):
    """Context that keeps BLAS to one thread meanwhile, if that is `enough`.

    The number of threads belongs to the process: the main thread alone changes it, so that
    no two can give it back in the wrong order.
    """
    if not enough or threading.current_thread() is not threading.main_thread():
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller():
    return ThreadpoolController()
