"""Wrong labels, rare classes and holes: their tables and what is claimed of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from similearn.experiments.comparisons.store import Record
from similearn.experiments.comparisons.tables import ABSENT
from similearn.experiments.evidence.claims import Claim
from similearn.experiments.evidence.page_tables import markdown_table
from similearn.experiments.honesty.trials import BALANCED, HOLES

OURS, DISAGREEMENT = "similearn", "k-NN disagreement"


def part_of(records: Iterable[Record], part: str) -> list[Record]:
    """Results of a part that did not fail."""
    return [r for r in records if r.get("part") == part and "failure" not in r]


def wrong_labels_claims(records: Sequence[Record]) -> list[Claim]:
    """Precision among the first 5 % above that of k-NN disagreement, on every set."""
    at_five = {p: found for p, found in _by_problem(records).items() if ", 5 % wrong" in p}
    pairs = {p: (_precision(found, OURS), _precision(found, DISAGREEMENT)) for p, found in
             at_five.items()}  # fmt: skip
    told = ", ".join(f"{p.split(',')[0]} {a:.2f} and {b:.2f}" for p, (a, b) in pairs.items())
    asked = "with 5 % wrong, precision among as many above that of k-NN disagreement, on every set"
    return [Claim(asked, told, bool(pairs) and all(a > b for a, b in pairs.values()))]


def wrong_labels_table(records: Sequence[Record]) -> str:
    """Precision among the first r, r wrong labels, which is recall too; recall among twice r."""
    names = list(dict.fromkeys(name for record in records for name in record["found"]))
    head = ["set", "wrong", "partitions", *names]
    rows = []
    for problem, found in _by_problem(records).items():
        r = sum(record["n_wrong"] for record in found)
        cells = []
        best = max(_precision(found, name) for name in names)
        for name in names:
            precision = _precision(found, name)
            recall = sum(record["found"][name][1] for record in found) / r
            told = f"{precision:.2f}"
            cells.append(f"{f'**{told}**' if precision >= best - 5e-4 else told} ({recall:.2f})")
        rows.append([problem, str(r), str(len(found)), *cells])
    return markdown_table(head, "lrr" + "r" * len(names), rows)


def with_and_without(records: Iterable[Record]) -> list[Record]:
    """Results of the part "imbalance" of which both are there, with weights and without."""
    found = part_of(records, "imbalance")
    places = [(r["problem"], r["method"].removesuffix(BALANCED), r["split"]) for r in found]
    both = {place for place, n in Counter(places).items() if n == 2}
    return [record for record, place in zip(found, places, strict=True) if place in both]


def imbalance_claims(records: Sequence[Record]) -> list[Claim]:
    """Balanced error with weights of classes below that without, mean over methods of each set."""
    told, lower = [], []
    for problem, found in _by_problem(records).items():
        plain = _mean(r for r in found if not r["method"].endswith(BALANCED))
        balanced = _mean(r for r in found if r["method"].endswith(BALANCED))
        told.append(f"{problem} {100 * plain:.1f} and {100 * balanced:.1f} %")
        lower.append(balanced < plain)
    asked = "balanced error lower with `class_weight`, mean over methods, on every set"
    return [Claim(asked, "; ".join(told), bool(lower) and all(lower))]


def imbalance_table(records: Sequence[Record]) -> str:
    """Sets by methods: balanced error without and with weights of classes."""
    methods = dict.fromkeys(r["method"].removesuffix(BALANCED) for r in records)
    rows = []
    for problem, found in _by_problem(records).items():
        cells = []
        for method in methods:
            pair = [
                [r for r in found if r["method"] == name] for name in (method, method + BALANCED)
            ]
            told = " → ".join(f"{100 * _mean(part):.1f}" for part in pair if part)
            cells.append(told or ABSENT)
        rows.append([problem, str(len({r["split"] for r in found})), *cells])
    return markdown_table(["set", "partitions", *methods], "lr" + "r" * len(methods), rows)


def holes_table(records: Sequence[Record]) -> str:
    """Errors by set and share of holes, for every method and way."""
    errors: dict[tuple[str, str, str], list[float]] = {}
    for record in records:
        name, *rest = record["problem"].split(", ")
        share, way = rest if rest else ("", "")
        column = f"{record['method']}{': ' + way if way else ''}"
        errors.setdefault((name, share, column), []).append(record["error"])
    columns = [c for c in dict.fromkeys(key[2] for key in errors) if ":" in c]
    rows = []
    for name in dict.fromkeys(key[0] for key in errors):
        whole = (f"{name}, none", [errors.get((name, "", c.split(":")[0])) for c in columns])
        holed = [
            (f"{name}, {100 * s:g} %", [errors.get((name, f"{100 * s:g} % holes", c)) for c in
             columns]) for s in HOLES
        ]  # fmt: skip
        for told, cells in (whole, *holed):
            n = max(len(cell or ()) for cell in cells)
            rows.append([told, str(n), *(_percent(cell) for cell in cells)])
    return markdown_table(
        ["pairs taken out", "partitions", *columns], "lr" + "r" * len(columns), rows
    )


def _percent(errors: list[float] | None) -> str:
    return ABSENT if not errors else f"{100 * float(np.mean(errors)):.1f}"


def _mean(records: Iterable[Record]) -> float:
    return float(np.mean([record["balanced_error"] for record in records]))


def _precision(found: Sequence[Record], name: str) -> float:
    hits = sum(float(record["found"][name][0]) for record in found)
    return hits / sum(record["n_wrong"] for record in found)


def _by_problem(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["problem"], []).append(record)
    return found
