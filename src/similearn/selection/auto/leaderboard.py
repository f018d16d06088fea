"""The table of everything that was tried."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from similearn.errors import InputError, MissingExtraError
from similearn.numerics.scores.judgement import errs_more_p_value
from similearn.selection.auto.trying import Tried
from similearn.upward import Shown

_LISTS = ("tried", "errs_more")  # of rows; too long for a table


@dataclass(frozen=True)
class Leaderboard(Shown):
    """One row per method and source, the lowest log-loss first; failures last.

    Where pandas is installed, the table also does what `to_frame` does: ``board.columns``,
    ``board.sort_values("error")``, ``board[["method", "weight"]]``. Iteration gives the rows.

    Parameters
    ----------
    rows : list of dicts: method, source, error, error_se, balanced_error (the mean of the errors
        of the classes), log_loss, log_loss_se, weight, seconds, parameters, failure; tried, the
        parameters and "error" of every point of the method's grid; errs_more, p-values of "this
        method errs more than that of row j" (exact McNemar test on the held-out samples), None
        for itself and for failures. Standard errors are those of a mean over held-out samples:
        so few folds would not tell one.
    combined : error, error_se, balanced_error, log_loss and log_loss_se of the weighted mean on
        the same held-out samples; too good where little is known, since parameters and weights were
        chosen on them, see the page of the method. None where they are not known

    Examples
    --------
    >>> from similearn import SimilarityClassifier, datasets
    >>> votes = datasets.make_similarities(40, random_state=0)
    >>> board = SimilarityClassifier(effort="quick").fit(votes.data, votes.target).leaderboard_
    >>> board["method"][0] in ("knn", "krr-knn", "indefinite-fisher", "krein-svm")
    True
    >>> sorted(board.combined)
    ['balanced_error', 'error', 'error_se', 'log_loss', 'log_loss_se']
    """

    rows: list[dict[str, Any]]
    combined: dict[str, float] | None = None

    @classmethod
    def of(
        cls, tried: list[Tried], weights: list[float], own: np.ndarray, right: np.ndarray
    ) -> "Leaderboard":
        """Make the table from what was tried, and from what the combination says of the same.

        `own` and `right` are its probabilities of the true classes of held-out samples, and whether
        these were the largest.
        """
        truth: Any = next(one.truth for one in tried if one.truth is not None)
        pairs = [(_row(t, w), t) for t, w in zip(tried, weights, strict=True)]
        pairs.sort(key=lambda pair: (pair[0]["log_loss"] is None, pair[0]["log_loss"] or 0.0))
        for row, one in pairs:
            row["errs_more"] = [_errs_more(one, other) for _, other in pairs]
        return cls([row for row, _ in pairs], _judged(own, right, truth))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __contains__(self, item: Any) -> bool:
        """Whether it is the name of a column, or a row."""
        return item in self.rows or (isinstance(item, str) and any(item in r for r in self.rows))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in self.__dataclass_fields__:  # as unpickling asks for them
            raise AttributeError(f"A leaderboard has no attribute {name!r}.")
        try:
            return getattr(self.to_frame(), name)
        except (AttributeError, MissingExtraError) as error:
            raise AttributeError(f"A leaderboard has no attribute {name!r}: {error}") from None

    def __getitem__(self, column: Any) -> Any:
        """Values of a column, one per row, as a list; what else a frame takes is asked of it."""
        if not isinstance(column, Hashable) or isinstance(column, slice) or callable(column):
            return self.to_frame()[column]
        if not self.rows or column not in self.rows[0]:
            known = ", ".join(self.rows[0]) if self.rows else "none"
            raise InputError(f"The leaderboard has no column {column!r}. There are {known}.")
        return [row[column] for row in self.rows]

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError(
                "A frame needs pandas, which is not installed: pip install pandas. The rows are "
                "in leaderboard_.rows."
            ) from None

        return pd.DataFrame(self.rows).drop(columns=list(_LISTS), errors="ignore")

    def __str__(self) -> str:
        several = len({row["source"] for row in self.rows}) > 1
        names = [f"{r['method']} ({r['source']})" if several else r["method"] for r in self.rows]
        wide = max([21, *(len(name) + 1 for name in names)])
        head = f"{'error %':>8}{'±':>6}{'balanced %':>12}{'log-loss':>10}{'±':>6}"
        lines = [f"{'method':<{wide}}{head}{'weight':>8}{'seconds':>9}"]
        if self.combined is not None:
            lines.append(f"{'combined':<{wide}}{_told(self.combined)}")
        for name, row in zip(names, self.rows, strict=True):
            if row["failure"] is not None:
                lines.append(f"{name:<{wide}}left out: {row['failure']}")
                continue
            weight = f"{row['weight']:8.2f}" if row["weight"] else " " * 8
            lines.append(f"{name:<{wide}}{_told(row)}{weight}{row['seconds']:9.2f}")
        return "\n".join(lines)


def _told(row: dict[str, Any]) -> str:
    """Errors and log-loss in columns, with standard errors; stored models may not know all."""
    errors = "".join(
        " " * width if row.get(name) is None else f"{100 * row[name]:{width}.2f}"
        for name, width in (("error", 8), ("error_se", 6), ("balanced_error", 12))
    )
    spread = row.get("log_loss_se")
    return f"{errors}{row['log_loss']:10.3f}" + (" " * 6 if spread is None else f"{spread:6.3f}")


def _row(tried: Tried, weight: float) -> dict[str, Any]:
    row = {"method": tried.member.name, "source": tried.source, "weight": float(weight)}
    row |= {"seconds": tried.seconds, "parameters": dict(tried.parameters)}
    row |= dict.fromkeys(("error", "error_se", "balanced_error", "log_loss", "log_loss_se"))
    row["failure"] = tried.failure
    row["tried"] = [dict(point) | {"error": error} for point, error in tried.errors]
    if tried.failure is None:
        assert tried.right is not None
        row |= _judged(tried.own, tried.right, tried.truth)
    return row


def _judged(own: np.ndarray, right: np.ndarray, truth: Any) -> dict[str, float]:
    """Errors and log-loss of held-out samples of known classes, and their standard errors."""
    n, losses, errors = len(right), -np.log(own), ~right
    return {
        "error": float(errors.mean()),
        "error_se": float(errors.std() / np.sqrt(n)),
        "balanced_error": float(np.mean([errors[truth == g].mean() for g in np.unique(truth)])),
        "log_loss": float(losses.mean()),
        "log_loss_se": float(losses.std() / np.sqrt(n)),
    }


def _errs_more(own: Tried, other: Tried) -> float | None:
    if own is other or own.failure is not None or other.failure is not None:
        return None
    assert own.right is not None and other.right is not None  # they have not failed
    return errs_more_p_value(own.right, other.right)
