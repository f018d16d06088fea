"""Tables of the k nearest to which single pairs are offered, in any order.

A table is keys (n, k), of which larger are nearer, columns (n, k), and whatever goes along with
each entry. Rows are in the library's order: nearer first, then the lower column. A place that is
still empty has the key minus infinity and the column `NOBODY`.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.neighbors.running_topk import NOBODY, empty_table

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Entries:
    """The k nearest that each of n rows has been offered, and a flag of each.

    Parameters
    ----------
    n, k : rows, and places of each

    Attributes
    ----------
    keys, columns : (n, k)
    flags : (n, k), True of what entered; others change them as they like
    """

    def __init__(self, n: int, k: int) -> None:
        self.keys, self.columns = empty_table(n, k)
        self.flags = np.zeros((n, k), dtype=bool)

    def holds(self, rows: Indices, columns: Indices) -> Flags:
        """Whether row ``rows[p]`` holds column ``columns[p]``, for every p: O(p k)."""
        found = np.zeros(len(rows), dtype=bool)
        for place in range(self.keys.shape[1]):
            found |= self.columns[rows, place] == columns
        return found

    def offer(self, rows: Indices, columns: Indices, keys: Floats) -> int:
        """Offer entries that the table does not hold, each once; return how many were taken.

        Notes
        -----
        What is as near as the last of a row enters if its column is lower: the outcome does not
        depend on the order of offers. O(r k log) for r rows that take something.
        """
        last, k = self.keys[rows, -1], self.keys.shape[1]
        near = (keys > last) | ((keys == last) & (columns < self.columns[rows, -1]))
        rows, columns, keys = rows[near], columns[near], keys[near]
        if not len(rows):
            return 0
        changed = np.unique(rows)
        owners = np.concatenate([np.repeat(changed, k), rows])
        all_keys = np.concatenate([self.keys[changed].ravel(), keys])
        all_columns = np.concatenate([self.columns[changed].ravel(), columns])
        flags = np.concatenate([self.flags[changed].ravel(), np.ones(len(rows), dtype=bool)])
        order = np.lexsort((all_columns, -all_keys, owners))
        kept = order[_ranks(owners[order]) < k]  # k of each: a table's own entries are k
        place = (len(changed), k)
        self.keys[changed] = all_keys[kept].reshape(place)
        self.columns[changed] = all_columns[kept].reshape(place)
        self.flags[changed] = flags[kept].reshape(place)
        return int(np.count_nonzero(kept >= len(changed) * k))


def first_of_each(owners: Indices, members: Indices, n: int, most: int) -> Indices:
    """Return up to `most` members (n, most) of each owner, the first ones given; -1 fills up."""
    order = np.argsort(owners, kind="stable")
    ranks = _ranks(owners[order])
    kept = ranks < most
    found = np.full((n, most), -1, dtype=np.intp)
    found[owners[order][kept], ranks[kept]] = members[order][kept]
    return found


def _ranks(owners: Indices) -> Indices:
    """Place of each entry among those of its owner; the owners are sorted."""
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    counts = np.diff(np.append(starts, len(owners)))
    return np.arange(len(owners)) - np.repeat(starts, counts)


__all__ = ["NOBODY", "Entries", "first_of_each"]
