"""Columns whose data are tables of features, in a training and a test half (Fusing §6.1)."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import Sources
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.splitting import Indices
from similearn.experiments.reproduction.columns.folder import DataFolder, Floats
from similearn.experiments.reproduction.columns.table_problems import LazyProblem
from similearn.experiments.reproduction.plan import Column

MOST_DRAWS = 100  # Fusing §6.1.1
HELD_OUT_SHARE = 0.1
_ENOUGH_HELD_OUT = 16_000
"""Held-out samples over all draws after which more draws change no choice, only the time."""


def halves_column(
    key: str, printed: str, file: str, columns: tuple[str, ...] = (), reading: str = ""
) -> Column:
    """Column of ``features/FILE-train.csv.gz`` and ``features/FILE-test.csv.gz``.

    Parameters
    ----------
    key, printed, reading : see `Column`
    file : without folder, half and ending
    columns : names of the features; all where empty
    """
    return Column(key, printed, partial(_load, key, file, columns), reading)


def standardized(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Both tables with the training table's means zero and standard deviations one.

    A feature that is constant in training is only centred.
    """
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    return (train - mean) / deviation, (test - mean) / deviation


def random_draws(n: int, seed: int, number: int) -> list[tuple[Indices, Indices]]:
    """Random divisions of n training samples into 9/10 and 1/10, drawn anew each time.

    Notes
    -----
    "For each of 100 runs, the training dataset was randomly divided" (Fusing §6.1.1).
    There are 100 up to 1600 samples; of more, as many as hold out 16000 in all.
    """
    held_out = max(round(HELD_OUT_SHARE * n), 1)
    draws = min(MOST_DRAWS, -(-_ENOUGH_HELD_OUT // held_out))
    rng = np.random.default_rng([seed, number, 1])
    orders = [rng.permutation(n) for _ in range(draws)]
    return [(np.sort(order[held_out:]), np.sort(order[:held_out])) for order in orders]


def _load(key: str, file: str, columns: tuple[str, ...], data: DataFolder) -> LazyProblem:
    paths = [data.features(f"{file}-{half}") for half in ("train", "test")]
    read = partial(_read, data, file, columns)
    return LazyProblem(key, data.fingerprint(*paths), read, _split)


def _read(data: DataFolder, file: str, columns: tuple[str, ...]) -> Any:
    train, test = (data.read_features(f"{file}-{half}") for half in ("train", "test"))
    tables = standardized(train.columns(*columns), test.columns(*columns))
    return tables, (train.y, test.y)


def _split(whole: tuple[Any, tuple[NDArray[Any], NDArray[Any]]], seed: int, number: int) -> Split:
    """There is one split; its number only tells the draws apart."""
    (train, test), (y_train, y_test) = whole
    draws = random_draws(len(y_train), seed, number)
    return Split(Sources({"features": train}), y_train, Sources({"features": test}), y_test, draws)
