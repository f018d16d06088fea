"""A comparison: every method on every random split of one problem."""

from collections.abc import Sequence

from similearn.experiments.comparisons.forecast import slow_last
from similearn.experiments.comparisons.problems import BlockProblem, ObjectsProblem
from similearn.experiments.comparisons.runner import Progress, Unit, run_units
from similearn.experiments.comparisons.scores import USUAL, Scoring
from similearn.experiments.comparisons.store import Record, ResultStore
from similearn.experiments.registry import Method


def compare(
    problem: BlockProblem | ObjectsProblem,
    methods: Sequence[Method],
    *,
    n_splits: int = 20,
    seed: int = 0,
    scoring: Scoring = USUAL,
    store: ResultStore | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Record]:
    """Run every method on every split, except for what the store holds already.

    Parameters
    ----------
    problem : see `similearn.experiments.comparisons.problems`
    methods : from the registry
    scoring : what parameters are chosen by, and costs of mistakes
    n_splits, seed : how many random 80/20 splits, and which (20 in JMLR §7.2)
    store, n_jobs, progress : see `similearn.experiments.comparisons.runner.run_units`

    Returns
    -------
    records : one for each method and split, ordered by method, then by split
    """
    ordered = slow_last(methods, scoring, len(problem.y))
    # Every method once, so that processes compile different functions at the same time; then
    # method by method, so that an interruption leaves most of them with all splits.
    begun = [(method, 0) for method in ordered]
    rest = [(method, split) for method in ordered for split in range(1, n_splits)]
    units = [Unit(problem, method, seed, split, scoring=scoring) for method, split in begun + rest]
    records = run_units(units, store=store, n_jobs=n_jobs, progress=progress)
    place = {method.name: i for i, method in enumerate(methods)}
    return sorted(records, key=lambda r: (place[r["method"]], r["split"]))
