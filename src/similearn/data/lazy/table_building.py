"""The exact table of nearest others, tile by tile: each pair once, resumable, by many workers."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.data.chunks import run_tasks
from similearn.data.files.contents import as_path
from similearn.data.files.outputs import require_writable
from similearn.data.lazy.neighbor_tables import NeighborTable, load_arrays, save_arrays
from similearn.data.lazy.pair_source import PairSource
from similearn.data.progress_bar import Show, progress
from similearn.data.stored.directions import mean_of
from similearn.data.values import Floats
from similearn.errors import FileError, InputError
from similearn.numerics.neighbors.running_topk import (
    NOBODY,
    Table,
    empty_table,
    floors_of,
    merge_tables,
    offer_tile,
)

_MOST_ROWS = 4096  # of a task: 16 million pairs, and partial tables of a few MB
_FEWEST_ROWS = 32
_FEWEST_FAST_ROWS = 1024  # where a pair takes less than a microsecond
_TASKS_ACROSS = 28  # so that even few objects make some 400 tasks
_ENTRIES_AT_ONCE = 1 << 18  # of a tile: 2 MB, which stay in the processor's cache
SECONDS_BETWEEN_SAVES = 60.0


def build_table(
    source: PairSource,
    k: int,
    *,
    path: Any = None,
    n_jobs: int | None = None,
    show: Show = "auto",
) -> NeighborTable:
    """Find the k nearest others of every object of a source, exactly; see `neighbor_table`.

    Notes
    -----
    n² / 2 pairs (twice as many values if asymmetric) and O(n k) memory beside the objects. A
    task compares up to 4096 rows with as many columns, in tiles of 2 MB, and keeps the k
    nearest of both; the outcome does not depend on the order in which tasks end.
    """
    n = source.shape[0]
    k = require_integer("k", k, high=n - 1, high_means="number of other samples")
    work = _Work(source, k, path)
    if work.result is not None:
        return work.result
    total, done = n * (n - 1) // 2, work.pairs_done()
    with progress(total, f"Finding neighbours by {source.name}", show=show) as advance:
        advance(done)
        try:
            ending = run_tasks(
                tile_tables, source, work.tasks(), n_jobs=n_jobs, in_threads=source.releases_lock
            )
            for number, found in ending:
                advance(work.enter(number, *found))
        except BaseException:
            work.save()
            raise
    return work.finish()


def tile_tables(
    source: PairSource, k: int, row_start: int, column_start: int, floors: tuple[Floats, Floats]
) -> tuple[Table, Table | None]:
    """Return running tables of the rows and columns of one task; its diagonal has one for both."""
    of_rows, of_columns = (empty_table(len(part), k, part) for part in floors)
    r, c = len(floors[0]), len(floors[1])
    columns = np.arange(column_start, column_start + c)
    on_diagonal = row_start == column_start
    at_once = max(_ENTRIES_AT_ONCE // c, 1)
    if on_diagonal:  # a tile's own square is computed whole: the flatter, the less for nothing
        at_once = min(at_once, max(c // 8, 16))
    for start in range(0, r, at_once):
        part = slice(start, min(start + at_once, r))
        rows = np.arange(row_start + part.start, row_start + part.stop)
        # On the diagonal, left of a tile's own square, pairs were seen from the other side.
        first = part.start if on_diagonal else 0
        offer_tile(
            mean_tile(source, rows, columns[first:]),
            _cut(of_rows, part),
            _cut(of_rows if on_diagonal else of_columns, slice(first, None)),
            first_row=int(rows[0]),
            first_column=column_start + first,
            largest=source.kind == "similarity",
            upper=on_diagonal,
        )
    return of_rows, None if on_diagonal else of_columns


def mean_tile(source: PairSource, rows: Any, columns: Any) -> Floats:
    """½(ψ(a, b) + ψ(b, a)) of some pairs: the values that neighbours are found by."""
    forward = source.forward(rows, columns)
    if source.symmetric:
        return forward
    mean: Floats = mean_of(forward, source.backward(rows, columns), 0.0)
    return mean


def _cut(table: Table, rows: slice) -> Table:
    return table[0][rows], table[1][rows]


class _Work:
    """The table so far, which tasks are done, and the file that keeps both."""

    def __init__(self, source: PairSource, k: int, path: Any) -> None:
        self.source, self.n, self.k = source, source.shape[0], k
        self.path = None if path is None else as_path(path)
        fewest = _FEWEST_FAST_ROWS if source.releases_lock else _FEWEST_ROWS
        self.height = min(max(self.n // _TASKS_ACROSS, fewest), _MOST_ROWS)
        starts = range(0, self.n, self.height)
        self.corners = [(i, j) for i in starts for j in starts if j >= i]
        self.done = np.zeros(len(self.corners), dtype=bool)
        self.table = empty_table(self.n, k)
        self.running: list[int] = []
        self.saved = time.monotonic()
        self.result: NeighborTable | None = None
        if self.path is not None:
            require_writable(self.path)  # now, not after hours
            self.digest = source.digest()
            self._go_on()

    @property
    def part_file(self) -> Path:
        """Where the table is kept until it is whole."""
        assert self.path is not None
        return self.path.with_name(f"{self.path.name}.part")

    def tasks(self) -> Iterator[tuple[Any, ...]]:
        """Arguments of each task that is not done, with the keys that are known to be too far."""
        for number in np.flatnonzero(~self.done).tolist():
            self.running.append(number)
            i, j = self.corners[number]
            rows, columns = self._rows(i), self._rows(j)
            floors = floors_of(_cut(self.table, rows), j), floors_of(_cut(self.table, columns), i)
            yield self.k, i, j, floors

    def enter(self, order: int, of_rows: Table, of_columns: Table | None) -> int:
        """Merge what a task found; how many pairs it has compared."""
        number = self.running[order]
        i, j = self.corners[number]
        merge_tables(_cut(self.table, self._rows(i)), of_rows)
        if of_columns is not None:
            merge_tables(_cut(self.table, self._rows(j)), of_columns)
        self.done[number] = True
        if time.monotonic() - self.saved > SECONDS_BETWEEN_SAVES:
            self.save()
        return self._pairs(number)

    def pairs_done(self) -> int:
        """How many pairs need not be compared again."""
        return sum(self._pairs(number) for number in np.flatnonzero(self.done).tolist())

    def save(self) -> None:
        """Keep what is done, so that another process can go on from here."""
        if self.path is None:
            return
        keys, columns = self.table
        save_arrays(
            self.part_file,
            keys=keys,
            columns=columns,
            done=self.done,
            digest=np.array(self.digest),
        )
        self.saved = time.monotonic()

    def finish(self) -> NeighborTable:
        """Return the table, and write it if that was asked."""
        keys, columns = self.table
        values = keys if self.source.kind == "similarity" else np.negative(keys, out=keys)
        values += 0.0  # no negative zeros
        digest = "" if self.path is None else self.digest
        table = NeighborTable(columns, values, self.source.kind, digest)
        if self.path is not None:
            table.save(self.path)
            self.part_file.unlink(missing_ok=True)
        return table

    def _rows(self, start: int) -> slice:
        return slice(start, min(start + self.height, self.n))

    def _pairs(self, number: int) -> int:
        i, j = self.corners[number]
        r, c = (min(self.height, self.n - start) for start in (i, j))
        return r * (r - 1) // 2 if i == j else r * c

    def _go_on(self) -> None:
        """Take what a file holds of the same work; a file of other work is refused."""
        assert self.path is not None
        if self.path.exists():
            table = NeighborTable.load(self.path)
            self._require_same(table.digest, self.path)
            if table.neighbors.shape[1] >= self.k:
                first = np.s_[:, : self.k]
                near, values = table.neighbors[first], table.values[first]
                self.result = replace(table, neighbors=near, values=values)
            return
        if not self.part_file.exists():
            return
        names = ("keys", "columns", "done", "digest")
        found = load_arrays(self.part_file, names, "a table of neighbours that is not finished")
        self._require_same(str(found["digest"]), self.part_file)
        keys, columns, done = found["keys"], found["columns"], found["done"]
        sound = keys.dtype == np.float64 and columns.dtype.kind == "i" and done.dtype == bool
        sound = sound and keys.shape == columns.shape and keys.shape[:1] == (self.n,)
        known = (columns >= 0) & (columns < self.n) | (columns == NOBODY)
        if not sound or np.isnan(keys).any() or not known.all():
            raise FileError(f"{self.part_file} is damaged; remove it to begin anew.")
        if keys.shape[1] == self.k and done.shape == self.done.shape:
            self.table = keys, columns.astype(np.intp, copy=False)
            self.done = done

    def _require_same(self, digest: str, file: Path) -> None:
        if digest != self.digest:
            raise InputError(
                f"{file} holds the neighbours of other objects, or by another function; name "
                "another file, or remove it."
            )
