"""The tables behind the charts: real markup, for readers without sight, script or colour."""

from typing import Any

import numpy as np

from similearn.numerics.scores.judgement import confusion, error_by_coverage, reliability
from similearn.report.contents.scoring import hardest, largest_confusions
from similearn.report.contents.sheets import Contents, Judged
from similearn.report.contents.suspects import doubted_of
from similearn.report.html.packing import Limits, cut_text, rounding_of

MOST_COLUMNS = 30
"""Classes up to which the confusion matrix is a table with a column for each."""
MOST_HARDEST = 20
MOST_CLASSES = 40
_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.25)


def tables_of(contents: Contents, limits: Limits) -> dict[str, Any]:
    """Rows of all tables; those that there is nothing to tell in are empty."""
    judged = contents.judged
    names = [cut_text(name, limits.name) for name in contents.class_names]
    told: dict[str, Any] = {
        "class_names": names,
        "sizes": _sizes(contents, limits),
        "confusion": None,
        "order": contents.class_order,
        "confusions": [],
        "reliability": None,
        "coverage": [],
        "hardest": [],
        "suspicious": _suspicious(contents, limits),
        "doubted": 0 if judged is None else len(doubted_of(judged)),
        "asked": max((one.get("asked", 0) for one in contents.suspicious), default=0),
        "spectrum": _spectrum(contents),
        "between": _between(contents),
    }
    if judged is not None:
        known = judged.truth >= 0
        counts = confusion(judged.truth[known], judged.decided[known], len(names))
        order = contents.class_order or list(range(len(names)))
        cells = [(g, counts[g, order].tolist()) for g in order]
        told["confusion"] = cells if len(names) <= MOST_COLUMNS else None
        told["order"] = order
        told["confusions"] = largest_confusions(judged)
        told["hardest"] = _hardest(contents, judged, limits)
        if judged.confidence is not None:
            told["reliability"] = reliability(judged.confidence, judged.right)
            told["coverage"] = _coverage(judged)
    return told


def _sizes(contents: Contents, limits: Limits) -> list[tuple[str, int]]:
    sizes = contents.glance.class_sizes or {}
    rows = sorted(sizes.items(), key=lambda pair: -pair[1])
    told = [(cut_text(name, limits.name), size) for name, size in rows[:MOST_CLASSES]]
    rest = rows[MOST_CLASSES:]
    if rest:
        told.append((f"{len(rest)} further classes", sum(size for _, size in rest)))
    return told


def _coverage(judged: Judged) -> list[tuple[float, float, float]]:
    """(coverage, error, least probability) at some coverages."""
    sure = judged.confidence
    assert sure is not None
    coverage, error, threshold = error_by_coverage(sure, judged.right)
    found = []
    for wanted in _COVERAGES:
        i = int(np.searchsorted(coverage, wanted - 1e-9))
        if i < len(coverage):
            found.append((float(coverage[i]), float(error[i]), float(threshold[i])))
    return list(dict.fromkeys(found))


def _hardest(contents: Contents, judged: Judged, limits: Limits) -> list[dict[str, Any]]:
    rows = []
    P = judged.probabilities
    for i in hardest(judged, MOST_HARDEST).tolist():
        truth = int(judged.truth[i])
        rows.append(
            {
                "place": i,
                "name": cut_text(contents.names[i], limits.name),
                "truth": truth,
                "decided": int(judged.decided[i]),
                "own": None if P is None else 0.0 if truth < 0 else float(P[i, truth]),
                "sure": None if P is None else float(P[i, judged.decided[i]]),
            }
        )
    return rows


def _suspicious(contents: Contents, limits: Limits) -> list[dict[str, Any]]:
    def name(i: int) -> str:
        return cut_text(contents.names[i], limits.name)

    codes = contents.codes
    return [
        suspect
        | {
            "name": name(suspect["sample"]),
            "against": [
                (j, name(j), int(codes[j]) if codes is not None else -1) for j in suspect["against"]
            ],
        }
        for suspect in contents.suspicious
    ]


def _spectrum(contents: Contents) -> dict[str, Any] | None:
    pictures = contents.pictures
    if pictures is None or pictures.spectrum is None:
        return None
    values = pictures.spectrum
    floor = rounding_of(values)
    negative, positive = values[values < -floor], values[values > floor]
    total = np.abs(values).sum() or 1.0
    return {
        "n": len(values),
        "negative": len(negative),
        "positive": len(positive),
        "zero": len(values) - len(negative) - len(positive),
        "mass": float(np.abs(negative).sum() / total),
        "first": [float(v) for v in values[:5]],
        "last": [float(v) for v in values[-5:]],
    }


def _between(contents: Contents) -> list[dict[str, Any]]:
    """Mean value within each class, and to the class that is nearest to it."""
    pictures = contents.pictures
    if pictures is None or pictures.matrix.class_means is None:
        return []
    means = pictures.matrix.class_means
    sign = -1.0 if pictures.large_is_near else 1.0
    others = np.where(np.isnan(means) | np.eye(len(means), dtype=bool), np.inf, sign * means)
    rows = []
    for code in range(len(means)):
        other = int(others[code].argmin())
        known = np.isfinite(others[code, other])
        within = float(means[code, code])
        rows.append(
            {
                "code": code,
                "within": None if np.isnan(within) else within,
                "other": other if known else -1,
                "to_other": float(means[code, other]) if known else None,
            }
        )
    return rows
