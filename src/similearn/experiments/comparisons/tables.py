"""The table of a comparison: as text, CSV, JSON and Markdown."""

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data.files.outputs import safe_cell, written
from similearn.errors import without_controls
from similearn.experiments.comparisons.statistics import (
    LEVEL,
    fewest_splits,
    not_significantly_worse,
)
from similearn.experiments.comparisons.store import Record

HEADER = ("Method", "Error %", "(sd)", "", "Balanced %", "Log-loss", "Time s", "Chosen most often")
LEFT = ("Method", "", "Chosen most often")  # columns of words
DISPENSABLE = ("Chosen most often", "Time s", "Balanced %", "(sd)")  # if all have no room
_SIDES = {"Method": "---", "": ":-:", "Chosen most often": "---"}
MARKS = {"best": "*", "close": "≈", "": ""}
ABSENT = "–"
_BY = {
    "error": "error",
    "log-loss": "log-loss",
    "balanced-error": "balanced error",
    "cost": "mean cost",
}
_TITLES = {"log-loss": "Log-loss", "balanced-error": "Balanced %", "cost": "Cost"}


@dataclass(frozen=True)
class Row:
    """One method: means over its splits. Errors are fractions, times seconds per split."""

    method: str
    mark: str
    error_mean: float | None
    error_sd: float | None
    balanced_error: float | None
    log_loss: float | None
    cost: float | None
    seconds: float | None
    parameters: dict[str, Any]
    p_value: float | None
    splits: int
    converted: bool
    failure: str | None


@dataclass(frozen=True)
class Table:
    """The rows, the best first by what was asked for, and what has to be said below them."""

    problem: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    by: str = "error"

    def __str__(self) -> str:
        return as_text(self)

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])


def summarize(records: Sequence[Record], by: str = "error") -> Table:
    """Make the table of the records of one problem.

    Parameters
    ----------
    records : of all methods and splits
    by : what orders the rows and is tested: "error", "log-loss", "balanced-error" or "cost"; of
        equal ones the lowest log-loss, then those without probabilities

    Notes
    -----
    The best method and those not significantly worse are marked as in the papers: by the
    one-sided Wilcoxon signed-rank test on the errors, or what else orders the rows, of the splits
    that all methods finished. The standard deviation is over splits, with n - 1.
    """
    by_method: dict[str, list[Record]] = {}
    for record in records:
        by_method.setdefault(record["method"], []).append(record)
    done = {m: [r for r in group if "failure" not in r] for m, group in by_method.items()}
    name = by.replace("-", "_")  # of what the records hold
    close = not_significantly_worse(paired_errors(done, name))
    known = {m: _mean_of(name, group) for m, group in done.items()}
    means = {m: mean for m, mean in known.items() if mean is not None}
    best = {m for m, mean in means.items() if mean <= min(means.values()) + 1e-10}
    rows = [_row(m, group, done[m], close.get(m), best=m in best) for m, group in by_method.items()]
    rows.sort(key=lambda row: _order(row, by))
    problem = records[0]["problem"] if records else ""
    return Table(problem, tuple(rows), tuple(_notes(rows, records, by)), by)


def header(by: str) -> tuple[str, ...]:
    """Titles of the columns: what orders the rows comes first, and its marks after it."""
    if by == "error":
        return HEADER
    others = [name for name in HEADER[1:] if name not in ("", _TITLES[by])]
    return (HEADER[0], _TITLES[by], "", *others)


def cells(row: Row, by: str = "error") -> tuple[str, ...]:
    """Return the texts of a row, in the order of `header`."""
    if row.error_mean is None:
        texts = {"Method": row.method, header(by)[1]: "failed", "(sd)": "", "": "", LEFT[-1]: ""}
        return tuple(texts.get(name, ABSENT) for name in header(by))
    texts = {
        "Method": row.method + (" †" if row.converted else ""),
        "Error %": f"{100 * row.error_mean:.2f}",
        "(sd)": _told(row.error_sd, "({:.2f})", 100),
        "": MARKS[row.mark],
        "Balanced %": _told(row.balanced_error, "{:.2f}", 100),
        "Log-loss": _told(row.log_loss, "{:.3f}"),
        "Cost": _told(row.cost, "{:.4g}"),
        "Time s": _told(row.seconds, "{:.3g}"),
        LEFT[-1]: ", ".join(f"{name}={value}" for name, value in row.parameters.items()) or ABSENT,
    }
    return tuple(texts[name] for name in header(by))


def _told(value: float | None, form: str, times: int = 1) -> str:
    return ABSENT if value is None else form.format(times * value)


