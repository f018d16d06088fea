"""The table of everything that was tried."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from similearn.numerics.scores.judgement import errs_more_p_value
from similearn.selection.auto.trying import Tried
from similearn.upward import Shown

_LISTS = ("tried", "errs_more")  # of rows; too long for a table


@dataclass(frozen=True)
class Leaderboard(Shown):
    """One row per method and source, the lowest log-loss first; failures last.

    Parameters
    ----------
    rows : list of dicts: method, source, error, error_se, log_loss, log_loss_se, weight, seconds,
        parameters, failure; tried, the parameters and "error" of every point of the method's grid;
        errs_more, p-values of "this method errs more than that of row j" (exact McNemar test on the
        held-out samples), None for itself and for failures
    """

    rows: list[dict[str, Any]]

    @classmethod
    def of(cls, tried: list[Tried], weights: list[float]) -> "Leaderboard":
        """Make the table from what was tried."""
        pairs = [(_row(t, w), t) for t, w in zip(tried, weights, strict=True)]
        pairs.sort(key=lambda pair: (pair[0]["log_loss"] is None, pair[0]["log_loss"] or 0.0))
        for row, own in pairs:
            row["errs_more"] = [_errs_more(own, other) for _, other in pairs]
        return cls([row for row, _ in pairs])

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.rows).drop(columns=list(_LISTS), errors="ignore")

    def __str__(self) -> str:
        several = len({row["source"] for row in self.rows}) > 1
        names = [f"{r['method']} ({r['source']})" if several else r["method"] for r in self.rows]
        wide = max([28, *(len(name) + 1 for name in names)])
        lines = [f"{'method':<{wide}}{'error %':>9}{'log-loss':>10}{'weight':>8}{'seconds':>9}"]
        for name, row in zip(names, self.rows, strict=True):
            if row["failure"] is not None:
                lines.append(f"{name:<{wide}}left out: {row['failure']}")
                continue
            weight = f"{row['weight']:8.2f}" if row["weight"] else " " * 8
            lines.append(
                f"{name:<{wide}}{100 * row['error']:9.2f}{row['log_loss']:10.3f}{weight}"
                f"{row['seconds']:9.2f}"
            )
        return "\n".join(lines)


def _row(tried: Tried, weight: float) -> dict[str, Any]:
    row = {"method": tried.member.name, "source": tried.source, "weight": float(weight)}
    row |= {"seconds": tried.seconds, "parameters": dict(tried.parameters)}
    row |= {"error": None, "error_se": None, "log_loss": None, "log_loss_se": None}
    row["failure"] = tried.failure
    row["tried"] = [dict(point) | {"error": error} for point, error in tried.errors]
    if tried.right is not None:
        n = len(tried.right)
        losses, errors = -np.log(tried.own), ~tried.right
        row |= {"error": float(errors.mean()), "log_loss": float(losses.mean())}
        row |= {"error_se": float(errors.std() / np.sqrt(n))}
        row |= {"log_loss_se": float(losses.std() / np.sqrt(n))}
    return row


def _errs_more(own: Tried, other: Tried) -> float | None:
    if own is other or own.right is None or other.right is None:
        return None
    return errs_more_p_value(own.right, other.right)
