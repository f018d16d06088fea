"""How the default stands among all methods, from stored results: ranks, differences, tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from similearn.experiments.comparisons.statistics import (
    LEVEL,
    holm_adjusted,
    signed_rank_p_value,
)
from similearn.experiments.comparisons.store import Record

Floats = NDArray[np.float64]

AUTO = "auto"
_DECIMALS = 10  # means that agree to so many are equal: rounding must not make one better


@dataclass(frozen=True, eq=False)
class Measured:
    """Methods on the partitions of one set that all of them have.

    Parameters
    ----------
    key : of the set
    splits : seeds and numbers of these partitions
    error, log_loss, seconds : for each method an array, one value per partition; a method
        without probabilities has no log-loss
    failed : methods that failed on every partition, and why
    absent : methods that were not run
    """

    key: str
    splits: tuple[tuple[int, int], ...]
    error: Mapping[str, Floats]
    log_loss: Mapping[str, Floats]
    seconds: Mapping[str, Floats]
    failed: Mapping[str, str]
    absent: tuple[str, ...] = ()

    def of(self, measure: str) -> Mapping[str, Floats]:
        """Errors or log-losses."""
        found: Mapping[str, Floats] = getattr(self, measure)
        return found

    @property
    def mean_seconds(self) -> float:
        """Of the default, one partition."""
        return float(self.seconds[AUTO].mean())

    @property
    def seconds_of_others(self) -> float:
        """Of all others together, one partition."""
        return sum(float(v.mean()) for name, v in self.seconds.items() if name != AUTO)


def measured(key: str, records: Iterable[Record], names: Iterable[str]) -> Measured:
    """Take the results of the named methods on one set, paired by partitions."""
    wanted = dict.fromkeys(names)
    mine = [r for r in records if r["problem"] == key and r["method"] in wanted]
    done: dict[str, dict[tuple[int, int], Record]] = {name: {} for name in wanted}
    for record in mine:
        if "failure" not in record:
            done[record["method"]][record["seed"], record["split"]] = record
    finished = {name: found for name, found in done.items() if found}
    splits = sorted(set.intersection(*map(set, finished.values()))) if finished else []
    paired = {name: [found[s] for s in splits] for name, found in finished.items()}
    return Measured(
        key,
        tuple(splits),
        {m: np.array([r["error"] for r in rs]) for m, rs in paired.items()},
        {
            m: np.array([r["log_loss"] for r in rs])
            for m, rs in paired.items()
            if all(r["log_loss"] is not None for r in rs)
        },
        {
            m: np.array([r["fit_seconds"] + r["predict_seconds"] for r in rs])
            for m, rs in paired.items()
        },
        {r["method"]: r["failure"] for r in mine if r["method"] not in finished},
        tuple(name for name in wanted if name not in {r["method"] for r in mine}),
    )


@dataclass(frozen=True)
class Standing:
    """The default against the best of the others on one set, by one measure.

    Parameters
    ----------
    key : of the set
    mean : of the default
    best, best_mean : the other method of the lowest mean, in hindsight
    p_value : one-sided Wilcoxon signed-rank test that the default is worse; one where it is not
    """

    key: str
    mean: float
    best: str
    best_mean: float
    p_value: float

    @property
    def difference(self) -> float:
        """The default's mean minus the best one."""
        return self.mean - self.best_mean

    @property
    def lower(self) -> bool:
        """Whether the default is better than the best other one."""
        return round(self.difference, _DECIMALS) < 0

    @property
    def equal(self) -> bool:
        """Whether it is as good as the best other one."""
        return round(self.difference, _DECIMALS) == 0

    @property
    def significantly_worse(self) -> bool:
        """Whether the one test finds it worse, at the papers' level."""
        return self.p_value < LEVEL


def standing_of(found: Measured, measure: str) -> Standing:
    """Compare the default with the best of the others, partition by partition."""
    values = found.of(measure)
    means = {m: round(float(v.mean()), _DECIMALS) for m, v in values.items() if m != AUTO}
    best = min(means, key=means.__getitem__)
    mean = float(values[AUTO].mean())
    worse = round(mean, _DECIMALS) > means[best]
    p_value = signed_rank_p_value(values[AUTO] - values[best]) if worse else 1.0
    return Standing(found.key, mean, best, float(values[best].mean()), p_value)


def adjusted(standings: Sequence[Standing]) -> dict[str, float]:
    """P-values of all sets together (Holm)."""
    return holm_adjusted({s.key: s.p_value for s in standings})


def mean_ranks(
    everywhere: Sequence[Measured], measure: str, names: Sequence[str]
) -> dict[str, float]:
    """Mean over sets of each method's rank by its mean; equal means share their mean rank.

    A method without a value on a set, as it failed or has no probabilities, is last there.
    """
    ranks = np.empty((len(everywhere), len(names)))
    for i, found in enumerate(everywhere):
        values = found.of(measure)
        means = [float(values[m].mean()) if m in values else np.inf for m in names]
        ranks[i] = rankdata(np.round(means, _DECIMALS))
    mean = ranks.mean(axis=0)
    return {names[i]: float(mean[i]) for i in np.argsort(mean, kind="stable")}
