"""The runner: units of work, stored as they are done, resumed where they stopped, in shards."""

import hashlib
import json
import os
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from time import process_time, sleep
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from similearn.data.chunks import n_workers, run_tasks
from similearn.data.spread.clusters import active_cluster
from similearn.errors import InputError, SimilearnError, WorkerError, readable
from similearn.experiments.comparisons.problems import Problem, fingerprint_of
from similearn.experiments.comparisons.scores import (
    USUAL,
    Scoring,
    balanced_error,
    brier_score,
    mean_cost,
    mean_log_loss,
)
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.comparisons.store import Record, ResultStore
from similearn.experiments.registry import Method, chosen_parameters, input_of, kind_of
from similearn.experiments.tuning import tuned
from similearn.numerics.compiling import (
    compiling_seconds,
    nothing_kept,
    say_nothing,
    say_so,
)
from similearn.version import __version__

Progress = Callable[[int, int, Record], None]


@dataclass(frozen=True)
class Unit:
    """The unit of work: one method on one split of one problem, for one table.

    Parameters
    ----------
    problem, method, seed, split : what is done
    table : the published table it belongs to; empty for comparisons
    scoring : what parameters are chosen by, and costs of mistakes
    part : the part of a body of evidence that it belongs to; empty for tables and comparisons
    also : what else is measured, from the fitted estimator and the split as the method sees it
    """

    problem: Problem
    method: Method
    seed: int
    split: int
    table: str = ""
    scoring: Scoring = USUAL
    part: str = ""
    also: Callable[[Any, Any], Record] | None = None

    @property
    def ties(self) -> Literal["log-loss", "simplest"]:
        """Which of equally accurate parameters are taken; the papers' tables keep their rule."""
        return "simplest" if self.table else "log-loss"

    @property
    def is_comparison(self) -> bool:
        """Whether it belongs to no table or evidence, and parameters are chosen by the error."""
        evidence = self.part or self.also is not None
        return not (self.table or evidence) and self.scoring.name == USUAL.name

    @property
    def key(self) -> str:
        """Name of this work's result: equal exactly where the result must be equal.

        The number of splits is no part of it: a split does not depend on how many there
        are, so that asking for more later keeps those already done.
        """
        grid = {name: list(values) for name, values in self.method.grid.items()}
        parts = [
            self.table,
            self.problem.fingerprint,
            self.seed,
            self.split,
            self.method.name,
            self.method.needs,
            grid,
            __version__,
        ]
        if not self.table or self.part:  # what a table's method builds is named by its plan
            parts += [described(self.method), self.ties]
        if self.part:
            parts += [self.part, "" if self.also is None else self.also.__name__]
        if not self.scoring.is_usual:
            parts += [self.scoring.name, repr(self.scoring.costs)]
        text = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH]


_watched = False  # whether this process, a worker, looks after its parent
_KEY_LENGTH = 24  # 96 bits: two of a million results share one with probability 1e-17


def run_units(
    units: Sequence[Unit],
    *,
    store: ResultStore | None = None,
    n_jobs: int | None = None,
    again: bool = False,
    progress: Progress | None = None,
) -> list[Record]:
    """Run the units, except for what the store holds already.

    Parameters
    ----------
    units : in the order in which they are begun
    store : where records are kept as soon as they are there; None keeps nothing
    n_jobs : processes, with joblib's meaning; each works in one thread. Interrupting loses
        the units under way.
    again : run all of them, also those in the store: their newest record counts
    progress : called with the number of units done, of all units, and the newest record

    Returns
    -------
    records : one for each unit, in their order. A method that refuses the data has a
        record with its sentence as "failure"; it is tried again the next time.
    """
    keys = {unit.key: unit for unit in units}
    with _opened(store) as known:
        kept = {} if again else known
        records = {k: r for k, r in kept.items() if k in keys and "failure" not in r}
        pending = [unit for key, unit in keys.items() if key not in records]
        if pending and nothing_kept():
            say_so()
        for record in _finished(pending, n_jobs):
            if record["compile_seconds"] > 1.0:
                say_so()
            if store is not None:
                store.append(record)
            records[record["key"]] = record
            if progress is not None:
                progress(len(records), len(keys), record)
    return [records[key] for key in keys]


def shard_of(units: Sequence[Unit], shard: str) -> list[Unit]:
    """Return the i-th of n equal parts of the units, for ``shard="i/n"``, i from 1 to n."""
    first, _, count = shard.partition("/")
    if not (first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count)):
        raise InputError(
            f"A shard is i/n with i from 1 to n, such as 2/3 for the second third; got {shard!r}."
        )
    return list(units[int(first) - 1 :: int(count)])


def run_unit(unit: Unit) -> Record:
    """Choose parameters on the training part, fit, and measure on the test part.

    Returns
    -------
    record : plain values only; `log_loss` and `brier` are None where the method has no
        probabilities. Seconds are of the processor, so that they mean the same whatever
        else the machine is doing, and without those of compiling, which are apart.
    """
    record: Record = {
        "key": unit.key,
        **({"table": unit.table} if unit.table else {}),
        **({"part": unit.part} if unit.part else {}),
        "problem": unit.problem.name,
        "method": unit.method.name,
        "split": unit.split,
        "seed": unit.seed,
        "version": __version__,
    }
    before = compiling_seconds()
    # One thread of linear algebra a unit: rounding, and so the result, does not depend on
    # the machine's cores, and small problems do not lose time to waiting threads.
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record |= _measured(unit)
        except SimilearnError as error:
            record["failure"] = str(error)
        except MemoryError:
            record["failure"] = "The machine has not enough memory for it."
        except Exception as error:  # a fault of ours ends one cell of the table, no more
            place = traceback.extract_tb(error.__traceback__)[-1]
            record["failure"] = readable(
                f"Internal error, please report it: {type(error).__name__}: {error} "
                f"({Path(place.filename).name}, line {place.lineno})."
            )
    record["compile_seconds"] = round(compiling_seconds() - before, 6)
    record["warnings"] = sorted({readable(str(warning.message)) for warning in caught})
    return record