def as_text(table: Table) -> str:
    """Columns aligned with spaces."""
    titles = header(table.by)
    lines = [titles, *(cells(row, table.by) for row in table.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    text = "\n".join(
        "  ".join(
            cell.ljust(width) if title in LEFT else cell.rjust(width)
            for title, cell, width in zip(titles, line, widths, strict=True)
        ).rstrip()
        for line in lines
    )
    return f"{table.problem}\n\n{text}\n\n" + "".join(f"{note}\n" for note in table.notes)


def as_markdown(table: Table) -> str:
    """Render a Markdown table, the best and what is not significantly worse in bold."""
    titles = header(table.by)
    rule = "|".join(_SIDES.get(title, "--:") for title in titles)
    lines = [f"### {table.problem}", "", markdown_line(titles), f"|{rule}|"]
    for row in table.rows:
        own = cells(row, table.by)
        texts = [text.replace("|", "\\|").replace("*", "\\*") for text in own]
        if row.mark:
            texts[1] = f"**{texts[1]}**"
        lines.append(markdown_line(texts))
    notes = [f"- {note.replace('*', chr(92) + '*')}" for note in table.notes]
    return "\n".join([*lines, "", *notes, ""])


def as_csv(table: Table) -> str:
    """One line per method, numbers in full; parameters as JSON."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(Row.__dataclass_fields__)
    for row in table.rows:
        values = asdict(row) | {"parameters": json.dumps(row.parameters)}
        writer.writerow(map(safe_cell, values.values()))
    return stream.getvalue()


def as_json(table: Table) -> str:
    """Everything, numbers in full; control characters as JSON writes them."""
    text = json.dumps(asdict(table), indent=2, ensure_ascii=False) + "\n"
    return text if without_controls(text) == text else json.dumps(asdict(table), indent=2) + "\n"


def write_tables(table: Table, folder: Path) -> list[Path]:
    """Write table.txt, table.csv, table.json and table.md and return their paths."""
    makers = {"txt": as_text, "csv": as_csv, "json": as_json, "md": as_markdown}
    paths = []
    for ending, maker in makers.items():
        path = folder / f"table.{ending}"
        with written(path) as out:
            out.write(without_controls(maker(table)))
        paths.append(path)
    return paths


def markdown_line(texts: Sequence[str]) -> str:
    """One row of a Markdown table."""
    return f"| {' | '.join(texts)} |"


def paired_errors(done: dict[str, list[Record]], name: str = "error") -> dict[str, Any]:
    """Errors, or other scores, on the splits that all methods have, but for those without any."""
    every = {
        m: {r["split"]: r[name] for r in group if r.get(name) is not None}
        for m, group in done.items()
    }
    finished = {m: scores for m, scores in every.items() if scores}
    if not finished:
        return {}
    common = sorted(set.intersection(*(set(errors) for errors in finished.values())))
    return {m: np.array([errors[s] for s in common]) for m, errors in finished.items() if common}


def _row(
    method: str,
    group: list[Record],
    done: list[Record],
    p_value: float | None,
    *,
    best: bool,
) -> Row:
    errors = np.array([r["error"] for r in done])
    losses = [r["log_loss"] for r in done if r["log_loss"] is not None]
    seconds = [r["fit_seconds"] + r["predict_seconds"] for r in done]
    return Row(
        method=method,
        mark="best" if best else "close" if p_value is not None else "",
        error_mean=float(errors.mean()) if done else None,
        error_sd=float(errors.std(ddof=1)) if len(done) > 1 else None,
        balanced_error=_mean_of("balanced_error", done),
        log_loss=float(np.mean(losses)) if losses else None,
        cost=_mean_of("cost", done),
        seconds=float(np.mean(seconds)) if done else None,
        parameters=_most_common([r["parameters"] for r in done]),
        p_value=p_value,
        splits=len(done),
        converted=any(r["converted"] for r in done),
        failure=next((r["failure"] for r in group if "failure" in r), None),
    )


def _mean_of(name: str, done: list[Record]) -> float | None:
    """Mean of what was measured; None where older results do not have it."""
    known = [r[name] for r in done if r.get(name) is not None]
    return float(np.mean(known)) if known else None


_MEASURED_BY = {
    "error": "error_mean",
    "log-loss": "log_loss",
    "balanced-error": "balanced_error",
    "cost": "cost",
}


def _order(row: Row, by: str) -> tuple[bool, float, float]:
    """Lowest first; of equal ones lowest log-loss, then those without probabilities."""
    value = getattr(row, _MEASURED_BY[by])
    first = np.inf if value is None else round(value, 10)
    return row.error_mean is None, first, np.inf if row.log_loss is None else row.log_loss


def _most_common(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Choose the combination most often chosen; the one chosen first where several are."""
    if not choices:
        return {}
    counts = Counter(json.dumps(choice) for choice in choices)
    most_common: dict[str, Any] = json.loads(counts.most_common(1)[0][0])
    return most_common


def _notes(rows: Sequence[Row], records: Sequence[Record], by: str) -> list[str]:
    splits = max((row.splits for row in rows), default=0)
    notes = [
        f"Mean and standard deviation over {splits} random 80/20 splits; time is fitting, with "
        "the choice of parameters by cross-validation, and predicting, for one split.",
        f"* lowest {_BY[by]}; ≈ not significantly worse (one-sided Wilcoxon signed-rank test, "
        f"{LEVEL}).",
    ]
    if by != "error":
        notes.append(f"Parameters are chosen, and rows ordered, by {_BY[by]}.")
    if splits < fewest_splits():
        notes.append(
            f"With fewer than {fewest_splits()} splits the test cannot find any difference."
        )
    if any(row.converted for row in rows):
        notes.append("† dissimilarities D turned into similarities 1 - D/max(D of training).")
    notes.append("Balanced %: the error in each class, averaged over classes.")
    if by == "cost":
        notes.append("Cost: the mean cost of a decision.")
    else:
        notes += [f"Mean cost of {r.method}: {r.cost:.4g}." for r in rows if r.cost is not None]
    if any(row.error_mean is not None and row.log_loss is None for row in rows):
        notes.append(f"{ABSENT} in log-loss: the method gives no probabilities.")
    notes += [f"{row.method} failed: {row.failure}" for row in rows if row.failure]
    return notes + _warnings(records)


def _warnings(records: Sequence[Record]) -> list[str]:
    """Tell the most frequent warning of each method; details differ from split to split."""
    warned: dict[str, Counter[str]] = {}
    for record in records:
        warned.setdefault(record["method"], Counter()).update(record.get("warnings", ()))
    return [
        f"{method} warned: {counts.most_common(1)[0][0]}"
        + (f" ({len(counts) - 1} other warnings are in the results)" if len(counts) > 1 else "")
        for method, counts in warned.items()
        if counts
    ]
