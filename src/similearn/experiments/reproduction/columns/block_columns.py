"""Columns whose data are one block of similarities of all samples with themselves."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import Pairwise
from similearn.errors import InputError
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.splitting import Indices
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.columns.table_problems import (
    LazyProblem,
    given_split,
    plain_random_split,
)
from similearn.experiments.reproduction.plan import Column

Labelled = tuple[Pairwise, NDArray[Any]]


def block_column(
    key: str,
    printed: str,
    file: str,
    prepare: Callable[[Pairwise, NDArray[Any]], Labelled] | None = None,
    reading: str = "",
) -> Column:
    """Column of a block in ``similarity/FILE.npz``.

    Parameters
    ----------
    key, printed, reading : see `Column`
    file : without folder and ending
    prepare : changes the whole block and its labels before they are partitioned; a
        module's function
    """
    return Column(key, printed, partial(_load, key, file, prepare), reading)


def cut(y: NDArray[Any], partitions: Any, seed: int, number: int) -> tuple[Indices, Indices]:
    """Training and test positions: those that came with the data, or else random ones."""
    if partitions is None:
        return plain_random_split(len(y), seed, number)
    if number >= len(partitions):
        raise InputError(
            f"Partition {number + 1} is asked for, but the file brings {len(partitions)}; ask "
            "for as many, with --splits."
        )
    return given_split(partitions, number)


def _load(key: str, file: str, prepare: Any, data: DataFolder) -> LazyProblem:
    fingerprint = data.fingerprint(data.similarity(file))
    return LazyProblem(key, fingerprint, partial(_read, data, file, prepare), _split)


def _read(data: DataFolder, file: str, prepare: Any) -> Any:
    block, y = data.read_block(file)
    if prepare is not None:
        block, y = prepare(block, y)
    return block, y, data.read_partitions(file)


def _split(whole: Any, seed: int, number: int) -> Split:
    block, y, partitions = whole
    train, test = cut(y, partitions, seed, number)
    return Split(block[np.ix_(train, train)], y[train], block[np.ix_(test, train)], y[test])
