"""Blocks in units of the training block: the one place where scale is taken out of a problem."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from similearn.data.lazy.value_changes import Clipped, Divided
from similearn.numerics.linalg.units import FARTHEST, in_units, unit_of
from similearn.numerics.scores.decide import bounded


class InUnits:
    """Mixin of classifiers of blocks or feature tables: at the door numbers get the data's unit.

    ``unit_`` is a power of two, and one unless the largest training value is beyond 1e±30. A class
    fits on ``self._set_unit(data)``, names the powers of the unit that its
    parameters carry in ``_unit_powers``, and takes them from `_parameter`.
    """

    _sets: tuple[str, ...] = ("unit_",)

    _unit_powers: dict[str, int] = {}  # noqa: RUF012
    unit_ = 1.0

    def _set_unit(self, data):
        """Find the unit of training data, and return the data divided by it."""
        seen = data.representative()[0].values if hasattr(data, "same_samples") else data
        self.unit_ = unit_of(_entries(seen))
        return scaled(data, self.unit_)

    def _parameter(self, name, value):
        """A positive parameter in the units of what the class works on."""
        return in_units(value, self.unit_, self._unit_powers.get(name, 0))

    def _check_queries(self, X):
        return scaled(super()._check_queries(X), self.unit_)

    def _check_own_block(self, X):
        return scaled(super()._check_own_block(X), self.unit_)

    def _as_queries(self, data):
        return scaled(data, self.unit_)

    def _bounded_scores(self, scores_of, data):
        """Scores (..., m, n_classes) of data; of rows that overflow, of data within 1e100 units.

        What overflows even then is as far as scores go; classes that both do are equal.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            scores = scores_of(data)
            finite = np.isfinite(scores).all(axis=-1, keepdims=True)
            if finite.all():
                return scores
            within = scores_of(changed(data, Clipped(FARTHEST)))
        return np.where(finite, scores, bounded(np.nan_to_num(within)))


def scaled(data, unit):
    """Data divided by their unit, within ±1e300: no copy where that is one."""
    return data if unit == 1.0 else changed(data, Divided(unit))


def changed(data, change):
    """A block or table with all its numbers changed; a sparse one in its stored entries."""
    if not hasattr(data, "same_samples"):
        return _changed_values(data, change)
    if data.is_lazy:
        return data.changed(change)
    names = ("values", "reverse", "self_values")
    known = {name: getattr(data, name) for name in names if getattr(data, name) is not None}
    return replace(data, **{name: _changed_values(v, change) for name, v in known.items()})


def _changed_values(values, change):
    if not sparse.issparse(values):
        return change(values)
    changed = values.copy()
    changed.data = change(changed.data)
    return changed


def _entries(values):
    return values.data if sparse.issparse(values) else values
