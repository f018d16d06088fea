"""A comparison says beforehand how long it will take."""

from similearn.experiments.comparisons.forecast import (
    _SECONDS,
    about,
    expected_seconds,
    slow_last,
    told_forecast,
)
from similearn.experiments.registry import get_method, methods


def test_every_name_is_a_method():
    assert set(_SECONDS) <= {method.name for method in methods()}


def test_all_methods_at_1000_samples_take_some_minutes_and_more_with_more():
    total = sum(expected_seconds(method, 1000) for method in methods())
    assert 300 < total < 600
    assert sum(expected_seconds(method, 5000) for method in methods()) > 3 * 3600


def test_slow_methods_come_last_and_are_named():
    ordered = [method.name for method in slow_last(methods())]
    assert ordered[-1] == "lp-machine"
    assert ordered.index("knn") < 5
    told = told_forecast(methods(), 1000, 20, 2)
    assert told.startswith(f"{len(methods())} methods on 20 splits of 1000 samples: about ")
    assert "minutes" in told and "lp-machine" in told and told.endswith("which come last.")


def test_few_methods_are_not_split_hairs_over():
    told = told_forecast([get_method("knn")], 100, 1, 1)
    assert told == "1 method on 1 split of 100 samples: about 1 second."


def test_rough_times():
    assert about(3) == "about 3 seconds"
    assert about(600) == "about 10 minutes"
    assert about(3 * 86400) == "about 3 days"
