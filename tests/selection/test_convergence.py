"""A search warns once of weights and machines that did not converge, and names the remedy."""

import re
import warnings
from importlib import import_module

import numpy as np
import pytest

import similearn
from similearn import (
    LocalSVC,
    LPMachineClassifier,
    NeighborsClassifier,
    PathSearchCV,
    PotentialSVC,
    RobustSVC,
    SimilaritySVC,
)
from similearn.errors import ConvergenceWarning
from similearn.estimators.machines.machine import warn_unconverged

rng = np.random.default_rng(2)
y = np.arange(40) % 2
points = rng.normal(size=(40, 2)) + y[:, None]
S = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))


def convergence_warnings(call):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in given if issubclass(w.category, ConvergenceWarning)]


@pytest.mark.parametrize("weights", ["kri", "lime"])
def test_gaps_of_weights_are_told_once(weights, monkeypatch):
    model = NeighborsClassifier(4, weights=weights)
    search = PathSearchCV(model, {"n_neighbors": [2, 5], "ridge": [0.1, 1.0]}, cv=4, refit=False)
    assert convergence_warnings(lambda: search.fit(S, y)) == []
    monkeypatch.setattr("similearn.estimators.neighbors.classifier.WORST_GAP", -1.0)
    single = convergence_warnings(lambda: model.fit(S, y).predict(S))
    assert len(single) == 1 and f"{weights} weights of 40 queries" in single[0]
    for n_jobs in (1, 2):
        search.set_params(n_jobs=n_jobs, estimator__n_jobs=n_jobs)
        told = convergence_warnings(lambda: search.fit(S, y))
        assert len(told) == 1 and "more such warnings in this search" in told[0]


MACHINES = [LocalSVC(5), LPMachineClassifier(), PotentialSVC(), RobustSVC(), SimilaritySVC()]


@pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)
def test_warnings_name_parameters_that_the_class_has(model, monkeypatch):
    def failed(estimator, n_failed, n_problems, remedy):
        warn_unconverged(estimator, 1, n_problems, remedy)

    monkeypatch.setattr(import_module(type(model).__module__), "warn_unconverged", failed)
    model.set_params(calibration="none")
    told = convergence_warnings(lambda: model.fit(S, y).predict(S))
    words = set(re.findall(r"\w+", told[0]))
    assert words & set(model.get_params()) & all_parameters(), told[0]
    assert words & all_parameters() <= set(model.get_params()), told[0]


def all_parameters():
    """Names of parameters of all machines."""
    return {name for machine in MACHINES for name in machine.get_params()}


def test_the_machines_are_all_there():
    rooms = {getattr(similearn, name) for name in similearn.__all__}
    machines = {c for c in rooms if ".machines." in getattr(c, "__module__", "")}
    public = {c for c in machines if isinstance(c, type) and hasattr(c, "fit")}
    assert public == {type(machine) for machine in MACHINES}
