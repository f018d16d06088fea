"""`NeighborTable`: the nearest others of every sample, in memory and in a file."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from similearn.data.checks import require_choice, require_finite
from similearn.data.chunks import map_chunks
from similearn.data.files.archives import opened_archive
from similearn.data.files.contents import as_path, one_line
from similearn.data.files.locating import existing
from similearn.data.files.outputs import streamed
from similearn.data.values import KINDS, Floats, Indices, Kind, as_array
from similearn.errors import FileError, InputError

_VERSION = 1
SEARCHES = ("exact", "descent", "index")


@dataclass(frozen=True, eq=False)
class NeighborTable:
    """The K nearest others of each of n samples, nearest first.

    Parameters
    ----------
    neighbors : (n, K) positions; equally near samples come in their order, none is its own
    values : (n, K), of asymmetric data the means of both directions, inf where a sparse
        dissimilarity knows no further neighbour
    kind : {"similarity", "dissimilarity"}
    digest : names the objects and the function by their content; empty if not known
    method : {"exact", "descent", "index"}, how they were found
    recall_ : share of the true nearest that the table holds, measured where it is not exact
    n_compared : pairs that were compared to find them, where they were counted; else 0
    reason : why this method was chosen, in one sentence; empty if it was asked for

    Examples
    --------
    >>> from similearn import neighbor_table
    >>> table = neighbor_table(["bat", "cat", "cart", "dog"], 2, "levenshtein")
    >>> table.neighbors
    array([[1, 2],
           [0, 2],
           [1, 0],
           [0, 1]])
    >>> table
    <NeighborTable: dissimilarity, 2 nearest of 4 samples>
    """

    neighbors: Indices
    values: Floats
    kind: Kind
    digest: str = ""
    method: str = "exact"
    recall_: float = 1.0
    n_compared: int = 0
    reason: str = ""

    def __post_init__(self) -> None:
        neighbors, values = as_array(self.neighbors, "neighbors"), as_array(self.values, "values")
        require_choice("kind", self.kind, KINDS)
        require_choice("method", self.method, SEARCHES)
        if not 0 <= self.recall_ <= 1:
            raise InputError(f"recall_={self.recall_!r} is no share; expected 0 to 1.")
        if neighbors.ndim != 2 or neighbors.dtype.kind not in "iu":
            raise InputError(
                f"neighbors has shape {neighbors.shape} and type {neighbors.dtype}; expected "
                "positions (n, K)."
            )
        if values.shape != neighbors.shape or values.dtype.kind != "f":
            raise InputError(
                f"values has shape {values.shape} and type {values.dtype}; expected numbers of "
                f"shape {neighbors.shape}, as neighbors."
            )
        n = len(neighbors)
        map_chunks(
            lambda rows: _require_sound(neighbors[rows], values[rows], self.kind, n, rows.start),
            n,
            row_bytes=32 * neighbors.shape[1],
        )
        self.__dict__.update(
            neighbors=neighbors.astype(np.intp, copy=False),
            values=values.astype(np.float64, copy=False),
        )

    def __len__(self) -> int:
        return len(self.neighbors)

    def __repr__(self) -> str:
        n, k = self.neighbors.shape
        told = "" if self.is_exact else f", by {self.method} with recall {self.recall_:.3f}"
        return f"<NeighborTable: {self.kind}, {k} nearest of {n} samples{told}>"

    @property
    def is_exact(self) -> bool:
        """Whether nothing nearer was missed."""
        return self.method == "exact"

    def require_of(self, block: Any) -> None:
        """Refuse a lazy block of other samples, or by another function, than the table is of."""
        if len(self) != len(block) or self.kind != block.kind:
            raise InputError(
                f"The table holds {self.kind} neighbours of {len(self)} samples, but the block "
                f"{block.kind} values of {len(block)}; expected a table of the same samples."
            )
        if self.digest and self.digest != block.source.digest():
            raise InputError(
                "The table is of other objects, or by another function; compute it again by "
                "neighbor_table."
            )

    def save(self, path: Any) -> None:
        """Write the table to an .npz file, which `load` and ``numpy.load`` read."""
        save_arrays(
            path,
            neighbors=compact(self.neighbors),
            values=self.values,
            kind=np.array(self.kind),
            digest=np.array(self.digest),
            version=np.array(_VERSION),
            method=np.array(self.method),
            recall=np.array(self.recall_),
        )

    @classmethod
    def load(cls, path: Any) -> "NeighborTable":
        """Read a table that `save` wrote; what is damaged is refused."""
        names = ("neighbors", "values", "kind", "digest", "version")
        found = load_arrays(path, names, "a table of neighbours", ("method", "recall"))
        try:
            if int(found["version"]) != _VERSION:
                raise FileError(
                    f"{path} is of version {found['version']}, this release reads {_VERSION}; "
                    "compute the table again."
                )
            return cls(
                found["neighbors"],
                found["values"],
                str(found["kind"]),  # type: ignore[arg-type]
                str(found["digest"]),
                method=str(found.get("method", "exact")),  # older files hold exact tables
                recall_=float(found.get("recall", 1.0)),
            )
        except (InputError, TypeError, ValueError) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{path} holds no sound table of neighbours: {error}") from None


def _require_sound(neighbors: Indices, values: Floats, kind: Kind, n: int, first: int) -> None:
    """Refuse rows of a table, from the `first` on, that no search could have found."""
    if neighbors.size and (neighbors.min() < 0 or neighbors.max() >= n):
        raise InputError(f"neighbors holds positions outside of 0 to {n - 1}.")
    if (neighbors == np.arange(first, first + len(neighbors))[:, None]).any():
        raise InputError("neighbors names a sample as its own neighbour.")
    if kind == "similarity" or not (np.isfinite(values) | np.isposinf(values)).all():
        require_finite(values, "values")
    before, after = values[:, :-1], values[:, 1:]
    if (after > before if kind == "similarity" else after < before).any():
        raise InputError("values are not in order; expected the nearest first in each row.")


def compact(positions: Indices) -> Any:
    """Return positions in 32 bits where they fit, as files keep them."""
    small = positions.size == 0 or positions.max() <= np.iinfo(np.int32).max
    return positions.astype(np.int32) if small else positions


def save_arrays(path: Any, **arrays: Any) -> None:
    """Write an .npz file whole or not at all: a killed process leaves the old one."""
    with streamed(as_path(path)) as file:
        np.savez(file, **arrays)


def load_arrays(
    path: Any, names: tuple[str, ...], what: str, optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the named arrays of an .npz file; no size is believed, no objects are unpickled."""
    file = as_path(path)
    try:
        with opened_archive(existing(file)) as archive:
            there = [name for name in optional if f"{name}.npy" in archive.names]
            return {name: archive.array(f"{name}.npy") for name in (*names, *there)}
    except Exception as error:  # a damaged archive makes its libraries raise nearly anything
        raise FileError(
            f"{file} cannot be read as {what}, or is damaged ({one_line(error)}). Remove it, or "
            "name another."
        ) from error
