"""From listed pairs to blocks: square, rectangular, or queries against known references."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.edges.pair_layouts import PairLayout
from similearn.data.edges.pair_lines import ListedPairs, lines_naming
from similearn.data.files.contents import Contents, word_array
from similearn.data.values import Floats, Values
from similearn.errors import FileError

_ENTRIES_AT_ONCE = 1 << 20

Mask = NDArray[np.bool_]


def square_or_wide(
    path: Path,
    layout: PairLayout,
    pairs: ListedPairs,
    directed: bool | None,
    kind: str,
    several: bool,
) -> Contents:
    """Return a square block of all ids; a rectangular one if no id stands on both sides.

    Parameters
    ----------
    directed : whether (a, b) says nothing of (b, a); None: whether any pair stands both ways
    several : whether a pair may be listed several times, and the largest score counts

    Notes
    -----
    One sort of p keys of 64 bits: O(p log p) time; about 50 bytes per pair at the peak.
    """
    n = len(pairs.ids)
    is_first, is_second = (np.zeros(n, dtype=bool) for _ in range(2))
    is_first[pairs.first] = True
    is_second[pairs.second] = True
    ids = word_array(pairs.ids, f"{path}: the ids")
    if directed is None and n > 1 and not (is_first & is_second).any():
        rows, columns = _ranks(is_first), _ranks(is_second)
        values = _csr(
            path, layout, pairs, rows[pairs.first], columns[pairs.second],
            (int(is_first.sum()), int(is_second.sum())), several,
        )  # fmt: skip
        return Contents(
            _dense_if_full(values),
            row_ids=ids[is_first],
            column_ids=ids[is_second],
            same_samples=False,
        )
    notes = _add_selves(pairs, kind)
    values = _square(path, layout, pairs, directed, several, notes)
    return Contents(
        _dense_if_full(values), row_ids=ids, column_ids=ids, same_samples=True, notes=notes
    )


def query_block(
    path: Path,
    layout: PairLayout,
    pairs: ListedPairs,
    references: Sequence[str],
    several: bool,
) -> Contents:
    """Return the block of the samples that are no references against those that are.

    Pairs of a reference with a new sample, in this direction, become the reverse direction;
    pairs among references, or among new samples, are passed over, but for what a new sample is
    to itself. A second id that is neither a reference nor listed first is an error.
    """
    place = {one: j for j, one in enumerate(references)}
    column = np.array([place.get(one, -1) for one in pairs.ids], dtype=np.int32)
    is_known = column >= 0
    is_first = np.zeros(len(pairs.ids), dtype=bool)
    is_first[pairs.first] = True
    is_new = is_first & ~is_known
    strange = ~is_known & ~is_first
    if not is_new.any():  # every first id is a reference: listed from known to new
        is_new, strange = ~is_known, np.zeros_like(strange)
    if strange.any() or not is_known.any():
        _refuse_strange(path, layout, pairs, strange if strange.any() else ~is_known, references)
    if not is_new.any():
        raise FileError(f"{path} lists references alone; expected new samples with references.")
    row = _ranks(is_new)
    shape = (int(is_new.sum()), len(references))
    forward = is_new[pairs.first] & is_known[pairs.second]
    backward = is_known[pairs.first] & is_new[pairs.second]
    parts = []
    for chosen, query, known in (
        (forward, pairs.first, pairs.second),
        (backward, pairs.second, pairs.first),
    ):
        some = ListedPairs(
            pairs.first[chosen], pairs.second[chosen], pairs.scores[chosen], pairs.ids
        )
        parts.append(
            _csr(path, layout, some, row[query[chosen]], column[known[chosen]], shape, several)
        )
    if not forward.any():
        parts = [parts[1], parts[0]]  # the one direction that there is
    names = word_array(pairs.ids, f"{path}: the ids")[is_new]
    return Contents(
        _dense_if_full(parts[0]),
        reverse=_dense_if_full(parts[1]) if forward.any() and backward.any() else None,
        self_values=_selves(pairs, row, is_new),
        row_ids=names,
        column_ids=np.array(references),
        same_samples=False,
    )


def _selves(pairs: ListedPairs, row: Any, is_new: Mask) -> Floats | None:
    """What new samples are to themselves, if the list says it of all."""
    itself = (pairs.first == pairs.second) & is_new[pairs.first]
    found = np.full(int(is_new.sum()), np.nan)
    found[row[pairs.first[itself]]] = pairs.scores[itself]
    return None if np.isnan(found).any() else found


def _refuse_strange(
    path: Path, layout: PairLayout, pairs: ListedPairs, strange: Mask, references: Sequence[str]
) -> None:
    name = pairs.ids[int(np.argmax(strange))]
    line = next(iter(lines_naming(path, layout, name)), 1)
    raise FileError(
        f"{path}, line {line}: {name!r} is no reference ({int(strange.sum())} such); references "
        f"are called such as {references[0]!r}. Expected pairs of a new sample and a reference."
    )


def _ranks(mask: Mask) -> NDArray[np.int32]:
    """Position of each among those that are chosen."""
    return (np.cumsum(mask) - 1).astype(np.int32)


def _add_selves(pairs: ListedPairs, kind: str) -> list[str]:
    """List every sample with itself: at zero dissimilarity, or its largest similarity."""
    n = len(pairs.ids)
    listed = np.zeros(n, dtype=bool)
    listed[pairs.first[pairs.first == pairs.second]] = True
    without = np.flatnonzero(~listed).astype(np.int32)
    if not without.size:
        return []
    best = np.zeros(n)
    if kind == "similarity":
        best[:] = -np.inf
        np.maximum.at(best, pairs.first, pairs.scores)
        np.maximum.at(best, pairs.second, pairs.scores)
        best[np.isinf(best)] = 0.0
    pairs.first = np.concatenate([pairs.first, without])
    pairs.second = np.concatenate([pairs.second, without])
    pairs.scores = np.concatenate([pairs.scores, best[without]])
    meant = "0" if kind == "dissimilarity" else "the largest similarity that each has"
    return [f"{without.size} of {n} samples are not listed with themselves; taken as {meant}."]


def _csr(
    path: Path,
    layout: PairLayout,
    pairs: ListedPairs,
    rows: Any,
    columns: Any,
    shape: tuple[int, int],
    several: bool,
) -> Values:
    """CSR of entries in any order, the largest of those at one place."""
    width = shape[1]
    keys = rows.astype(np.int64) * width + columns
    order = np.argsort(keys, kind="stable")
    again = _contradiction(keys[order], pairs.scores[order]) if not several else None
    if again is not None:
        i = order[again]
        _refuse_contradiction(path, layout, pairs.ids[pairs.first[i]], pairs.ids[pairs.second[i]])
    keys, scores = _largest(keys[order], pairs.scores[order])
    indptr = np.searchsorted(keys, np.arange(shape[0] + 1, dtype=np.int64) * width)
    return _csr_of(scores, (keys % width).astype(np.int32), indptr, shape)


def _square(
    path: Path,
    layout: PairLayout,
    pairs: ListedPairs,
    directed: bool | None,
    several: bool,
    notes: list[str],
) -> Values:
    """CSR of samples with themselves; each pair both ways, if no pair is listed so.

    The pairs are used up, so that their memory serves again. Pairs that are known in one direction
    alone, because others are listed in both, are noted.
    """
    n = len(pairs.ids)
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    keys = low.astype(np.int64) * n + high
    # The lowest bit tells the direction, so that the two of a pair are neighbours.
    keys *= 2
    if directed is not False:
        keys += pairs.first > pairs.second
    scores = pairs.scores
    pairs.first = pairs.second = low[:0]
    pairs.scores = scores[:0].copy()
    del low, high
    order = np.argsort(keys, kind="stable")
    keys[:] = keys[order]
    scores[:] = scores[order]
    del order
    again = _contradiction(keys, scores) if not several else None
    if again is not None:
        places = divmod(int(keys[again] >> 1), n)
        _refuse_contradiction(path, layout, *(pairs.ids[place] for place in places))
    keys, scores = _largest(keys, scores)
    if directed is None:
        both = int((keys[1:] >> 1 == keys[:-1] >> 1).sum())
        alone = len(keys) - 2 * both - n  # each sample is listed with itself
        directed = both > 0
        if directed and alone > 0:
            notes.append(_told_directed(both, alone))
    backward = (keys & 1).astype(bool) if directed else np.zeros(0, dtype=bool)
    keys >>= 1
    low, high = (keys // n).astype(np.int32), (keys % n).astype(np.int32)
    del keys
    if directed:
        rows, columns = np.where(backward, high, low), np.where(backward, low, high)
        return sparse.csr_array((scores, (rows, columns)), shape=(n, n))
    indptr = np.searchsorted(low, np.arange(n + 1))
    del low
    return _mirrored(_csr_of(scores, high, indptr, (n, n)))


def _told_directed(both: int, alone: int) -> str:
    return (
        f"Of the pairs {both:,} are listed in both directions and {alone:,} in one, whose other "
        "direction is unknown; if the order of two samples means nothing, say directed=False."
    )


def _contradiction(keys: Any, scores: Floats) -> int | None:
    """Where, among keys in order, the same one has two scores."""
    differ = np.flatnonzero((keys[1:] == keys[:-1]) & (scores[1:] != scores[:-1]))
    return int(differ[0]) if differ.size else None


def _largest(keys: Any, scores: Floats) -> tuple[Any, Floats]:
    """Keys in order, each once, with the largest of its scores."""
    starts = np.concatenate([[True], keys[1:] != keys[:-1]])
    if starts.all():
        return keys, scores
    places = np.flatnonzero(starts)
    return keys[places], np.maximum.reduceat(scores, places)


def _refuse_contradiction(path: Path, layout: PairLayout, one: str, other: str) -> None:
    lines = lines_naming(path, layout, one, other)
    raise FileError(
        f"{path}, line {lines[-1] if lines else 1}: the pair {one!r}, {other!r} was on line "
        f"{lines[0] if lines else 1} already, with another score. Keep one of them, or say "
        "repeated='mean' or repeated='largest'."
    )


def _csr_of(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Values:
    small = len(data) <= np.iinfo(np.int32).max
    return sparse.csr_array(
        (data, indices, indptr.astype(np.int32 if small else np.int64)), shape=shape
    )


def _mirrored(upper: Values) -> Values:
    """Upper triangle and its mirror image; zeros that are stored stay stored, unlike in a sum."""
    n = upper.shape[0]
    lower = upper.T.tocsr()
    # Of each row, entries left of the diagonal come from `lower`, the others from `upper`.
    stored = _stores_diagonal(upper)
    left = np.diff(lower.indptr) - stored
    sizes = np.diff(upper.indptr) + left
    indptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    data, indices = np.empty(indptr[-1]), np.empty(indptr[-1], dtype=np.int32)
    step = max(1, int(_ENTRIES_AT_ONCE * n / max(len(data), 1)))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        for part, counts, offset in (
            (lower, left[rows], np.zeros(1, dtype=np.int64)),
            (upper, np.diff(upper.indptr)[rows], left[rows]),
        ):
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            source = np.repeat(part.indptr[rows].astype(np.int64), counts) + within
            target = np.repeat(indptr[:-1][rows] + offset, counts) + within
            data[target], indices[target] = part.data[source], part.indices[source]
    return _csr_of(data, indices, indptr, (n, n))


def _stores_diagonal(upper: Values) -> NDArray[np.int64]:
    """Whether each row of an upper triangle begins on the diagonal."""
    n = upper.shape[0]
    starts, filled = upper.indptr[:-1], np.diff(upper.indptr) > 0
    stored = np.zeros(n, dtype=np.int64)
    stored[filled] = upper.indices[starts[filled]] == np.flatnonzero(filled)
    return stored


def _dense_if_full(values: Values) -> Values:
    """Return an array if every pair is known."""
    m, n = values.shape
    return values.toarray() if values.nnz == m * n else values
