"""The finite support Ω of similarities, on the unit interval.

Exponential pmfs do not change when similarities are shifted and scaled, so everything is
computed in unit coordinates u = (s - min Ω) / (max Ω - min Ω): no value is too large or too
small, and both ends of Ω are exact.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import as_input, compiled, compiled_within

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

MAX_LEVELS = 1024
"""More distinct values than these are grouped."""

MAX_INTERVALS = 16
"""More levels than these are too many for histograms of neighbourhoods."""

_FINE_BITS = 27


class Support(NamedTuple):
    """Where similarities may lie, and how they are brought to the unit interval.

    Parameters
    ----------
    low, width : least value and extent of Ω, both times `factor`; the width of a constant is 1
    factor : a power of two, so that scaling is exact and nothing overflows
    levels : (L,), ascending from 0 to 1; empty if continuous
    log_counts : (L,), logarithms of how many values of Ω a level stands for
    continuous : whether Ω is the whole interval
    """

    low: float
    width: float
    factor: float
    levels: Floats
    log_counts: Floats
    continuous: bool


def to_unit(support: Support, values: Floats) -> Floats:
    """Unit coordinates; what lies outside Ω is moved to its nearer end."""
    with np.errstate(over="ignore"):  # far outside
        return np.clip((values * support.factor - support.low) / support.width, 0.0, 1.0)


def from_unit(support: Support, units: Floats) -> Floats:
    """Similarities from unit coordinates."""
    return (units * support.width + support.low) / support.factor


def few_intervals(levels: Floats) -> Floats:
    """Inner edges (B - 1,) of intervals: the levels themselves, or 16 of equal width if more."""
    if len(levels) <= MAX_INTERVALS:
        return (levels[1:] + levels[:-1]) / 2
    return np.arange(1, MAX_INTERVALS) / MAX_INTERVALS


def observed_support(values: Any, *, symmetric: bool, absent: float) -> Support:
    """Ω as all distinct values of a training block.

    Parameters
    ----------
    values : (n, n) array or CSR
    symmetric : whether the upper triangle holds every value
    absent : value of the entries that are not stored; infinite if they are unknown

    Notes
    -----
    Up to `MAX_LEVELS` distinct values are kept as they are. More are rounded to 2^-27 of
    the range, and what is distinct then is grouped into cells of width w = range / 1022,
    both ends kept apart; a cell is represented by the mean of its values and counts as
    many as it holds. The logarithm of the normalizer of an exponential pmf of rate λ is
    then too small by at most (λ w)² / 8 (Hoeffding's lemma). O(entries) time, 16 MB.
    """
    entries, symmetric = _entries(values, symmetric, absent)
    distinct = _distinct_values(entries, symmetric)
    if distinct is not None:
        scale = _scaled(distinct[0], distinct[-1])
        levels = np.unique(to_unit(scale, distinct))
        return scale._replace(levels=levels, log_counts=np.zeros(len(levels)))
    scale = _scaled(entries.min(), entries.max())
    n_groups = MAX_LEVELS - 1
    seen = np.zeros(1 << (_FINE_BITS - 6), dtype=np.uint64)
    counts, totals = np.zeros((2, n_groups + 1))
    _count_groups(entries, symmetric, scale.low, scale.width, scale.factor, seen, counts, totals)
    kept = np.flatnonzero(counts)
    levels = totals[kept] / counts[kept] / (2.0**_FINE_BITS - 1)
    return scale._replace(levels=levels, log_counts=np.log(counts[kept]))


def spaced_support(values: Any, n_levels: int, *, absent: float) -> Support:
    """Ω as `n_levels` evenly spaced levels from the least to the greatest value."""
    entries, _ = _entries(values, False, absent)
    low, high = entries.min(), entries.max()
    levels = np.linspace(0.0, 1.0, n_levels if high > low else 1)
    return _scaled(low, high)._replace(levels=levels, log_counts=np.zeros(len(levels)))


def continuous_support(values: Any, *, absent: float) -> Support:
    """Ω as the interval from the least to the greatest value."""
    entries, _ = _entries(values, False, absent)
    low, high = entries.min(), entries.max()
    if low == high:
        return spaced_support(values, 1, absent=absent)
    return _scaled(low, high)._replace(continuous=True)


def _entries(values: Any, symmetric: bool, absent: float) -> tuple[Floats, bool]:
    """A two-dimensional array of all known values, and whether its upper triangle suffices."""
    if not sparse.issparse(values):
        return as_input(values), symmetric
    entries = values.data
    if np.isfinite(absent) and values.nnz < values.shape[0] * values.shape[1]:
        entries = np.append(entries, absent)
    if not len(entries):
        entries = np.zeros(1)
    return as_input(entries.reshape(1, -1)), False


def _scaled(low: float, high: float) -> Support:
    """The scale alone; power-of-two factors change no digit."""
    exponent = np.frexp(max(abs(low), abs(high)))[1]
    factor = float(np.ldexp(1.0, min(-int(exponent), 1023)))
    width = float(high * factor - low * factor)
    none = np.empty(0)
    return Support(float(low * factor), width or 1.0, factor, none, none, False)


def _distinct_values(entries: Floats, symmetric: bool) -> Floats | None:
    """Sorted distinct values, or None if there are more than `MAX_LEVELS`."""
    slots = np.full(4 * MAX_LEVELS, np.nan)
    return np.sort(slots[~np.isnan(slots)]) if _fill_slots(entries, symmetric, slots) else None


@compiled_within
def _put(slots, value):  # type: ignore[no-untyped-def]
    """Put a value into a hash table; whether it was new."""
    mask = np.uint64(len(slots) - 1)
    bits = np.float64(value).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    slot = (bits >> np.uint64(40)) & mask
    while slots[slot] == slots[slot] and slots[slot] != value:  # NaN is empty
        slot = (slot + np.uint64(1)) & mask
    new = slots[slot] != value
    slots[slot] = value
    return new


@compiled
def _fill_slots(entries, symmetric, slots):  # type: ignore[no-untyped-def]
    """Put distinct values into a hash table; whether at most `MAX_LEVELS` were met."""
    filled, last = 0, np.nan
    for i in range(entries.shape[0]):
        for j in range(i if symmetric else 0, entries.shape[1]):
            value = entries[i, j] + 0.0  # no negative zero
            if value != last:
                filled += _put(slots, value)
                last = value
            if filled > MAX_LEVELS:
                return False
    return True


@compiled
def _count_groups(entries, symmetric, low, width, factor, seen, counts, totals):  # type: ignore[no-untyped-def]
    """How many fine cells are occupied in each group, and the sum of their positions."""
    top, n_groups = (1 << _FINE_BITS) - 1, len(counts) - 1
    for i in range(entries.shape[0]):
        for j in range(i if symmetric else 0, entries.shape[1]):
            unit = (entries[i, j] * factor - low) / width
            fine = int((unit if unit < 1.0 else 1.0) * top + 0.5)
            bit = np.uint64(1) << np.uint64(fine & 63)
            if not seen[fine >> 6] & bit:
                seen[fine >> 6] |= bit
                group = 0 if fine == 0 else 1 + (fine - 1) * (n_groups - 1) // (top - 1)
                counts[group] += 1.0
                totals[group] += fine