def described(method: Method) -> list[Any]:
    """What a method builds for either kind of block: classes and all parameters."""
    told: list[Any] = []
    for kind in ("similarity", "dissimilarity"):
        estimator = method.build(kind)
        parameters = estimator.get_params(deep=True)
        told.append([type(estimator).__name__, {k: _told(v) for k, v in parameters.items()}])
        if hasattr(estimator, "_recipe"):  # what its parameters do not tell
            told.append(estimator._recipe(kind))
    return told


def _told(value: Any) -> Any:
    """A parameter in words that are the same in every process."""
    if isinstance(value, list | tuple):
        return [_told(one) for one in value]
    if isinstance(value, np.ndarray):
        return fingerprint_of(value)
    plain = isinstance(value, str | int | float | bool | type(None) | np.generic)
    return str(value) if plain else type(value).__name__


def _measured(unit: Unit) -> Record:
    split = unit.problem.split(unit.seed, unit.split)
    folds = split.folds or tuning_folds(split.y_train, unit.seed, unit.split)
    seed = unit.seed + unit.split
    estimator = tuned(
        unit.method, split.train, folds, seed=seed, ties=unit.ties, scoring=unit.scoring
    )
    train, test = input_of(unit.method, split.train), input_of(unit.method, split.test)
    start = _seconds()
    estimator.fit(train, split.y_train)
    fitted = _seconds()
    predicted = estimator.predict(test)
    done = _seconds()
    probabilities = estimator.predict_proba(test) if hasattr(estimator, "predict_proba") else None
    costs = unit.scoring.costs
    seen = replace(split, train=train, test=test)
    return {
        "error": float(np.mean(predicted != split.y_test)),
        "balanced_error": balanced_error(predicted, split.y_test),
        **(
            {}
            if costs is None
            else {"cost": mean_cost(predicted, estimator.classes_, split.y_test, costs)}
        ),
        "log_loss": mean_log_loss(probabilities, estimator.classes_, split.y_test),
        "brier": brier_score(probabilities, estimator.classes_, split.y_test),
        "fit_seconds": round(fitted - start, 6),
        "predict_seconds": round(done - fitted, 6),
        "parameters": {name: _plain(v) for name, v in chosen_parameters(estimator).items()},
        **(tried_points(estimator) if unit.is_comparison else {}),
        **({} if unit.also is None else unit.also(estimator, seen)),
        "converted": unit.method.converts(kind_of(train)),
        "n_train": len(split.y_train),
        "n_test": len(split.y_test),
    }


def tried_points(search: Any) -> Record:
    """Every point of a search's grid with its held-out error, as columns; nothing of others.

    Returns
    -------
    {"tried": {short name of a parameter: its values, "error": errors}}
    """
    results = getattr(search, "cv_results_", None)
    if results is None:
        return {}
    short = dict(zip(search.best_params_, chosen_parameters(search), strict=True))
    points = {
        told: [_plain(point.get(name)) for point in results["params"]]
        for name, told in short.items()
    }
    errors = [round(float(1.0 - score), 5) for score in results["mean_test_score"]]
    return {"tried": points | {"error": errors}}


def _finished(units: Sequence[Unit], n_jobs: int | None) -> Iterator[Record]:
    """Give each record as soon as it is there."""
    if not units:
        return
    workers = n_workers(n_jobs)
    if active_cluster() is not None:
        # All units at once, so that the block that they share is sent once.
        for _, record in run_tasks(_run_there, list(units), [(i,) for i in range(len(units))]):
            yield record
        return
    workers = workers if workers is None else min(workers, len(units))
    parallel = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch="n_jobs")
    try:
        yield from parallel(delayed(_run_for)(os.getpid(), unit) for unit in units)
    except BrokenProcessPool as error:
        raise WorkerError(
            "A worker process was ended from outside, most often since memory ran out. What is "
            "done is kept: give the same command again, with fewer --jobs."
        ) from error


def _run_there(units: list[Unit], number: int) -> Record:
    """Run a unit on a worker of a cluster, which says nothing itself."""
    say_nothing()
    return run_unit(units[number])


def _run_for(parent: int, unit: Unit) -> Record:
    """Run a unit, perhaps in a worker, which ends with its parent and says nothing itself."""
    global _watched
    if os.getpid() != parent and not _watched:
        _watched = True
        say_nothing()
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    return run_unit(unit)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(0.5)
    os._exit(1)


def _seconds() -> float:
    """Processor seconds so far, but for those of compiling."""
    return process_time() - compiling_seconds()


@contextmanager
def _opened(store: ResultStore | None) -> Iterator[dict[str, Record]]:
    if store is None:
        yield {}
        return
    with store.open() as known:
        yield known


def _plain(value: Any) -> Any:
    """Return a value that JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | type(None)) else str(value)
