"""Conformal sets: how often they hold the true label, and how large they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from similearn.experiments.comparisons.statistics import LEVEL, holm_adjusted
from similearn.experiments.comparisons.store import Record
from similearn.experiments.evidence.claims import Claim
from similearn.experiments.evidence.page_tables import markdown_table
from similearn.experiments.evidence.sets import SETS
from similearn.experiments.honesty.further_measures import COVERAGES

Floats = NDArray[np.float64]

FEWEST = 20
"""Test samples of a class, over all partitions, of which a share is worth telling."""

_OTHER_SOURCE = {one.key for one in SETS if not one.same_source}


@dataclass(frozen=True, eq=False)
class Covered:
    """Sets of one coverage on one data set.

    Parameters
    ----------
    problem, coverage : which
    tested : (partitions, classes) test samples
    hits : for "whole", "smoothed" and "split", (partitions, classes) true labels that sets hold
    sizes : for the same, mean labels per set
    """

    problem: str
    coverage: float
    tested: Floats
    hits: dict[str, Floats]
    sizes: dict[str, float]

    def share(self, kind: str, classes: slice | int = slice(None)) -> tuple[float, float]:
        """Share of test samples whose set holds the true label, and its standard error.

        The error is over partitions: the queries of one share their training samples.
        """
        tested = self.tested[:, classes].reshape(len(self.tested), -1).sum(axis=1)
        hits = self.hits[kind][:, classes].reshape(len(tested), -1).sum(axis=1)
        share = hits.sum() / tested.sum()
        spread = np.std(hits - share * tested, ddof=1) * np.sqrt(len(tested))
        return float(share), float(spread / tested.sum())

    def is_near(self, kind: str, classes: slice | int = slice(None)) -> bool:
        """Whether the share is within two standard errors of the coverage."""
        share, error = self.share(kind, classes)
        return abs(share - self.coverage) <= 2.0 * error + 1e-12

    def p_value(self, kind: str, classes: slice | int = slice(None)) -> float:
        """Of a two-sided t-test that the coverage is what is asked."""
        share, error = self.share(kind, classes)
        if error == 0.0:
            return float(share == self.coverage)
        distance = abs(share - self.coverage) / error
        return float(2.0 * t.sf(distance, len(self.tested) - 1))

    @property
    def classes(self) -> list[int]:
        """Classes with enough test samples."""
        return [int(g) for g in np.flatnonzero(self.tested.sum(axis=0) >= FEWEST)]


def covered_of(records: Iterable[Record]) -> list[Covered]:
    """Gather the results of the part "sets" by data set and coverage.

    Partitions whose training part lacks a class are left out: their classes are others.
    """
    by_set: dict[str, list[Record]] = {}
    for record in records:
        if record.get("part") == "sets" and "failure" not in record:
            by_set.setdefault(record["problem"], []).append(record)
    return [
        _covered(problem, position, coverage, found)
        for problem, found in by_set.items()
        for position, coverage in enumerate(COVERAGES)
        if len(found) > 1
    ]


def _covered(problem: str, position: int, coverage: float, found: list[Record]) -> Covered:
    most = max(len(record["tested"]) for record in found)
    found = [record for record in found if len(record["tested"]) == most]
    rows = [record["sets"][position] for record in found]
    tested = np.array([record["tested"] for record in found], dtype=np.float64)
    kinds = ("whole", "smoothed", "split")
    return Covered(
        problem,
        coverage,
        tested,
        {kind: np.array([row[kind] for row in rows], dtype=np.float64) for kind in kinds},
        {kind: sum(row[f"{kind}_size"] for row in rows) / tested.sum() for kind in kinds},
    )


def coverage_claims(found: Sequence[Covered]) -> list[Claim]:
    """Coverage within two standard errors, overall and per class; sizes beside split conformal.

    Sets whose test samples have another source are in the table, but nothing is claimed of them:
    that both are drawn alike is all that the theorem supposes.
    """
    found = [one for one in found if one.problem not in _OTHER_SOURCE]
    if not found:
        return []
    far = [_named(one) for one in found if not one.is_near("smoothed")]
    classes = [(one, g) for one in found for g in one.classes]
    near = sum(one.is_near("smoothed", g) for one, g in classes)
    p_values = {f"{_named(one)}, {g}": one.p_value("smoothed", g) for one, g in classes}
    odd = sum(p < LEVEL for p in holm_adjusted(p_values).values())
    low = [
        _named(one)
        for one in found
        if one.share("whole")[0] < one.coverage - 2.0 * one.share("whole")[1]
    ]
    larger = [_named(one) for one in found if one.sizes["whole"] > one.sizes["split"]]
    n = len(found)
    return [
        Claim(
            "coverage within two standard errors, ties counted by a random share",
            f"{n - len(far)} of {n}{_not(far)}",
            not far,
        ),
        Claim(
            "the same in every class",
            f"{near} of {len(classes)}, where chance alone allows for some 95 of 100; with all "
            f"tests taken together {odd or 'none'} differ significantly",
            near == len(classes),
        ),
        Claim(
            "coverage of `predict_set` not significantly below what is asked",
            f"{n - len(low)} of {n}{_not(low)}",
            not low,
        ),
        Claim(
            "sets no larger than those of split conformal prediction",
            f"{n - len(larger)} of {n}{_not(larger)}",
            not larger,
        ),
    ]


def coverage_table(found: Sequence[Covered]) -> str:
    """A row for every set and coverage."""
    head = ["set", "asked", "partitions", "covered", "± 2 se", "classes within", "`predict_set`"]
    head += ["labels per set", "split: covered", "split: labels per set"]
    rows = []
    for one in found:
        share, error = one.share("smoothed")
        within = sum(one.is_near("smoothed", g) for g in one.classes)
        told = f"{100 * share:.1f}"
        rows.append(
            [
                one.problem,
                f"{100 * one.coverage:g}",
                str(len(one.tested)),
                told if one.is_near("smoothed") else f"**{told}**",
                f"{200 * error:.1f}",
                f"{within} of {len(one.classes)}",
                f"{100 * one.share('whole')[0]:.1f}",
                f"{one.sizes['whole']:.2f}",
                f"{100 * one.share('split')[0]:.1f}",
                f"{one.sizes['split']:.2f}",
            ]
        )
    return markdown_table(head, "lrrrrrrrrr", rows)


def _named(one: Covered) -> str:
    return f"{one.problem} at {100 * one.coverage:g} %"


def _not(names: Sequence[str]) -> str:
    return f"; not {', '.join(names)}" if names else ""
