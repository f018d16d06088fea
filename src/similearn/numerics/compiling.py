"""The one way in which functions are compiled: at their first call, and once per machine.

A function that is marked here stays a Python object until it is called. Only then is numba
imported, is the machine code looked for in the folder of `kept_code`, and is the function
compiled if it is not there. So whoever imports `similearn` does not wait for a compiler.
"""

import functools
import gc
import logging
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.kept_code import folder_of_code, nothing_kept, numba_settings

__all__ = [
    "as_input",
    "compiled",
    "compiled_any_order",
    "compiled_fused",
    "compiled_within",
    "compiling_seconds",
    "is_loaded",
    "nothing_kept",
    "say_nothing",
    "say_so",
]

Function = TypeVar("Function", bound=Callable[..., Any])

logger = logging.getLogger("similearn")

_TOLD_AFTER = 1.0  # seconds of compiling
# What numba raises where the files of machine code are damaged, or cannot be written.
_FILES_AT_FAULT = (OSError, EOFError, pickle.UnpicklingError)


def compiled(function: Function) -> Function:
    """Compile on first call, keep the machine code on disk, release the interpreter lock.

    Threads, not numba's own parallel loops, share the work: they are safe
    inside joblib workers, after a fork, and under any threading layer. Division by zero
    gives inf or NaN, as in NumPy, without a branch that would keep loops from vectorizing.
    """
    return cast(Function, Compiled(function))


def compiled_fused(function: Function) -> Function:
    """`compiled`, and products may be added without rounding in between, in one instruction.

    For factorizations and inner products; not where sums must come out exactly as written.
    """
    return cast(Function, Compiled(function, fastmath={"contract"}))


def compiled_within(function: Function) -> Function:
    """Compile as a part of the functions that call it, by their rules of rounding.

    For a part that has one caller: compiled by itself as well, it would be compiled twice.
    """
    return cast(Function, Compiled(function, inline="always"))


def compiled_any_order(function: Function) -> Function:
    """`compiled_fused`, and sums in any order: whole vectors at a time.

    The order depends on nothing but the number of summands.
    """
    return cast(Function, Compiled(function, fastmath={"contract", "reassoc"}))


