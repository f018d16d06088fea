"""Page four: the methods compared, from a leaderboard, a search, or the records of splits."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from similearn.experiments.comparisons.statistics import fewest_splits, signed_rank_p_value
from similearn.experiments.comparisons.store import Record
from similearn.experiments.comparisons.tables import paired_errors, summarize
from similearn.experiments.registry import known_method
from similearn.numerics.scores.judgement import Z95
from similearn.report.contents.sheets import Curve, Estimate, MethodLine, Methods

LUCK_BY_SPLIT = "one-sided Wilcoxon signed-rank test over the splits"
LUCK_BY_SAMPLE = "exact one-sided McNemar test on the held-out samples"
MOST_METHODS = 60
MOST_CURVE_POINTS = 60


def methods_of_leaderboard(rows: Sequence[Mapping[str, Any]]) -> Methods:
    """The methods that a `SimilarityClassifier` tried."""
    several = len({row["source"] for row in rows}) > 1
    lines = []
    for row in rows[:MOST_METHODS]:
        name = f"{row['method']} ({row['source']})" if several else row["method"]
        lines.append(
            MethodLine(
                name=name,
                error=_around(row["error"], row["error_se"]),
                log_loss=row["log_loss"],
                seconds=row["seconds"],
                weight=row["weight"],
                parameters=told_parameters(row["parameters"]),
                failure=row["failure"],
                summary=summary_of(row["method"]),
            )
        )
    told = [
        "Errors on held-out samples of the same folds, with 95 % intervals. Weight is the "
        "method's part in the combination; methods without a weight are not used. The method of "
        "the lowest log-loss comes first.",
    ]
    curves = [c for row in rows for c in _leaderboard_curves(row)]
    p_values = [row.get("errs_more", [])[:MOST_METHODS] for row in rows[:MOST_METHODS]]
    if len(lines) < 2 or any(len(row) != len(lines) for row in p_values):
        return Methods(lines, told, curves=curves)
    return Methods(lines, told, p_values, LUCK_BY_SAMPLE, curves)


def methods_of_records(records: Sequence[Record]) -> Methods:
    """The methods of a comparison: means over random splits, and which differences are luck."""
    table = summarize(records)
    done: dict[str, list[Record]] = {}
    for record in records:
        if "failure" not in record:
            done.setdefault(record["method"], []).append(record)
    lines = []
    for row in table.rows[:MOST_METHODS]:
        errors = [r["error"] for r in done.get(row.method, [])]
        lines.append(
            MethodLine(
                name=row.method,
                error=_over_splits(errors),
                log_loss=row.log_loss,
                seconds=row.seconds,
                parameters=told_parameters(row.parameters) + (" †" if row.converted else ""),
                mark=row.mark,
                failure=row.failure,
                summary=summary_of(row.method),
                splits=errors,
            )
        )
    told = [
        f"Means over {len({r['split'] for r in records})} random splits with 95 % intervals of the "
        "mean; splits share samples, so that these are a little narrow. Thin marks are single "
        "splits. Time is that of fitting, with the choice of parameters, and predicting, for one "
        "split; parameters are those chosen most often.",
        *(note for note in table.notes if not note.startswith(("Mean and", "*", "Balanced"))),
    ]
    curves = [
        c for r in table.rows[:MOST_METHODS] for c in _split_curves(r, done.get(r.method, []))
    ]
    return Methods(lines, told, _p_values(lines, paired_errors(done)), LUCK_BY_SPLIT, curves)


def methods_of_search(search: Any, name: str) -> Methods:
    """One method over the parameters that a search tried."""
    results = search.cv_results_
    best = int(search.best_index_)
    scores = _split_scores(results)[:, best]
    line = MethodLine(
        name=name,
        error=_over_splits((1.0 - scores).tolist()),
        parameters=told_parameters(search.best_params_),
        seconds=float(np.sum(results.get("mean_fit_time", [0.0]))),
        splits=(1.0 - scores).tolist(),
    )
    told = [f"Errors on {len(scores)} held-out folds; the interval is that of their mean."]
    return Methods([line], told, curves=curves_of_search(results, best, name))


def curves_of_search(results: Mapping[str, Any], best: int, name: str) -> list[Curve]:
    """Error along each parameter, the others held at the chosen point."""
    params: list[dict[str, Any]] = list(results["params"])
    scores = _split_scores(results).mean(axis=0)
    return curves_of(name, params, (1.0 - scores).tolist(), best)


def curves_of(
    name: str, points: Sequence[Mapping[str, Any]], errors: Sequence[float], best: int
) -> list[Curve]:
    """Slices through the chosen point, one for each parameter that took several values."""
    chosen = points[best]
    found = []
    for parameter in chosen:
        along = [
            (point[parameter], error)
            for point, error in zip(points, errors, strict=True)
            if all(_same(point.get(o), chosen[o]) for o in chosen if o != parameter)
        ]
        if len(along) < 2:
            continue
        if all(isinstance(v, int | float) for v, _ in along):
            along.sort(key=lambda pair: pair[0])
        values = [v if isinstance(v, int | float) else str(v) for v, _ in along]
        short = parameter.rsplit("__", 1)[-1]
        picked = chosen[parameter]
        picked = picked if isinstance(picked, int | float) else str(picked)
        kept = _thinned(len(along), MOST_CURVE_POINTS)
        found.append(
            Curve(
                name,
                short,
                [values[i] for i in kept],
                [float(along[i][1]) for i in kept],
                picked,
            )
        )
    return found


def told_parameters(parameters: Mapping[str, Any]) -> str:
    """Parameters in one line, by their short names."""
    return ", ".join(
        f"{name.rsplit('__', 1)[-1]} = {value:g}"
        if isinstance(value, float)
        else f"{name.rsplit('__', 1)[-1]} = {value}"
        for name, value in parameters.items()
    )


def summary_of(name: str) -> str:
    """What a registered method is, in one line; empty of others. A source may follow its name."""
    method = known_method(name) or known_method(name.partition(" ")[0])
    return "" if method is None else f"{method.summary} ({method.source})"


def _leaderboard_curves(row: Mapping[str, Any]) -> list[Curve]:
    points = row.get("tried") or []
    candidates = [{k: v for k, v in point.items() if k != "error"} for point in points]
    if row["parameters"] not in candidates:
        return []
    best = candidates.index(row["parameters"])
    return curves_of(row["method"], candidates, [p["error"] for p in points], best)


def _split_curves(row: Any, done: Sequence[Record]) -> list[Curve]:
    """Curves of one method, means over the splits, through what was chosen most often."""
    found: dict[str, list[float]] = {}
    for record in done:
        columns = dict(record.get("tried") or {})
        errors = columns.pop("error", [])
        for values, error in zip(zip(*columns.values(), strict=True), errors, strict=False):
            point = json.dumps(dict(zip(columns, values, strict=True)))
            found.setdefault(point, []).append(error)
    # Neighbourhoods are cut to the training part, so that some splits may lack a point.
    means = {p: float(np.mean(e)) for p, e in found.items() if len(e) == len(done)}
    chosen = json.dumps(row.parameters)
    if chosen not in means:
        return []
    points = [json.loads(point) for point in means]
    return curves_of(row.method, points, list(means.values()), list(means).index(chosen))


def _same(a: Any, b: Any) -> bool:
    with np.errstate(over="ignore"):  # a number of half the precision is cast to
        return bool(a is b or np.all(a == b))


def _thinned(n: int, most: int) -> list[int]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int)).tolist()


def _split_scores(results: Mapping[str, Any]) -> Any:
    """(n_splits, n_candidates) scores of the metric that decided; accuracies, if it is one."""
    names = sorted(n for n in results if n.startswith("split") and n.endswith("_test_score"))
    if not names:
        names = sorted(n for n in results if n.startswith("split") and n.endswith("_test_accuracy"))
    if not names:
        return np.asarray([results[n] for n in results if n.startswith("mean_test_")][:1])
    return np.array([results[name] for name in names], dtype=np.float64)


def mean_log_loss_of(records: Sequence[Record], method: str) -> Estimate | None:
    """Mean log-loss of a method over its splits; None where it has no probabilities."""
    losses = [r.get("log_loss") for r in records if r["method"] == method]
    return _over_splits([loss for loss in losses if loss is not None], most=np.inf)


def _around(value: float | None, se: float | None, most: float = 1.0) -> Estimate | None:
    if value is None or se is None:
        return None
    return Estimate(value, max(value - Z95 * se, 0.0), min(value + Z95 * se, most))


def _over_splits(values: Sequence[float], most: float = 1.0) -> Estimate | None:
    """Mean and the interval of the mean; splits share samples, so that it is a little narrow."""
    if not len(values):
        return None
    mean = float(np.mean(values))
    se = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return _around(mean, se, most)


def _p_values(
    lines: Sequence[MethodLine], errors: Mapping[str, Any]
) -> list[list[float | None]] | None:
    """P-values that the method of the row errs more than that of the column, on common splits."""
    if not errors or len(next(iter(errors.values()))) < fewest_splits():
        return None
    return [
        [
            signed_rank_p_value(errors[row.name] - errors[column.name])
            if row.name in errors and column.name in errors and row is not column
            else None
            for column in lines
        ]
        for row in lines
    ]
