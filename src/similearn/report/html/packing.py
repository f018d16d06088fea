"""What the page's script draws, as JSON: thinned, binned and quantized to a number of bytes."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from similearn.errors import without_controls
from similearn.numerics.neighbors.topk import top_k
from similearn.numerics.scores.judgement import confusion, error_by_coverage, reliability
from similearn.report.contents.judging import MOST_NEIGHBORS
from similearn.report.contents.scoring import by_importance
from similearn.report.contents.sheets import BlockPictures, Contents, Indices, Judged

UNKNOWN = 65535  # a class that is not known, among 16-bit codes
_CURVE = 300  # points of the curve of error against coverage
LONGEST_REFERENCE = 120  # characters of a neighbour's text
_FINEST = 65534  # of 16-bit shares and coordinates


@dataclass(frozen=True)
class Limits:
    """How much a page may hold.

    Parameters
    ----------
    samples : that are drawn; the hardest first, then random ones
    detailed : samples whose reasons are told
    name, text : characters of a name, and of an object
    classes : whose probability is told of each sample
    eigenvalues : that are drawn
    """

    samples: int = 20_000
    detailed: int = 1500
    name: int = 64
    text: int = 600
    classes: int = 5
    eigenvalues: int = 400

    def ever_smaller(self) -> Iterator["Limits"]:
        """These limits, and then smaller and smaller ones."""
        limits = self
        for step in range(12):
            yield limits
            # Reasons go first: every sample on the map is worth more than reasons of most.
            fewer = limits.samples if step < 3 else max(limits.samples * 2 // 3, 200)
            limits = replace(
                limits,
                samples=fewer,
                detailed=max(limits.detailed // 2, 20),
                name=max(limits.name * 2 // 3, 12),
                text=max(limits.text // 2, 40),
                classes=max(limits.classes - 1, 2),
            )


def cut_text(text: str, longest: int) -> str:
    """A text without control characters and half letters; its two ends, if it is long."""
    text = without_controls(text.encode("utf-8", "replace").decode("utf-8"))
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[: longest - 1 - half]}…{text[-half:]}" if half else text[:longest]


def script_data(contents: Contents, limits: Limits) -> dict[str, Any]:
    """Everything that the page's script needs."""
    order = by_importance(contents)
    shown = np.sort(order[: limits.samples])
    details = _details(contents, order[: min(limits.detailed, limits.samples)], limits)
    return {
        "classes": [cut_text(name, limits.name) for name in contents.class_names],
        "order": contents.class_order,
        "samples": _samples(contents, shown, limits),
        "whole": _whole(contents) if len(shown) < len(contents.names) else None,
        "pictures": None if contents.pictures is None else _pictures(contents.pictures, shown),
        "spectrum": _spectrum(contents.pictures, limits.eigenvalues),
        "methods": None if contents.methods is None else _methods(contents.methods),
        "details": details,
        "references": _references(contents, details, limits),
        "kind": contents.glance.kind,
        "glance": _glance(contents),
        "members": _members(contents),
        "most": MOST_NEIGHBORS,
    }


def _whole(contents: Contents) -> dict[str, Any]:
    """What charts show of all samples, where not all are here: those that are, are the hardest."""
    told: dict[str, Any] = {}
    if contents.codes is not None:
        codes = contents.codes[contents.codes >= 0]
        told["sizes"] = np.bincount(codes, minlength=len(contents.class_names)).tolist()
    judged = contents.judged
    if judged is None:
        return told
    known = judged.truth >= 0
    counts = confusion(judged.truth[known], judged.decided[known], len(judged.classes))
    told["confusion"] = [[int(g), int(h), int(counts[g, h])] for g, h in np.argwhere(counts)]
    sure = judged.confidence
    if sure is not None:
        bins = reliability(sure, judged.right)
        names = ("low", "high", "count", "stated", "right")
        told["reliability"] = [[_rounded(float(v)) for v in getattr(bins, name)] for name in names]
        rows = np.stack(error_by_coverage(sure, judged.right), axis=1)
        kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _CURVE)).round().astype(int))
        told["coverage"] = [[_rounded(v) for v in row] for row in rows[kept].tolist()]
    return told


