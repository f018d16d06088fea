"""A small problem for the runner and the command line."""

from dataclasses import replace
from functools import partial

import numpy as np

from similearn.data import Pairwise
from similearn.experiments.reproduction.plan import units_of

# Rounds, starts and precision that show whether a method works, at a tenth of its time.
SHORT = {"n_estimators": 10, "n_init": 1, "tol": 1e-3, "effort": "quick"}


def small_problem(n=60, n_classes=3, seed=0, kind="similarity"):
    """Similarities of noisy points of a few classes, indefinite by their noise."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(n_classes, size=n))
    points = np.eye(n_classes)[y] * 2 + rng.normal(size=(n, n_classes))
    D = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    S = np.exp(-D / 2) + 0.1 * rng.normal(size=(n, n))
    values = (S + S.T) / 2 if kind == "similarity" else D
    return Pairwise(values, kind), np.array(["red", "green", "blue", "grey"])[y]


def quick(method):
    """The method with two values of each parameter at most, and with short computations."""
    grid = {
        name: list(values)[2:4] if len(values) > 3 else list(values)[:2]
        for name, values in method.grid.items()
    }
    return replace(method, grid=grid, build=partial(_short, method.build))


def quick_units(plan, problems, **options):
    """The units of a plan, each with its method made quick."""
    units = units_of(plan, problems, **options)
    return [replace(unit, method=quick(unit.method)) for unit in units]


def _short(build, kind):
    estimator = build(kind)
    names = [name for name in estimator.get_params() if name.rpartition("__")[2] in SHORT]
    return estimator.set_params(**{name: SHORT[name.rpartition("__")[2]] for name in names})
