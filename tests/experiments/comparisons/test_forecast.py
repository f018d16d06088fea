"""A comparison says beforehand how long it will take."""

from similearn.experiments.comparisons.forecast import (
    _SECONDS,
    about,
    expected_seconds,
    slow_last,
    told_forecast,
)
from similearn.experiments.comparisons.scores import Scoring
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


def test_with_few_samples_other_methods_are_slow_and_those_come_last():
    ordered = [method.name for method in slow_last(methods(), n=150)]
    told = told_forecast(methods(), 150, 20, 1)
    assert f"for {', '.join(ordered[-3:][::-1])}, which come last" in told
    assert ordered[-3:] != [method.name for method in slow_last(methods())][-3:]


def test_few_methods_are_not_split_hairs_over():
    told = told_forecast([get_method("knn")], 100, 1, 1)
    assert told == "1 method on 1 split of 100 samples: about 1 second."


def test_other_scorings_take_longer_for_every_candidate():
    fusion, auto, sda = map(get_method, ("fusion", "auto", "sda"))
    by_loss = Scoring("log-loss")
    assert expected_seconds(fusion, 60) < 3
    assert 20 < expected_seconds(fusion, 60, by_loss) < 60  # as it was measured
    assert expected_seconds(fusion, 60, Scoring(costs={("a", "b"): 2.0})) > 20
    for method in (auto, sda):  # which choose nothing by it
        assert expected_seconds(method, 60, by_loss) == expected_seconds(method, 60)
    assert slow_last([fusion, auto], by_loss) == [auto, fusion]
    told = told_forecast([fusion], 60, 1, 1, by_loss)
    assert "second" in told and "about 1 second" not in told


def test_rough_times():
    assert about(3) == "about 3 seconds"
    assert about(600) == "about 10 minutes"
    assert about(3 * 86400) == "about 3 days"