def as_json(data: Any) -> str:
    """JSON that can stand in a page: no character of it means anything to HTML."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _samples(contents: Contents, shown: Indices, limits: Limits) -> dict[str, Any]:
    n = len(contents.names)
    numbered = all(name == str(i) for i, name in enumerate(contents.names))
    told: dict[str, Any] = {
        "n": n,
        "places": None if len(shown) == n else _packed(shown, np.uint32),
        "names": None if numbered else [cut_text(contents.names[i], limits.name) for i in shown],
        "truth": None,
        "decided": None,
    }
    if contents.codes is not None:
        codes = contents.codes[shown]
        told["truth"] = _packed(np.where(codes < 0, UNKNOWN, codes), np.uint16)
    if contents.judged is not None:
        told |= _judged(contents.judged, shown, limits.classes)
    return told


def _judged(judged: Judged, shown: Indices, most: int) -> dict[str, Any]:
    told: dict[str, Any] = {"decided": _packed(judged.decided[shown], np.uint16)}
    if judged.probabilities is None:
        return told
    P = judged.probabilities[shown]
    k = min(most, P.shape[1])
    top, shares = top_k(np.ascontiguousarray(P), k)
    truth = judged.truth[shown]
    own = np.where(truth < 0, 0.0, P[np.arange(len(P)), truth])
    sure = judged.confidence
    assert sure is not None
    return told | {
        "own": _shares(own),
        "sure": _shares(sure[shown]),
        "top": {
            "k": k,
            "classes": _packed(top, np.uint16),
            "shares": _shares(shares),
        },
    }


def _pictures(pictures: BlockPictures, shown: Indices) -> dict[str, Any]:
    matrix = pictures.matrix
    cells = np.round(255 * np.interp(matrix.cells, matrix.points, matrix.shares))
    return {
        "near": pictures.large_is_near,
        "landmarks": pictures.landmarks,
        "planes": [
            dict(zip(("name", "x", "y"), (p.name, *_coordinates(p.points[shown])), strict=True))
            for p in pictures.planes
        ],
        "matrix": {
            "side": len(matrix.cells),
            "step": matrix.step,
            "points": [_rounded(v) for v in matrix.points],
            "shares": [_rounded(v) for v in matrix.shares],
            "cells": _packed(cells, np.uint8),
            "order": _packed(matrix.order, np.uint32),
            "edges": matrix.edges,
        },
    }


def _spectrum(pictures: BlockPictures | None, most: int) -> Any:
    if pictures is None or pictures.spectrum is None:
        return None
    values = pictures.spectrum
    noise = rounding_of(values)
    values = np.where(np.abs(values) <= noise, 0.0, values)
    half = most // 2
    kept = np.arange(len(values))
    if len(values) > most:  # both ends in full detail, the middle thinned
        middle = np.linspace(half // 2, len(values) - half // 2 - 1, half).round().astype(int)
        kept = np.unique(np.r_[: half // 2, middle, len(values) - half // 2 : len(values)])
    return {
        "n": len(values),
        "rank": (kept + 1).tolist(),
        "value": [float(f"{v:.5g}") for v in values[kept]],
    }


def rounding_of(eigenvalues: Any) -> float:
    """Magnitude up to which an eigenvalue is zero but for rounding."""
    return float(len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max(initial=0.0))


def _methods(methods: Any) -> dict[str, Any]:
    return {
        "lines": [
            {
                "name": cut_text(line.name, 60),
                "error": None if line.error is None else _rounded(line.error.value),
                "low": None if line.error is None else _rounded(line.error.low),
                "high": None if line.error is None else _rounded(line.error.high),
                "mark": line.mark,
                "weight": line.weight,
                "splits": [_rounded(e) for e in line.splits[:200]],
            }
            for line in methods.lines
            if line.error is not None
        ],
        "curves": [
            {
                "method": curve.method,
                "parameter": curve.parameter,
                "values": curve.values,
                "errors": [_rounded(e) for e in curve.errors],
                "chosen": curve.chosen,
            }
            for curve in methods.curves
        ],
    }


def _details(contents: Contents, chosen: Indices, limits: Limits) -> dict[str, Any]:
    return {str(int(i)): told for i in chosen if (told := _detail(contents, int(i), limits))}


def _detail(contents: Contents, i: int, limits: Limits) -> dict[str, Any]:
    told: dict[str, Any] = {}
    judged = contents.judged
    reasons = contents.nearest if judged is None or judged.reasons is None else judged.reasons
    if reasons is not None and reasons.neighbors is not None:
        told["near"] = _neighbors(contents, reasons, i, limits)
        if i in contents.groups:
            told["groups"] = contents.groups[i]
        told["parts"] = [
            [cut_text(name, 40), [_rounded(v) for v in part[i]]]
            for name, part in list(reasons.parts.items())[:12]
        ]
    if judged is not None and reasons is not None and judged.probabilities is not None:
        top = np.argsort(-judged.probabilities[i], kind="stable")[: limits.classes]
        told["top"] = top.tolist()
        told["terms"] = [
            [cut_text(name, 60), [_rounded(term[i, g]) for g in top]]
            for name, term in list(reasons.terms.items())[:12]
        ]
    if i in contents.objects and contents.objects[i].get("text") != contents.names[i]:
        told["object"] = _object(contents.objects[i], limits.text)
    return told


def _object(thing: dict[str, str], longest: int) -> dict[str, str]:
    return {k: cut_text(v, longest) if k == "text" else v for k, v in thing.items()}


def _references(contents: Contents, details: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """Objects of the model's own samples that are named as neighbours, by their names."""
    judged = contents.judged
    if not contents.reference_objects or judged is None:
        return {}
    named = {near[1] for told in details.values() for near in told.get("near", []) if near[0] < 0}
    return {
        name: _object(contents.reference_objects[i], min(limits.text, LONGEST_REFERENCE))
        for i, name in enumerate(cut_text(one, limits.name) for one in judged.reference_names)
        if name in named and i in contents.reference_objects
    }


