"""Probabilities before and after they are calibrated by default, and what is claimed of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from similearn.experiments.comparisons.store import Record
from similearn.experiments.comparisons.tables import ABSENT
from similearn.experiments.evidence.claims import Claim
from similearn.experiments.evidence.page_tables import markdown_table
from similearn.experiments.evidence.standing import AUTO
from similearn.experiments.honesty.trials import calibrated_since, with_probabilities

MOST_WORSE = 0.02
FALLS_TO = 2.0 / 3.0
_WHEN = ("before", "after")
_MOST_LISTED = 12
_SCORES = {"log_loss": "Log-loss", "brier": "Brier score"}


@dataclass(frozen=True, eq=False)
class Pair:
    """One method on one set, on the partitions that were run before and after.

    Parameters
    ----------
    problem, method : which
    before, after : records, one per partition, in the same order; a method without a before, as it
        was calibrated all along, has the same record in both
    frequencies : mean log-loss of the class shares of training
    """

    problem: str
    method: str
    before: tuple[Record, ...]
    after: tuple[Record, ...]
    frequencies: float

    def mean(self, when: str, score: str) -> float:
        """Mean of a score over partitions."""
        return float(np.mean([record[score] for record in getattr(self, when)]))

    @property
    def changed(self) -> list[tuple[Record, Record]]:
        """Partitions whose error is another than before."""
        both = zip(self.before, self.after, strict=True)
        return [(b, a) for b, a in both if round(a["error"] - b["error"], 9) != 0.0]


def told_after(records: Iterable[Record]) -> list[Record]:
    """Results of the default's page as the part "after": methods as they are, without rivals."""
    known = {method.name for method in with_probabilities()}
    return [record | {"part": "after"} for record in records if record["method"] in known]


def pairs_of(records: Sequence[Record]) -> list[Pair]:
    """Pair the results of the parts "before" and "after", by set, method and partition."""
    found: dict[tuple[str, str], dict[int, dict[str, Record]]] = {}
    for record in records:
        if record.get("part") in _WHEN and record.get("log_loss") is not None:
            of_method = found.setdefault((record["problem"], record["method"]), {})
            of_method.setdefault(record["split"], {})[record["part"]] = record
    shares = _frequencies(records)
    told = {record["problem"] for record in records if record.get("part") == "before"}
    pairs = []
    for (problem, method), splits in found.items():
        if method == AUTO and problem in told:  # means over the same sets as those of others
            splits = {s: {"before": both["after"]} | both for s, both in splits.items()}
        known = shares.get(problem, {})
        whole = {s: both for s, both in sorted(splits.items()) if len(both) == 2 and s in known}
        if whole:
            before, after = (tuple(both[part] for both in whole.values()) for part in _WHEN)
            mean = float(np.mean([known[s] for s in whole]))
            pairs.append(Pair(problem, method, before, after, mean))
    return pairs


def _frequencies(records: Iterable[Record]) -> dict[str, dict[int, float]]:
    """Log-loss of the class shares by set and partition: the same for every method."""
    found: dict[str, dict[int, float]] = {}
    for record in records:
        if "frequencies_log_loss" in record:
            found.setdefault(record["problem"], {})[record["split"]] = record[
                "frequencies_log_loss"
            ]
    return found


def failures_of(records: Iterable[Record]) -> dict[str, str]:
    """Methods of these parts that failed, and why."""
    failed = (r for r in records if r.get("part") in _WHEN and "failure" in r)
    return {f"{r['method']} on {r['problem']}": r["failure"] for r in failed}


def calibration_claims(pairs: Sequence[Pair]) -> list[Claim]:
    """What is claimed of calibrated probabilities, over all sets and methods that are stored."""
    above = {_named(p): p.mean("after", "log_loss") for p in pairs if _is_above(p)}
    worse = {_named(p): _rise(p) for p in pairs if _rise(p) > MOST_WORSE}
    n = len(pairs)
    before, after = (_median(pairs, when) for when in _WHEN)
    own = [pair for pair in pairs if pair.method in calibrated_since()]
    odd = [
        f"{_named(p)}, partition {a['split'] + 1}"
        for p in pairs
        for b, a in p.changed
        if b["parameters"] == a["parameters"]
    ]
    n_changed = sum(len(p.changed) for p in pairs)
    told = f"median {before:.3f} before, {after:.3f} after"
    if own:
        told += "; of methods that have probabilities of their own "
        told += ", ".join(f"{_median(own, when):.3f} {when}" for when in _WHEN)
    return [
        Claim(
            "no log-loss above that of the class frequencies",
            f"{n - len(above)} of {n}{_listed(above)}",
            not above,
        ),
        Claim(
            f"no log-loss more than {MOST_WORSE:g} above the one before",
            f"{n - len(worse)} of {n}{_listed(worse, '+')}",
            not worse,
        ),
        Claim(
            "the median log-loss over methods falls by a third", told, after <= FALLS_TO * before
        ),
        Claim(
            "errors change only where other parameters won a tie",
            f"{n_changed} of {sum(len(p.after) for p in pairs)} changed"
            + (f"; with the same parameters: {', '.join(odd)}" if odd else ""),
            not odd,
        ),
    ]


