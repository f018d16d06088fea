"""Values that were computed once, kept on disk: a memory map that later processes go on with."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.contents import as_path
from similearn.data.files.outputs import require_folder, writing
from similearn.data.lazy.pair_source import PairSource, row_by_row
from similearn.data.lazy.pair_views import WholeView, slice_of
from similearn.data.values import Floats, Indices, Kind
from similearn.errors import FileError

Bits = NDArray[np.uint64]

_ROWS_LOOKED_AT = 8
_LOOKED_AT_IN_A_ROW = 2
_SAME = 1e-9  # of two evaluations of one pair; sums may be rounded in another order


class CachedPairs(WholeView):
    """All pairs of another source; what was computed once is read from a file.

    Parameters
    ----------
    source : what computes the values
    folder : where the file is, named by the content of the objects and of the function

    Notes
    -----
    The file is an .npy memory map (M, N) of the complements of the values' bits. A new file is all
    zeros, and zero is the complement of a NaN, which no value is: an entry is either not known or
    whole, so that nothing need be kept beside it, and a process may be killed at any time.
    8 M N bytes of disk are reserved at once, since a map that meets a full disk ends the process.
    Of a symmetric source of objects with themselves each pair is entered from both sides.
    """

    def __init__(self, source: PairSource, folder: Any) -> None:
        folder = as_path(folder)
        require_folder(folder)
        self.source, self.path = source, folder / f"{source.digest()}.npy"
        if not self.path.exists():
            _make(self.path, source.shape)
        self.bits = _opened(self.path, source.shape)
        self._require_same_values()

    @property
    def kind(self) -> Kind:
        """Whether large or small values mean near."""
        return self.source.kind

    def forward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(row object, column object)."""
        found = np.array(self.bits[slice_of(rows)][:, slice_of(columns)])
        missing = found == 0
        if missing.any():
            own, others = missing.any(axis=1), missing.any(axis=0)
            place = np.ix_(own, others)
            computed = self.source.forward(rows[own], columns[others])
            found[place] = ~np.ascontiguousarray(computed).view(np.uint64)
            self._enter(rows[own], columns[others], found[place])
        return np.invert(found, out=found).view(np.float64)

    def backward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(column object, row object); kept of objects with themselves alone."""
        if not self.same:
            return self.source.backward(rows, columns)
        return np.ascontiguousarray(self.forward(columns, rows).T)

    def pairs(self, rows: Indices, columns: Indices, *, turned: bool = False) -> Floats:
        """ψ of single pairs, (p,)."""
        if turned and not self.same:
            return self.source.pairs(rows, columns, turned=True)
        return row_by_row(self.forward, *((columns, rows) if turned else (rows, columns)))

    def square(self, columns: Indices) -> Floats:
        """ψ among column objects; kept of objects with themselves alone."""
        return self.forward(columns, columns) if self.same else self.source.square(columns)

    def self_values(self, rows: Indices) -> Floats:
        """ψ(a, a) of row objects."""
        return self.source.self_values(rows)

    def digest(self) -> str:
        """A name for the objects and the function by their content."""
        return self.source.digest()

    def only(self, rows: Indices) -> Any:
        """The source of some of its objects with themselves, without the file."""
        return self.source.only(rows)

    def __reduce__(self) -> Any:
        return _reopened, (self.source, str(self.path))

    def _enter(self, rows: Indices, columns: Indices, bits: Bits) -> None:
        self.bits[np.ix_(rows, columns)] = bits
        if self.same and self.symmetric:
            self.bits[np.ix_(columns, rows)] = bits.T

    def _require_same_values(self) -> None:
        """Compare some values with the function's: its code may have changed, the file decayed."""
        m = self.shape[0]
        for row in np.unique(np.linspace(0, m - 1, min(m, _ROWS_LOOKED_AT)).astype(np.intp)):
            known = np.flatnonzero(self.bits[row])
            for column in known[:: max(len(known) // _LOOKED_AT_IN_A_ROW, 1)]:
                kept = (~self.bits[row, column : column + 1]).view(np.float64)
                value = self.source.forward(np.array([row]), np.array([column]))[0]
                if not np.allclose(kept, value, rtol=_SAME, atol=0.0):
                    raise FileError(
                        f"{self.path} holds {kept[0]:g} for the pair ({row}, {column}), which "
                        f"{self.name} gives as {value[0]:g}: the function has changed, or the "
                        "file is damaged. Remove it to begin anew."
                    )


def _make(path: Path, shape: tuple[int, int]) -> None:
    """Make a file that knows nothing; its disk space is reserved, and it is there whole."""
    unfinished = path.with_name(f".{path.name}-{secrets.token_hex(6)}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            np.lib.format.open_memmap(unfinished, "w+", np.uint64, shape)
            if hasattr(os, "posix_fallocate"):
                with open(unfinished, "r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, unfinished.stat().st_size)
            os.replace(unfinished, path)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)


def _opened(path: Path, shape: tuple[int, int]) -> Bits:
    try:
        bits = np.lib.format.open_memmap(path, "r+")
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"{path} cannot be mapped: {error}. Remove it to begin anew.") from None
    if bits.shape != shape or bits.dtype != np.uint64:
        raise FileError(
            f"{path} holds {bits.dtype} {bits.shape}; expected uint64 {shape}, as a cache of this "
            "block has them. Remove it, or name another folder."
        )
    return bits


def _reopened(source: PairSource, path: str) -> Any:
    """The same in another process, not looked at again; on a machine without the file, the source.

    Workers of other machines then compute what they are asked for, and nothing is wrong.
    """
    if not Path(path).exists():
        return source
    made = CachedPairs.__new__(CachedPairs)
    made.source, made.path = source, Path(path)
    made.bits = _opened(made.path, source.shape)
    return made
