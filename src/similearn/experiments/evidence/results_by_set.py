"""Stored results of the default, of all methods and of the rivals, sorted by set."""

from collections.abc import Sequence
from dataclasses import dataclass

from similearn.errors import InputError
from similearn.experiments.comparisons.forecast import slow_last
from similearn.experiments.comparisons.problems import Problem
from similearn.experiments.comparisons.reliability_bins import reliability
from similearn.experiments.comparisons.runner import Unit
from similearn.experiments.comparisons.store import Record
from similearn.experiments.evidence.rivals import RIVALS
from similearn.experiments.evidence.sets import SETS, EvidenceSet
from similearn.experiments.evidence.standing import AUTO, Measured, measured
from similearn.experiments.registry import methods


@dataclass(frozen=True, eq=False)
class Evidence:
    """Stored results, set by set.

    Parameters
    ----------
    sets : those with results of the default and of other methods
    among : the default and all registered methods, on the partitions that all have
    against : the default and the rivals, the same; of sets where there are rivals
    asked : for each set how many partitions the claims ask for
    without_results : keys of the sets of which there are neither
    sizes : for each set its numbers of training and of test samples
    """

    sets: tuple[EvidenceSet, ...]
    among: tuple[Measured, ...]
    against: tuple[Measured, ...]
    asked: dict[str, int]
    without_results: tuple[str, ...]
    sizes: dict[str, tuple[int, int]]

    def half(self, chosen_on: bool) -> list[Measured]:
        """Sets on which the rule was chosen, or the others."""
        pairs = zip(self.sets, self.among, strict=True)
        return [found for one, found in pairs if one.chosen_on == chosen_on]


def method_names() -> list[str]:
    """All registered methods but the default."""
    return [method.name for method in methods() if method.name != AUTO]


def units_of(
    problems: Sequence[Problem], n_splits: int, names: Sequence[str] | None, seed: int
) -> list[Unit]:
    """Every method and every rival on every partition: set after set, the quick methods first.

    A set is complete before the next begins, so that whenever the work is ended, what is there
    speaks for as many sets as there could be.

    Parameters
    ----------
    problems : of the sets, in the order in which they are worked on
    n_splits : how many partitions of each
    names : of the methods and rivals wanted; None for all
    seed : which partitions are drawn
    """
    known = {method.name: method for method in (*methods(), *RIVALS)}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise InputError(f"There is no method {unknown[0]!r}. There are {', '.join(known)}.")
    wanted = slow_last([known[name] for name in names or known])
    return [
        Unit(problem, method, seed, split, also=reliability)
        for problem in problems
        for split in range(n_splits)
        for method in wanted
    ]


def evidence_of(records: Sequence[Record], sets: Sequence[EvidenceSet] = SETS) -> Evidence:
    """Sort stored results by set; of a set that has no results of the default, there is nothing."""
    names, rivals = method_names(), [rival.name for rival in RIVALS]
    kept, among, against = [], [], []
    for one in sets:
        others = measured(one.key, records, [AUTO, *rivals])
        if len(others.error) == 1 + len(rivals) and others.splits:
            against.append(others)
        found = measured(one.key, records, [AUTO, *names])
        if AUTO in found.error and len(found.log_loss) > 1 and found.splits:
            kept.append(one)
            among.append(found)
    there = {one.key for one in [*among, *against]}
    return Evidence(
        tuple(kept),
        tuple(among),
        tuple(against),
        {one.key: one.asked for one in sets},
        tuple(one.key for one in sets if one.key not in there),
        {r["problem"]: (r["n_train"], r["n_test"]) for r in records if "n_train" in r},
    )