def as_input(array: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array in C order of one type, read-only, copied only where it is neither.

    To the compiler the order of an array and whether it may be written are part of its type:
    what compiled code only reads passes through here, so that it is compiled once.
    """
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


class Compiled:
    """A function, and its machine code for every kind of arguments that it was called with.

    Nothing about the files of machine code ends a call or changes an answer: where they are
    damaged or belong to other arguments they are made again, and where they cannot be written
    the function is compiled for this process alone.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._options = {"nogil": True, "error_model": "numpy", **options}
        self._made: dict[bool, Any] = {}  # numba's functions, kept on disk or not
        self._ready: dict[Any, Any] = {}  # which of them serves which kinds of arguments

    def __call__(self, *arguments: Any) -> Any:
        kinds = tuple([_kind(one) for one in arguments])
        ready = self._ready.get(kinds) or self._prepared(kinds, arguments)
        return ready(*arguments)

    def __reduce__(self) -> str:  # processes find it by its name, as they find any function
        return cast(str, self.__qualname__)  # type: ignore[attr-defined]

    def for_callers(self, kept: bool) -> Any:
        """The same as numba knows it, with what it calls: a part of functions that call it."""
        if kept not in self._made:
            known = dict(self._function.__globals__)
            for name in _names(self._function.__code__):
                if isinstance(known.get(name), Compiled):
                    known[name] = known[name].for_callers(kept)
            self._made[kept] = _by_numba(_copy(self._function, known), kept, self._options)
        return self._made[kept]

    def _prepared(self, kinds: Any, arguments: tuple[Any, ...]) -> Any:
        import numba

        types = tuple(numba.typeof(one) for one in arguments)
        with _LOCK, _counted():
            self._ready[kinds] = self._compiled_for(types)
        return self._ready[kinds]

    def _compiled_for(self, types: tuple[Any, ...]) -> Any:
        for again in (False, True):
            try:
                made = self.for_callers(kept=True)
                if again:
                    made.recompile()  # forgets what was kept of it
                made.compile(types)
            except _FILES_AT_FAULT as error:
                logger.info("Machine code of %s was not kept: %s", self._function.__name__, error)
                continue
            _clock.compiles |= types in made.stats.cache_misses
            if types in made.signatures:  # else two processes took one file for two signatures
                return made
        made = self.for_callers(kept=False)
        made.compile(types)
        _clock.compiles = True
        return made


def is_loaded(function: Callable[..., Any]) -> bool:
    """Whether this process has machine code of a function, for whatever arguments."""
    return bool(cast(Compiled, function)._ready)


def compiling_seconds() -> float:
    """Processor seconds that this process has spent on compiling our functions so far."""
    return _clock.seconds


def say_so() -> None:
    """Say that functions are being compiled, unless this process has said so already."""
    if not _clock.told:
        _clock.told = True
        logger.warning(_message(folder_of_code()))


def say_nothing() -> None:
    """Leave it to another process to `say_so`: for workers of a comparison."""
    _clock.told = True


class _Clock:
    """What compiling has taken so far, also to load what was kept, and whether the user was told.

    To load takes time, too, on a slow machine; `compiles` is whether anything was compiled anew,
    `anew` are the seconds since then.
    """

    seconds = 0.0
    anew = 0.0
    compiles = False
    told = False


_clock = _Clock()
_LOCK = threading.RLock()


@contextmanager
def _counted() -> Iterator[None]:
    """Add up what is done inside, and say so where it is over a second with what was before.

    Compiling makes hundreds of thousands of objects that stay: looking for garbage among them
    would take a twentieth of its time.
    """
    timer = threading.Timer(max(_TOLD_AFTER - _clock.anew, 0.0), say_so)
    timer.daemon = True
    collecting = gc.isenabled()
    gc.disable()
    begun = time.thread_time()
    if _clock.compiles and not _clock.told:
        timer.start()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        timer.cancel()
        took = time.thread_time() - begun
        _clock.seconds += took
        _clock.anew += took if _clock.compiles else 0.0
        if _clock.anew > _TOLD_AFTER:
            say_so()


def _kind(argument: Any) -> Any:
    """What the compiler distinguishes, quicker than it tells its own types."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        order = flags.c_contiguous, flags.f_contiguous, flags.writeable
        return argument.dtype, argument.ndim, order
    return argument.__class__ if argument is not None else None


def _names(code: CodeType) -> Iterator[str]:
    """Global names that a function uses, and functions inside it."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _copy(function: Any, known: dict[str, Any]) -> Any:
    """The same function among other globals."""
    copy = FunctionType(
        function.__code__, known, function.__name__, function.__defaults__, function.__closure__
    )
    return functools.update_wrapper(copy, function)


def _by_numba(function: Any, kept: bool, options: dict[str, Any]) -> Any:
    import numba

    folder = folder_of_code() if kept else None
    if folder is None:
        return numba.njit(function, **options)
    settings = numba_settings()
    users = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder)  # numba reads it here, while it makes the function
    try:
        return numba.njit(function, cache=True, **options)
    except RuntimeError:  # "cannot cache function": the folder has gone, or numba was told not to
        return numba.njit(function, **options)
    finally:
        settings.CACHE_DIR = users


def _message(folder: Path | None) -> str:
    """What is said of compiling."""
    if folder is not None:
        kept = f"kept for later runs in {folder}"
    else:
        kept = (
            "not kept, as there is no folder that can be written; set NUMBA_CACHE_DIR to one "
            "and it is done once only"
        )
    return f"similearn is compiling for the first time, a few seconds per method; {kept}."
