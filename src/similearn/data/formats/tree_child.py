"""The process in which HDF5 files and Zarr stores are opened; it may crash, hang or grow too large.

`similearn.data.formats.trees_apart` runs this file by its path. It imports nothing of ours, so that
it starts quickly. The first answer lists the arrays and groups; then each line of standard input
names an array, and the answer holds it. Answers are one line of JSON and the bytes that it counts.
"""

import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np

MOST_PARTS = 10_000
DEEPEST = 10
ATTRIBUTES = ("_index", "encoding-type", "shape")  # of AnnData, all that are looked at


def main(package: str, path: str, seconds: str, n_bytes: str) -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    module = import_module(package)
    _limit(int(seconds), int(n_bytes))
    try:
        tree = _opened(module, path)
        parts = dict(_parts(tree, ""))
        listed = {name: told for name, part in parts.items() if (told := _told(part))}
    except Exception as error:
        _answer(answers, {"error": _reason(error)})
        return
    _answer(answers, {"parts": listed})
    for line in sys.stdin.buffer:
        try:
            answer = _array(parts[json.loads(line)])
        except Exception as error:
            answer = ({"error": _reason(error)}, b"")
        _answer(answers, *answer)


def _opened(module: Any, path: str) -> Any:
    if module.__name__ == "h5py":
        return module.File(path, mode="r")
    if os.path.isdir(path):
        return module.open(path, mode="r")
    return module.open(import_module("zarr.storage").ZipStore(path, mode="r"), mode="r")


def _limit(seconds: int, n_bytes: int) -> None:
    """Bound processor time and memory from here on, where the system can."""
    try:
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds += int(used.ru_utime + used.ru_stime)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        held = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + n_bytes, held + n_bytes))
    except (ImportError, OSError, ValueError):
        return


def _parts(tree: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every array and group once; links to elsewhere are not followed."""
    count, waiting = 0, [(name, tree, 0)]
    seen: set[Any] = set()
    while waiting and count <= MOST_PARTS:
        name, part, depth = waiting.pop()
        count += 1
        yield name, part
        if hasattr(part, "shape") or depth > DEEPEST:
            continue
        for child in part:
            if count + len(waiting) > MOST_PARTS:
                break
            inner = _inside(part, child, seen)
            if inner is not None:
                waiting.append((f"{name}/{child}" if name else child, inner, depth + 1))


def _inside(group: Any, name: str, seen: set[Any]) -> Any:
    if type(group).__module__.startswith("h5py"):
        import h5py

        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            return None
        part = group[name]
        address = h5py.h5o.get_info(part.id).addr
        if address in seen or not isinstance(part, h5py.Group | h5py.Dataset):
            return None
        seen.add(address)
        return part
    return group[name]


def _told(part: Any) -> dict[str, Any] | None:
    try:
        return _described(part)
    except (TypeError, ValueError, OSError):
        return None  # of a type that NumPy does not know, or damaged: there may be others


def _described(part: Any) -> dict[str, Any]:
    if hasattr(part, "shape"):
        dtype = part.dtype
        words = dtype.kind in "OT"
        return {
            "shape": [int(s) for s in part.shape or ()],
            "size": 16 if words else dtype.itemsize,
        }
    attributes = {}
    for name in ATTRIBUTES:
        if name in part.attrs:
            found = part.attrs[name]
            attributes[name] = found.tolist() if hasattr(found, "tolist") else found
    return {"attributes": {name: _plain(value) for name, value in attributes.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value[:16]]
    return value if isinstance(value, int) else _text(value)


def _array(part: Any) -> tuple[dict[str, Any], Any]:
    elsewhere = getattr(part, "external", None) or getattr(part, "is_virtual", False)
    if elsewhere or part.shape is None:
        raise ValueError("its numbers are empty or in other files, which are not read")
    array = np.asarray(part[...])
    if array.dtype.kind in "OT":
        content = json.dumps([_text(item) for item in array.ravel()]).encode()
        return {"words": list(array.shape), "bytes": len(content)}, content
    if array.dtype.kind not in "biufSU":
        raise ValueError(f"it holds values of type {array.dtype}")
    array = np.ascontiguousarray(array).reshape(array.shape)
    told = {"dtype": array.dtype.str, "shape": list(array.shape), "bytes": array.nbytes}
    return told, array.reshape(-1).view(np.uint8).data if array.nbytes else b""


def _text(item: Any) -> str:
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it needs more memory than such a file may"
    return " ".join(str(error).split())[:300] or type(error).__name__


def _answer(answers: IO[bytes], told: dict[str, Any], content: Any = b"") -> None:
    answers.write(json.dumps(told).encode() + b"\n")
    answers.write(content)
    answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
