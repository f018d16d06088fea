"""Files that are written: completely or not at all, through links and devices, "-" to stdout."""

import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from similearn.errors import FileError, InputTypeError, without_controls

_STDOUT = {Path(name) for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")}
_RUNS = ("=", "+", "-", "@", "\t", "\r", "|")


def as_path(path: Any) -> Path:
    """Return the path of a file, or say that it is none."""
    try:
        return Path(path)
    except TypeError:
        raise InputTypeError(
            f"path is {type(path).__name__}; expected a str or a Path, the name of a file."
        ) from None


def is_stdout(path: str | Path) -> bool:
    """Whether a path names standard output: "-", or what the system calls it."""
    return Path(path) in _STDOUT


@contextmanager
def written(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Give a stream whose content becomes the file when all went well.

    Parameters
    ----------
    path : "-" is standard output. A link is followed. What exists and is no regular file (a
        device, a pipe) is written to, never replaced. Missing folders are made.
    mode : "w" for UTF-8 text, "wb" for bytes

    Raises
    ------
    FileError
        If it cannot be written; then the old file is as it was, and no other is left behind.
    """
    content: IO[Any] = io.BytesIO() if "b" in mode else io.StringIO(newline="")
    yield content
    value = content.getvalue()  # type: ignore[attr-defined]
    data = value if isinstance(value, bytes) else _encoded(value)
    with writing(path):
        _put(as_path(path), data)


@contextmanager
def streamed(path: str | Path) -> Iterator[IO[bytes]]:
    """As `written` of bytes to a file, straight to the disk: for what memory holds only once."""
    with writing(path):
        target = _target(Path(path))
        mode = _mode(target)
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb") as out:
                yield out
            return
        with _replacing(target, mode) as out:
            yield out


def _encoded(text: str) -> bytes:
    """UTF-8; bytes of names that are no UTF-8 as they are, other halves of characters spelled."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def safe_cell(value: Any) -> Any:
    """Return what a CSV file may hold: a text that a spreadsheet would run gets a ' before it.

    Spreadsheets run texts that begin with =, +, -, @ or a tab; numbers stay numbers. Control
    characters are spelled out.
    """
    if not isinstance(value, str):
        return value
    text = without_controls(value)
    if not value.startswith(_RUNS) or _is_number(value):
        return text
    return f"'{text}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn what a full disk and the like raise into a sentence that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise  # whoever reads our output has seen enough
    except OSError as error:
        raise FileError(f"{path} cannot be written: {why_not(error)}.") from error


def why_not(error: OSError) -> str:
    """Say in words why the system refused."""
    told = {
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "the quota of disk space is used up",
        errno.EACCES: "permission denied",
        errno.EPERM: "the system does not permit it",
        errno.EROFS: "the file system is read-only",
        errno.ENAMETOOLONG: "the name is too long",
        errno.ENOTDIR: "a part of its path is a file, not a folder",
        errno.EISDIR: "it is a folder",
    }
    return told.get(
        error.errno or 0, (error.strerror or str(error) or type(error).__name__).lower()
    )


def require_writable(path: str | Path) -> None:
    """Raise the `FileError` that writing to a file would meet, without touching anything."""
    path = Path(path)
    if is_stdout(path):
        return
    with writing(path):
        target = _target(path)
        mode = _mode(target)
        if mode is None:
            _require_room(target.parent)
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        elif not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "permission denied")


def require_folder(path: str | Path) -> None:
    """Raise the `FileError` that writing files into a folder would meet, without making it."""
    path = Path(path)
    mode = None
    with writing(path / "results"):
        mode = _mode(path)
        if mode is None:
            _require_room(path.parent)
        elif stat.S_ISDIR(mode):
            _require_room(path)
    if mode is not None and not stat.S_ISDIR(mode):
        raise FileError(f"{path} is a file; expected a folder, which is made if it is not there.")


def _require_room(folder: Path) -> None:
    """Raise unless files, or the folder itself, can be made here."""
    while _mode(folder) is None:
        folder = folder.parent
    probe = folder / f".similearn-{secrets.token_hex(6)}"
    try:
        probe.touch(exist_ok=False)
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _put(path: Path, data: bytes) -> None:
    if is_stdout(path):
        sys.stdout.flush()
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(data)
        else:  # whoever replaced it takes text
            sys.stdout.write(data.decode("utf-8", "replace"))
        sys.stdout.flush()
        return
    target = _target(path)
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(data)
        return
    with _replacing(target, mode) as out:
        out.write(data)


@contextmanager
def _replacing(target: Path, mode: int | None) -> Iterator[IO[bytes]]:
    """Give a file beside the target, which takes its place when all went well."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.parent / f".similearn-{secrets.token_hex(6)}"
    try:
        with open(unfinished, "xb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if mode is not None:
            os.chmod(unfinished, stat.S_IMODE(mode))
        os.replace(unfinished, target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _target(path: Path) -> Path:
    """Where links lead; a link to nothing leads to the file to be made."""
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    # An open pipe has no path of its own: /dev/fd/3 leads to it, and is written to itself.
    return path if path.exists() and not target.exists() else target


def _mode(path: Path) -> int | None:
    """Type and permissions of what is there, or None."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except ValueError:  # a null character, which no name can hold
        raise OSError(errno.EINVAL, "the name is not valid") from None
