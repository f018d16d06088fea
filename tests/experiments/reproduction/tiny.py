"""A published table, a plan and data so small that a test can run them whole."""

import numpy as np

from similearn.experiments.comparisons.problems import BlockProblem
from similearn.experiments.registry import get_method
from similearn.experiments.reproduction.plan import Column, Plan, Row
from similearn.experiments.reproduction.published.printed import Cell, PublishedTable
from tests.experiments.data import small_problem


class TinyPlan(Plan):
    """A plan whose published table is given, not read."""

    @property
    def table(self):
        return PublishedTable(
            name="tiny",
            source="Tiny Table 1",
            title="two data sets",
            protocol="none",
            splits=20,
            measure="error",
            columns=("Small", "Absent"),
            rows=("k-NN", "affinity"),
            cells={("Small", "k-NN"): Cell(20.0, 8.0), ("Small", "affinity"): Cell(90.0, 2.0)},
        )


def small(folder, seed=0):
    return BlockProblem("small", *small_problem(n=40, seed=seed))


def absent(folder):
    return folder.read_block("absent")


def tiny_plan():
    return TinyPlan(
        "tiny",
        columns=(
            Column("small", "Small", small),
            Column("absent", "Absent", absent),
        ),
        rows=(Row("k-NN", get_method("knn")), Row("affinity", get_method("affinity-knn"))),
    )


def write_data(folder, names, n=40):
    """Write blocks in the layout of a data folder."""
    (folder / "similarity").mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(names):
        block, y = small_problem(n=n, n_classes=2, seed=seed)
        arrays = {"S": block.values, "y": y, "kind": np.array(block.kind)}
        np.savez(folder / "similarity" / f"{name}.npz", **arrays)
    return folder


def without_times(records):
    """What must be equal, bit for bit, however the work was done."""
    times = {"fit_seconds", "predict_seconds", "compile_seconds"}
    return [{k: v for k, v in record.items() if k not in times} for record in records]
