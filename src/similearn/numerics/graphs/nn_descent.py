"""NN-descent (Dong, Charikar and Li 2011): a neighbour of a neighbour is likely a neighbour."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from similearn.numerics.graphs.entering import NOBODY, Entries, Floats, Indices, first_of_each

Compare = Callable[[Indices, Indices], Floats]

_PAIRS_AT_ONCE = 1 << 22  # of a join, before repeated ones are dropped: some 200 MB


@dataclass(frozen=True, eq=False)
class Descended:
    """What `descend` found: columns and keys (n, k), rounds, and pairs that were compared."""

    columns: Indices
    keys: Floats
    n_rounds: int
    n_compared: int


def descend(
    n: int,
    k: int,
    compare: Compare,
    generator: np.random.Generator,
    *,
    n_joined: int | None = None,
    tolerance: float = 0.001,
    most_rounds: int = 30,
) -> Descended:
    """Find nearly the k nearest others of each of n objects by comparing few of all pairs.

    Parameters
    ----------
    n, k : objects, and neighbours of each; k < n
    compare : called with positions I < J (p,), gives keys (p,), of which larger are nearer
    generator : draws the first neighbours, and who takes part in a join
    n_joined : new neighbours, and objects that have one as their new neighbour, that join each
        other in a round (ρK in the paper); k by default
    tolerance : a round that changes less than this share of all places is the last (δ)
    most_rounds : after so many it ends in any case

    Returns
    -------
    Descended
        Rows in the library's order, nearer first, then the lower column.

    Notes
    -----
    Algorithm 2 of the paper (NNDescentFull): in each round the new neighbours of an object, and
    those that it is a new neighbour of, are compared with each other and with its older ones.
    Objects join in batches: pairs are compared once in a batch, and not if one is in the other's
    row already. Memory: O(n k), and some 200 MB for a batch.
    """
    n_joined = k if n_joined is None else n_joined
    table = Entries(n, k)
    n_compared = _compared(table, compare, *_random_pairs(n, k, generator))[1]
    for n_rounds in range(1, most_rounds + 1):  # noqa: B007
        n_changed = 0
        new, old = _neighborhoods(table, n_joined, generator)
        for rows in _batches(new, old):
            pairs = joined_pairs(new[rows], old[rows], n)
            changed, compared = _compared(table, compare, *pairs)
            n_changed, n_compared = n_changed + changed, n_compared + compared
        if n_changed <= tolerance * n * k:
            break
    _fill_up(table, compare)
    return Descended(table.columns, table.keys, n_rounds, n_compared)


def joined_pairs(new: Indices, old: Indices, n: int) -> tuple[Indices, Indices]:
    """Return I < J (p,): all pairs of two new members, and of a new and an old one, each once.

    Parameters
    ----------
    new, old : (r, a) and (r, b) members of r neighbourhoods, -1 where there is none
    n : objects
    """
    a = new.shape[1]
    upper = np.triu_indices(a, 1)
    one = np.concatenate([new[:, upper[0]].ravel(), np.repeat(new, old.shape[1], axis=1).ravel()])
    other = np.concatenate([new[:, upper[1]].ravel(), np.tile(old, (1, a)).ravel()])
    sound = (one >= 0) & (other >= 0) & (one != other)
    one, other = one[sound], other[sound]
    codes = np.unique(np.minimum(one, other) * n + np.maximum(one, other))
    return np.divmod(codes, n)


def _compared(table: Entries, compare: Compare, one: Indices, other: Indices) -> tuple[int, int]:
    """Compare the pairs that are not known; how many places changed, and how many were compared."""
    unknown = ~(table.holds(one, other) | table.holds(other, one))
    one, other = one[unknown], other[unknown]
    if not len(one):
        return 0, 0
    keys = compare(one, other)
    both = np.concatenate([one, other]), np.concatenate([other, one])
    return table.offer(*both, np.concatenate([keys, keys])), len(one)


def _random_pairs(n: int, k: int, generator: np.random.Generator) -> tuple[Indices, Indices]:
    rows = np.arange(n)[:, None]
    others = generator.integers(n - 1, size=(n, k))
    others += others >= rows
    return joined_pairs(rows, others, n)


def _neighborhoods(
    table: Entries, most: int, generator: np.random.Generator
) -> tuple[Indices, Indices]:
    """Who joins around each object, (n, 2 most) new and (n, k + most) old members; -1 if none.

    New neighbours that take part are old from now on.
    """
    n, k = table.columns.shape
    known = table.columns != NOBODY
    # A random order of the new ones of each row: those in front take part.
    order = np.argsort(np.where(table.flags & known, generator.random((n, k)), 2.0), axis=1)
    order = order[:, :most]
    chosen = np.zeros((n, k), dtype=bool)
    np.put_along_axis(chosen, order, True, axis=1)
    chosen &= table.flags & known
    old_ones = known & ~table.flags
    table.flags &= ~chosen
    found = []
    for part in (chosen, old_ones):
        near = np.where(part, table.columns, -1)
        owners, members = np.nonzero(part)[0], table.columns[part]
        mixed = generator.permutation(len(owners))
        back = first_of_each(members[mixed], owners[mixed], n, most)
        found.append(np.hstack([near, back]))
    new, old = found
    front = np.sort(new[:, :k], axis=1)[:, ::-1][:, : min(most, k)]
    return np.hstack([front, new[:, k:]]), old


def _batches(new: Indices, old: Indices) -> list[slice]:
    """Neighbourhoods that join at once, so that memory is bounded."""
    a, b = new.shape[1], old.shape[1]
    height = max(_PAIRS_AT_ONCE // max(a * (a - 1) // 2 + a * b, 1), 1)
    return [slice(start, start + height) for start in range(0, len(new), height)]


def _fill_up(table: Entries, compare: Compare) -> None:
    """Where few objects make few pairs, a row may have empty places: it is compared with all."""
    n = len(table.keys)
    for row in np.flatnonzero(table.columns[:, -1] == NOBODY):
        others = np.delete(np.arange(n), row)
        _compared(table, compare, *joined_pairs(np.array([[row]]), others[None], n))