def _neighbors(contents: Contents, reasons: Any, i: int, limits: Limits) -> list[Any]:
    """[place or -1, name or 0, class, value, weight] of each neighbour."""
    judged = contents.judged
    places = None if judged is None else judged.reference_places
    codes = contents.codes if judged is None else judged.reference_codes
    names = contents.names if judged is None else judged.reference_names
    found = []
    for j, near in enumerate(reasons.neighbors[i]):
        if near < 0:
            continue
        place = int(near) if places is None else int(places[near])
        found.append(
            [
                place,
                0 if place >= 0 else cut_text(names[near], limits.name),
                -1 if codes is None else int(codes[near]),
                _rounded(reasons.values[i, j]),
                None if reasons.weights is None else _rounded(reasons.weights[i, j]),
            ]
        )
    return found


def _members(contents: Contents) -> dict[str, float | None] | None:
    """Weights of the members of a combination, by name as in the terms; None of other models."""
    judged = contents.judged
    weights = {} if judged is None or judged.reasons is None else judged.reasons.member_weights
    return {cut_text(name, 60): _rounded(w) for name, w in weights.items()} or None


def _glance(contents: Contents) -> dict[str, Any]:
    glance = contents.glance
    error = glance.error
    return {
        "error": None if error is None else [error.value, error.low, error.high],
        "majority": glance.majority_error,
        "chance": glance.chance_error,
    }


def _rounded(value: float) -> float | None:
    """Five digits; None where a number is none."""
    return float(f"{value:.5g}") if np.isfinite(value) else None


def _packed(values: Any, dtype: Any) -> str:
    """Little-endian bytes in base 64."""
    array = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return base64.b64encode(array.tobytes()).decode("ascii")


def _shares(values: Any) -> str:
    return _packed(np.round(np.clip(values, 0.0, 1.0) * _FINEST), np.uint16)


def _coordinates(points: Any) -> tuple[str, str]:
    """Both axes in 16 bits, at the same scale."""
    if not len(points):
        return "", ""
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    half = float(np.abs(points - middle).max()) or 1.0
    whole = np.round((points - middle + half) / (2 * half) * _FINEST)
    return _packed(whole[:, 0], np.uint16), _packed(whole[:, 1], np.uint16)
