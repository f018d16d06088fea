"""HDF5 files and Zarr stores, opened in a process of its own.

The libraries that read them are large, and damaged files make them crash, search forever or take
all memory. Here that ends a child, not the caller.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.archives import fill, most_unpacked
from similearn.data.files.contents import word_array
from similearn.errors import FileError, MissingExtraError

_CHILD = Path(__file__).with_name("tree_child.py")
_SECONDS = 5  # of the processor, and one more for each of
_BYTES_A_SECOND = 1_000_000
_TIMES = 4  # the largest array, which the child may hold besides its libraries
_LONGEST_ANSWER = 1 << 26


class ArrayApart:
    """One array, which `read` fetches; `size` is of an entry, in bytes."""

    def __init__(self, reader: "_Reader", name: str, shape: tuple[int, ...], size: int) -> None:
        self._reader, self.name, self.shape, self._size = reader, name, shape, size

    def read(self) -> NDArray[Any]:
        """All of it, unless it claims to be larger than its file can hold."""
        size = int(np.prod(self.shape, dtype=float)) * max(self._size, 1)
        if size > self._reader.most:
            raise FileError(
                f"{self._reader.path} announces an array of shape {self.shape}, {size:,} bytes, "
                "but is too small for it: this looks like a damaged or malicious file."
            )
        return self._reader.array(self.name)


class GroupApart(dict[str, Any]):
    """Arrays and groups by name, and the attributes of the group."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        super().__init__()
        self.attrs = attributes

    def add(self, name: str, part: Any) -> None:
        """Enter what lies deeper by its path."""
        first, _, rest = name.partition("/")
        if rest and isinstance(self.get(first), GroupApart):
            self[first].add(rest, part)
        elif not rest:
            self[first] = part

    def arrays(self, prefix: str = "") -> Iterator[tuple[str, ArrayApart]]:
        """All arrays below, by their paths."""
        for name, part in self.items():
            if isinstance(part, GroupApart):
                yield from part.arrays(f"{prefix}{name}/")
            else:
                yield prefix + name, part


@contextmanager
def tree_apart(path: Path, package: str, n_bytes: int) -> Iterator[Any]:
    """Give the `GroupApart` of a file or store, or its one `ArrayApart`."""
    if find_spec(package) is None:
        what = {"h5py": "an HDF5 file", "zarr": "a Zarr store"}[package]
        raise MissingExtraError(
            f"{path} is {what}, which needs the package {package}: pip install {package}."
        )
    most = most_unpacked(n_bytes)
    limits = (str(_SECONDS + n_bytes // _BYTES_A_SECOND), str(_TIMES * most))
    command = [sys.executable, "-P", str(_CHILD), package, str(path.absolute()), *limits]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each would reserve memory
    environment = os.environ | threads | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        yield _Reader(path, child, most).tree()
    finally:
        child.kill()
        child.communicate()


class _Reader:
    """Asks the child, and believes nothing that it says."""

    def __init__(self, path: Path, child: "subprocess.Popen[bytes]", most: int) -> None:
        self.path, self.most, self._child = path, most, child

    def tree(self) -> Any:
        parts = self._answer("its list of arrays")["parts"]
        made = {name: self._part(name, told) for name, told in parts.items()}
        root = made.pop("", None)
        if root is None:
            raise FileError(f"{self.path} is damaged: it holds no group and no array.")
        for name, part in made.items():  # parents come before their children
            root.add(name, part)
        return root

    def _part(self, name: str, told: Any) -> Any:
        if "shape" in told:
            return ArrayApart(self, name, tuple(told["shape"]), told["size"])
        return GroupApart(told["attributes"])

    def array(self, name: str) -> NDArray[Any]:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(name).encode() + b"\n")
        self._child.stdin.flush()
        told = self._answer(f"array {name!r}")
        if told["bytes"] > self.most:
            raise FileError(f"{self.path}: array {name!r} is larger than the file can hold.")
        content = np.empty(told["bytes"], np.uint8)
        fill(self._output, content.data)
        if "words" in told:
            words = json.loads(content.tobytes())
            return word_array(words, f"{self.path}: the words of {name!r}").reshape(told["words"])
        return content.view(np.dtype(told["dtype"])).reshape(told["shape"])

    @property
    def _output(self) -> IO[bytes]:
        assert self._child.stdout is not None
        return self._child.stdout

    def _answer(self, place: str) -> Any:
        line = self._output.readline(_LONGEST_ANSWER)
        if not line.endswith(b"\n"):
            raise FileError(
                f"{self.path} is damaged: the process that read it crashed, or searched in it for "
                "too long. Copy or write it again."
            )
        answer = json.loads(line)
        if "error" in answer:
            raise FileError(f"{self.path}: {place} cannot be read ({answer['error']}).")
        return answer
