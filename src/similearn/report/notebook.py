"""What notebooks show of results: the tables of the reports, without script."""

from typing import Any

import numpy as np

from similearn.data import Pairwise
from similearn.data.diagnosis import Diagnosis
from similearn.data.values import filled
from similearn.errors import MissingExtraError, readable
from similearn.estimators.shell.explanation import Explanation
from similearn.numerics.linalg.plane import binned, even_scale
from similearn.report.contents.method_sheet import methods_of_leaderboard, methods_of_search
from similearn.report.contents.objects_shown import image_uri
from similearn.report.contents.scoring import ranked_findings
from similearn.report.html.page import asset, environment
from similearn.selection.auto.leaderboard import Leaderboard
from similearn.selection.auto.reasons import CombinedExplanation

MOST_QUERIES = 5
MOST_NEIGHBORS = 10
MOST_CLASSES = 5
_CORNER = 5
_PICTURED = 1000  # samples of a block whose picture is drawn
_SIDE = 128


def page_of(thing: Any) -> str | None:
    """HTML of a block, a diagnosis, an explanation, a leaderboard or a search, or None.

    Everything of the user's is escaped. It needs no script, and takes the colours of the notebook.
    """
    told = _told(thing)
    if told is None:
        return None
    try:
        template = environment().get_template("notebook.html")
    except MissingExtraError:
        return None
    style = asset("assets/notebook.css")
    return str(template.render(style=style, **told))


def _told(thing: Any) -> dict[str, Any] | None:
    if isinstance(thing, Pairwise):
        return {"kind": "block", "title": repr(thing)} | _block(thing)
    if isinstance(thing, Diagnosis):
        findings = ranked_findings(thing, [])
        return {"kind": "findings", "title": f"Diagnosis of {thing.n} samples", "found": findings}
    if isinstance(thing, Explanation):
        return {"kind": "explanation", "title": "Explanation"} | _explanation(thing)
    if isinstance(thing, Leaderboard):
        methods = methods_of_leaderboard(thing.rows)
        return {"kind": "methods", "title": f"{len(thing)} methods tried", "m": methods}
    if hasattr(thing, "cv_results_") and hasattr(thing, "best_index_"):
        name = type(thing.estimator).__name__
        title = f"Best of {len(thing.cv_results_['params'])} points"
        return {"kind": "methods", "title": title, "m": methods_of_search(thing, name)}
    return None


def _block(block: Pairwise) -> dict[str, Any]:
    m, n = (min(size, _CORNER) for size in block.shape)
    corner = block[np.ix_(np.arange(m), np.arange(n))]
    values = filled(corner.values, np.nan)
    return {
        "columns": _names(corner.column_ids, n),
        "rows": [
            (name, ["" if np.isnan(v) else f"{v:.4g}" for v in row])
            for name, row in zip(_names(corner.row_ids, m), values, strict=True)
        ],
        "left_out": block.shape != (m, n),
        "picture": _picture(block),
    }


def _picture(block: Pairwise) -> str | None:
    """A small grey image of a square block, dark where samples are near."""
    n = len(block)
    if block.is_lazy or not block.same_samples or not 2 <= n <= _PICTURED:
        return None
    values = filled(block.values, np.nan)
    seen = values[np.isfinite(values) & ~np.eye(n, dtype=bool)]
    if not len(seen):
        return None
    sign = 1.0 if block.large_is_near else -1.0
    points, shares = even_scale(sign * seen)
    near = np.interp(np.nan_to_num(sign * values, nan=points[0]), points, shares)
    return image_uri(1.0 - binned(near, _SIDE)[0])


def _names(ids: Any, n: int) -> list[str]:
    return [readable(str(one)) for one in (range(n) if ids is None else ids)]


def _explanation(told: Explanation) -> dict[str, Any]:
    combined = isinstance(told, CombinedExplanation)
    return {
        "queries": [_query(told, i, combined) for i in range(min(len(told), MOST_QUERIES))],
        "more": max(len(told) - MOST_QUERIES, 0),
        "notes": told.notes,
        "shares": combined,
    }


def _query(told: Explanation, i: int, combined: bool) -> dict[str, Any]:
    scores = np.exp(told.scores[i]) if combined else told.scores[i]
    order = np.argsort(-scores, kind="stable")[:MOST_CLASSES]
    width = float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)) or 1.0
    return {
        "name": readable(str(i if told.row_ids is None else told.row_ids[i])),
        "decision": readable(str(told.decisions[i])),
        "classes": [readable(str(told.classes[g])) for g in order],
        "scores": [(float(scores[g]), _length(scores[g], width)) for g in order],
        "terms": [
            (name, [float(values[i, g]) for g in order])
            for name, values in told.terms.items()
            if np.shape(values) == told.scores.shape
        ],
        "neighbors": _neighbors(told, i),
    }


def _neighbors(told: Explanation, i: int) -> list[dict[str, Any]]:
    if told.neighbors is None or told.weights is None:
        return []
    weights = np.asarray(told.weights[i], dtype=np.float64)
    heavy = np.sort(np.argsort(-np.abs(weights), kind="stable")[:MOST_NEIGHBORS])
    width = float(np.abs(weights).max(initial=0.0)) or 1.0
    names = told.reference_ids
    return [
        {
            "name": readable(str(j if names is None else names[j])),
            "label": readable(str(told.labels[i, place])),  # type: ignore[index]
            "value": float(told.values[i, place]),  # type: ignore[index]
            "weight": float(weights[place]),
            "length": _length(weights[place], width),
        }
        for place in heavy
        for j in [told.neighbors[i, place]]
    ]


def _length(value: float, whole: float) -> int:
    """Of a bar, in percent."""
    return round(100 * abs(float(value)) / whole) if np.isfinite(value) else 0