def method_table(pairs: Sequence[Pair]) -> str:
    """A row per method: scores before → after, means over the sets; lowest log-losses first."""
    by_method = _grouped(pairs)
    most, rows = max(map(len, by_method.values())), []

    def order(method: str) -> tuple[bool, float]:
        own = by_method[method]  # a mean over few of the sets is not to be compared: they are last
        return 2 * len(own) < most, _over_sets(own, "after", "log_loss")

    for method in sorted(by_method, key=order):
        own = by_method[method]
        worst = max(own, key=_rise)
        rise = f"{_rise(worst):+.3f} ({worst.problem})" if method != AUTO else ABSENT
        scores = [
            " → ".join(f"{_over_sets(own, when, score):.3f}" for when in _WHEN) for score in _SCORES
        ]
        rows.append([method, str(len(own)), *scores, rise])
    head = ["method", "sets", *_SCORES.values(), "largest rise of the log-loss"]
    return markdown_table(head, "lrrrl", rows)


def score_table(pairs: Sequence[Pair], score: str) -> str:
    """Methods by sets, before → after; bold where it is lower by more than 0.02 or above shares."""
    sets = list(dict.fromkeys(p.problem for p in pairs))
    by_place = {(p.method, p.problem): p for p in pairs}
    rows = [
        [method, *(_cell(by_place.get((method, key)), score) for key in sets)]
        for method in dict.fromkeys(p.method for p in pairs)
    ]
    medians = [_medians([p for p in pairs if p.problem == key], score) for key in sets]
    rows.append(["**median**", *medians])
    if score == "log_loss":
        shares = [next(p.frequencies for p in pairs if p.problem == key) for key in sets]
        rows.append(["class frequencies", *(f"{share:.3f}" for share in shares)])
    return markdown_table([_SCORES[score], *sets], "l" + "r" * len(sets), rows)


def changes_table(pairs: Sequence[Pair]) -> str:
    """All errors that changed, with the parameters that were chosen."""
    rows = [
        [
            p.problem,
            p.method,
            str(a["split"] + 1),
            f"{100 * b['error']:.1f} → {100 * a['error']:.1f}",
            f"{_told(b['parameters'])} → {_told(a['parameters'])}",
        ]
        for p in pairs
        for b, a in p.changed
    ]
    return markdown_table(["set", "method", "partition", "error %", "parameters"], "llrrl", rows)


def _over_sets(pairs: Sequence[Pair], when: str, score: str) -> float:
    return float(np.mean([pair.mean(when, score) for pair in pairs]))


def _grouped(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Pairs by method, in the order in which they come."""
    by_method: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_method.setdefault(pair.method, []).append(pair)
    return by_method


def _median(pairs: Sequence[Pair], when: str) -> float:
    means = [_over_sets(own, when, "log_loss") for own in _grouped(pairs).values()]
    return float(np.median(means))


def _is_above(pair: Pair) -> bool:
    return pair.mean("after", "log_loss") > pair.frequencies


def _rise(pair: Pair) -> float:
    return pair.mean("after", "log_loss") - pair.mean("before", "log_loss")


def _named(pair: Pair) -> str:
    return f"{pair.method} on {pair.problem}"


def _listed(found: Mapping[str, float], sign: str = "") -> str:
    worst = sorted(found.items(), key=lambda item: -item[1])
    told = ", ".join(f"{name} ({value:{sign}.3f})" for name, value in worst[:_MOST_LISTED])
    more = f" and {len(worst) - _MOST_LISTED} others" if len(worst) > _MOST_LISTED else ""
    return f"; not {told}{more}" if told else ""


def _cell(pair: Pair | None, score: str) -> str:
    if pair is None:
        return ABSENT
    before, after = (pair.mean(when, score) for when in _WHEN)
    above = score == "log_loss" and (_is_above(pair) or _rise(pair) > MOST_WORSE)
    told = f"{after:.3f}"
    return f"{before:.3f} → {f'**{told}**' if above else told}"


def _medians(pairs: Sequence[Pair], score: str) -> str:
    before, after = (np.median([p.mean(when, score) for p in pairs]) for when in _WHEN)
    return f"{before:.3f} → {after:.3f}"


def _told(parameters: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in parameters.items()) or "none"
