"""The one way in which functions are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first call, keep the machine code on disk, release the interpreter lock.

    Threads, not numba's own parallel loops, share the work: they are safe
    inside joblib workers, after a fork, and under any threading layer. Division by zero
    gives inf or NaN, as in NumPy, without a branch that would keep loops from vectorizing.
    """
    return cast(Function, numba.njit(function, cache=True, nogil=True, error_model="numpy"))


def compiled_fused(function: Function) -> Function:
    """`compiled`, and products may be added without rounding in between, in one instruction.

    For factorizations and inner products; not where sums must come out exactly as written.
    """
    return cast(
        Function,
        numba.njit(function, cache=True, nogil=True, error_model="numpy", fastmath={"contract"}),
    )


def compiled_loosely(function: Function) -> Function:
    """`compiled_fused`, and sums in any order, and no care for NaN: whole vectors at a time.

    For guesses that are verified afterwards.
    """
    flags = {"contract", "reassoc", "nnan", "nsz"}
    return cast(
        Function,
        numba.njit(function, cache=True, nogil=True, error_model="numpy", fastmath=flags),
    )


def as_input(array: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array in C order of one type, read-only, copied only where it is neither.

    To the compiler the order of an array and whether it may be written are part of its type:
    what compiled code only reads passes through here, so that it is compiled once.
    """
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view
