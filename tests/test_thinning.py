"""The default run leaves repetitions out, and no value of any parameter."""

import tomllib
from functools import partial
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import thinning

SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())


@pytest.mark.parametrize("sizes", [(8, 3, 4), (5, 2), (1, 6), (3, 3, 2, 2), (4,)])
@pytest.mark.parametrize("strength", [1, 2])
def test_all_combinations_of_values_stay(sizes, strength):
    rows = list(product(*map(range, sizes)))
    gone = set(thinning.left_out(rows, strength))
    kept = [row for place, row in enumerate(rows) if place not in gone]

    def held(chosen):
        return {pair for row in chosen for pair in combinations(enumerate(row), strength)}

    assert held(kept) == held(rows)
    assert len(kept) < len(rows) or len(sizes) <= strength or 1 in sizes


def test_values_that_stay_are_spread_evenly():
    rows = list(product(range(6), range(3)))
    gone = set(thinning.left_out(rows, 1))
    seconds = [row[1] for place, row in enumerate(rows) if place not in gone]
    assert sorted(seconds) == [0, 0, 1, 1, 2, 2]


def test_the_default_selection_is_the_one_that_is_known():
    assert f"-m '{thinning.DEFAULT}'" in SETTINGS["tool"]["pytest"]["ini_options"]["addopts"]


class Case:
    """What `thin` asks of a test that pytest has collected."""

    def __init__(self, name, marked, **parameters):
        self.nodeid = f"{name}[{parameters}]"
        self.callspec = SimpleNamespace(params=parameters)
        self.marks = ["thinned"] * marked

    def get_closest_marker(self, name):
        return name in self.marks or None

    def add_marker(self, mark):
        self.marks.append(mark.name)


def test_what_is_left_out_of_a_marked_test_is_exhaustive():
    checks = [partial(f, 1) for f in (abs, len)] + [partial(partial(abs), 2)]
    cases = [Case("a", True, model=m, check=c) for m in "xy" for c in checks]
    others = [Case("b", False, model=m, check=c) for m in "xy" for c in checks]
    thinning.thin(cases + others)
    assert [case.marks[1:] == ["exhaustive"] for case in cases] == [0, 1, 1, 1, 0, 1]
    assert not any(case.marks for case in others)


def test_fewer_examples_are_drawn_by_default(monkeypatch):
    counts = {}
    for selected in (thinning.DEFAULT, "", "exhaustive"):
        monkeypatch.setattr(thinning, "_run", {})
        thinning.begin(selected)
        counts[selected] = thinning.drawn(60).max_examples
    assert counts == {thinning.DEFAULT: 15, "": 60, "exhaustive": 60}
