"""How long a comparison will take, told before it begins."""

from collections.abc import Sequence
from math import prod

from similearn.experiments.comparisons.scores import USUAL, Scoring
from similearn.experiments.registry import Method

_SECONDS = {
    **{"knn": 0.2, "affinity-knn": 0.2, "krr-knn": 0.5, "kri-knn": 2.6, "rbf-sim-knn": 0.5},
    **{"svm-clip": 3, "svm-flip": 3, "svm-shift": 3, "krein-svm": 3, "indefinite-fisher": 2},
    **{"svm-knn": 10, "svm-knn-flip": 10, "svm-knn-shift": 10, "auto": 15, "fusion": 10},
    **{"dboost": 10, "dboost-few": 5, "dboost-tree": 10, "pseudo-euclidean-lda": 5},
    **{"features-boosting": 40, "features-linear-svm": 27, "svm-square": 27},
    **{"features-rbf-svm": 27, "psvm": 35, "robust-svm": 36, "features-logistic": 46},
    **{"lp-machine": 62, "mixture-sda": 20, "pair-vote": 0.2, "sda": 0.5, "rlnc": 1, "rqnc": 1},
    "proximity-forest": 25,
}
"""Processor seconds of one split with 1000 samples, roughly; of methods not named, `_OTHERS`."""
_OTHERS = 3.0
_POWER = 2.2  # by which the cost grows with the samples: between a search and a decomposition
_LEAST = {
    **{"auto": 2.0, "dboost": 1.5, "mixture-sda": 2.0, "psvm": 1.0, "lsvm": 1.2, "fusion": 1.4},
    **{"features-logistic": 1.0, "robust-svm": 0.9, "lp-machine": 0.6},
}
"""However few samples there are; of other methods, `_LEAST_OTHERS`."""
_LEAST_OTHERS = 0.1
_FOLDS = 10  # on which parameters are chosen
_CALIBRATED = 3.0  # times longer, if every fold is calibrated
_ONE_CANDIDATE = 1.2e-3, 4e-6  # seconds of one calibration and its scoring, and more per sample


def expected_seconds(method: Method, n: int, scoring: Scoring = USUAL) -> float:
    """Processor seconds that choosing parameters, fitting and predicting take, one split of n.

    The error needs decisions alone, which are counted at once; what else chooses parameters asks
    every candidate on every fold for its probabilities, or its decisions by them.
    """
    name = method.name.partition(" on ")[0]  # a method on one of several sources
    least = _LEAST.get(name, _LEAST_OTHERS)
    seconds = max(_SECONDS.get(name, _OTHERS) * (n / 1000.0) ** _POWER, least)
    if scoring.is_usual or not method.grid:
        return seconds
    asked = _FOLDS * prod(len(values) for values in method.grid.values())
    return _CALIBRATED * seconds + asked * (_ONE_CANDIDATE[0] + _ONE_CANDIDATE[1] * n)


def slow_last(methods: Sequence[Method], scoring: Scoring = USUAL, n: int = 1000) -> list[Method]:
    """The methods, those that take longest with n samples at the end."""
    return sorted(methods, key=lambda method: expected_seconds(method, n, scoring))


def told_forecast(
    methods: Sequence[Method], n: int, n_splits: int, n_jobs: int, scoring: Scoring = USUAL
) -> str:
    """A sentence on how long it will take, and on what takes most of it."""
    times = n_splits / max(n_jobs, 1)
    ordered = slow_last(methods, scoring, n)
    seconds = {m.name: times * expected_seconds(m, n, scoring) for m in ordered}
    total = sum(seconds.values())
    what = f"{_counted(len(methods), 'method')} on {_counted(n_splits, 'split')} of {n} samples"
    told = f"{what}: {about(total)}"
    slowest = list(seconds)[-3:][::-1]
    share = sum(seconds[name] for name in slowest) / total
    if len(methods) <= 2 * len(slowest) or total < 60:
        return f"{told}."
    return f"{told}, {100 * share:.0f} % of it for {', '.join(slowest)}, which come last."


def about(seconds: float) -> str:
    """A rough time for people."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * size:
            return f"about {seconds / size:.2g} {unit}"
    return f"about {_counted(max(round(seconds), 1), 'second')}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
