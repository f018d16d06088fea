"""Where machine code is kept, and what it depends on.

numba looks at a function's own file only: it would go on using machine code into which an
older version of a function of another file was compiled. So the folder of the machine code
is named by a digest of all that goes into it: numba's version, the processor and every source
of `similearn.numerics`. numba itself is imported here only where something is to be compiled.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

_SOURCES = Path(__file__).parent
_PREFIX = "similearn-"
_KEPT = 4  # folders of other versions: an older release, another branch, another processor
_UNUSED = 3600.0  # seconds after which one more than those may go


@cache
def folder_of_code() -> Path | None:
    """The folder of this version's machine code; None where there is none that can be written."""
    digest = stamp(_SOURCES)
    return None if digest is None else cache_folder(list(_bases()), _PREFIX + digest)


def nothing_kept() -> bool:
    """Whether no machine code is kept yet, so that all that is used will be compiled."""
    folder = folder_of_code()
    return folder is None or not any(folder.rglob("*.nbc"))


def stamp(sources: Path) -> str | None:
    """Digest of all that machine code depends on; None where there are no sources to read."""
    import numba

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
    import llvmlite.binding as llvm

    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # LLVM does not know them on every system
        features = ""
    settings = numba_settings()
    name = settings.CPU_NAME or llvm.get_host_cpu_name()
    return f"{name} {features if settings.CPU_FEATURES is None else settings.CPU_FEATURES}"


def numba_settings() -> Any:
    """Numba's settings, as the user's environment variables make them."""
    import numba

    return numba.config


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
    told = numba_settings().CACHE_DIR
    if told:
        yield Path(told)
        return
    yield _SOURCES / "__pycache__"
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "similearn"
            return
    home = os.path.expanduser("~")
    if os.path.isabs(home):
        yield Path(home) / ".cache" / "similearn"
