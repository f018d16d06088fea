"""The one way in which functions are compiled, and where their machine code is kept.

numba looks at a function's own file only: it would go on using machine code into which an
older version of a function of another file was compiled. So the folder of the machine code
is named by a digest of all that goes into it: numba's version, the processor and every source
of `similearn.numerics`.
"""

import hashlib
import logging
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import event  # "for applications", as numba's manual says
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

logger = logging.getLogger("similearn")
settings: Any = numba.config

_PREFIX = "similearn-"
_KEPT = 4  # folders of other versions: an older release, another branch, another processor
_UNUSED = 3600.0  # seconds after which one more than those may go
_TOLD_AFTER = 1.0  # seconds of compiling


def compiled(function: Function) -> Function:
    """Compile on first call, keep the machine code on disk, release the interpreter lock.

    Threads, not numba's own parallel loops, share the work: they are safe
    inside joblib workers, after a fork, and under any threading layer. Division by zero
    gives inf or NaN, as in NumPy, without a branch that would keep loops from vectorizing.
    """
    return _compiled(function)


def compiled_fused(function: Function) -> Function:
    """`compiled`, and products may be added without rounding in between, in one instruction.

    For factorizations and inner products; not where sums must come out exactly as written.
    """
    return _compiled(function, fastmath={"contract"})


def compiled_within(function: Function) -> Function:
    """Compile as a part of the functions that call it, by their rules of rounding.

    For a part that has one caller: compiled by itself as well, it would be compiled twice.
    """
    return _compiled(function, inline="always")


def compiled_any_order(function: Function) -> Function:
    """`compiled_fused`, and sums in any order: whole vectors at a time.

    The order depends on nothing but the number of summands.
    """
    return _compiled(function, fastmath={"contract", "reassoc"})


def as_input(array: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array in C order of one type, read-only, copied only where it is neither.

    To the compiler the order of an array and whether it may be written are part of its type:
    what compiled code only reads passes through here, so that it is compiled once.
    """
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def compiling_seconds() -> float:
    """Processor seconds that this process has spent on compiling our functions so far."""
    return _clock.seconds


def nothing_kept() -> bool:
    """Whether no machine code is kept yet, so that all that is used will be compiled."""
    return _FOLDER is None or not any(_FOLDER.rglob("*.nbc"))


def say_so() -> None:
    """Say that functions are being compiled, unless this process has said so already."""
    if not _clock.told:
        _clock.told = True
        logger.warning(_message(_FOLDER))


def say_nothing() -> None:
    """Leave it to another process to `say_so`: for workers of a comparison."""
    _clock.told = True


def stamp(sources: Path) -> str | None:
    """Digest of all that machine code depends on; None where there are no sources to read."""
    files = sorted(sources.rglob("*.py"))
    digest = hashlib.blake2b(f"{numba.__version__}\0{processor()}\0".encode(), digest_size=8)
    try:
        for file in files:
            digest.update(f"{file.relative_to(sources)}\0".encode() + file.read_bytes() + b"\0")
    except OSError:
        return None
    return digest.hexdigest() if files else None


def processor() -> str:
    """Name and features of the processor that machine code is for."""
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # LLVM does not know them on every system
        features = ""
    name = settings.CPU_NAME or llvm.get_host_cpu_name()
    return f"{name} {features if settings.CPU_FEATURES is None else settings.CPU_FEATURES}"


def cache_folder(bases: list[Path], name: str) -> Path | None:
    """First folder ``base/name`` that can be written, made if need be; None if there is none.

    Where it is new, all but the newest few of our folders beside it are removed.
    """
    for base in bases:
        folder = base / name
        try:
            new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(b"writable")
            os.utime(folder)  # the time of its last use
        except OSError:
            continue
        if new:
            _remove_old(base, folder)
        return folder
    return None


def _remove_old(base: Path, own: Path) -> None:
    """Processes that still use a folder make it again when they next write to it."""
    used = {f: _last_use(f) for f in base.glob(f"{_PREFIX}*") if f.is_dir() and f != own}
    newest_first = sorted(used, key=lambda folder: -used[folder])
    for folder in newest_first[_KEPT:]:
        if time.time() - used[folder] > _UNUSED:
            shutil.rmtree(folder, ignore_errors=True)


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


def _bases() -> Iterator[Path]:
    """Where machine code may be kept: where the user says; else beside the sources, or at home."""
    if settings.CACHE_DIR:
        yield Path(settings.CACHE_DIR)
        return
    yield _SOURCES / "__pycache__"
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "similearn"
            return
    home = os.path.expanduser("~")
    if os.path.isabs(home):
        yield Path(home) / ".cache" / "similearn"


def _compiled(function: Function, **options: Any) -> Function:
    options |= {"nogil": True, "error_model": "numpy"}
    if _FOLDER is None:
        return cast(Function, numba.njit(function, **options))
    users = settings.CACHE_DIR
    settings.CACHE_DIR = str(_FOLDER)  # numba reads it here, while it makes the function
    try:
        return cast(Function, _kept_with_care(numba.njit(function, cache=True, **options)))
    except RuntimeError:  # "cannot cache function": the folder has gone, or numba was told not to
        return cast(Function, numba.njit(function, **options))
    finally:
        settings.CACHE_DIR = users


def _kept_with_care(function: Any) -> Any:
    """Let nothing about the files of machine code end a call or change an answer.

    numba raises what the disk says when it is full. And of two processes that save two
    signatures of one function at once, each may take the other's file for its own.
    """
    cache = getattr(function, "_cache", None)
    save, load = getattr(cache, "save_overload", None), getattr(cache, "load_overload", None)
    if cache is None or save is None or load is None:  # another numba keeps it otherwise
        return function

    def save_if_possible(signature: Any, compiled: Any) -> None:
        try:
            save(signature, compiled)
        except OSError as error:
            logger.info("Machine code was not kept: %s", error)

    def load_if_sound(signature: Any, context: Any) -> Any:
        try:
            found = load(signature, context)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None
        sound = found is not None and tuple(found.signature.args) == tuple(signature)
        return found if sound else None

    cache.save_overload, cache.load_overload = save_if_possible, load_if_sound
    return function


class _Clock(event.Listener):
    """Adds up what compiling our functions takes; says so, once, when it is over a second.

    numba compiles one function at a time, and those that it calls within.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._under_way: list[bool] = []
        self._begun = 0.0
        self.told = False

    def on_start(self, event: Any) -> None:
        """Begin, unless a function is compiled for another of ours."""
        module = getattr(event.data["dispatcher"].py_func, "__module__", None) or ""
        if not any(self._under_way):
            self._begun = time.thread_time()
        self._under_way.append(module.startswith("similearn."))
        self._tell()

    def on_end(self, event: Any) -> None:
        """Add what was begun."""
        self._tell()
        if self._under_way.pop() and not any(self._under_way):
            self.seconds += time.thread_time() - self._begun

    def _tell(self) -> None:
        if any(self._under_way):
            if self.seconds + time.thread_time() - self._begun > _TOLD_AFTER:
                say_so()


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


_SOURCES = Path(__file__).parent
_STAMP = stamp(_SOURCES)
_FOLDER = None if _STAMP is None else cache_folder(list(_bases()), _PREFIX + _STAMP)
_clock = _Clock()
event.register("numba:compile", _clock)
