"""What the default run leaves to the exhaustive one: repetitions, never a behaviour.

``pytest`` alone leaves out what is marked ``exhaustive``; ``pytest -m ""`` runs everything.
"""

from collections import Counter, defaultdict
from functools import partial
from itertools import combinations

import pytest
from hypothesis import settings

DEFAULT = "not exhaustive"  # what pyproject.toml selects
_SHARE = 4  # of so many draws the default run makes one

_run = {"exhaustive": False}


def begin(selected):
    """Remember what this run selects, before any test is imported."""
    _run["exhaustive"] = selected != DEFAULT


def some(draws):
    """How many of the draws of a property this run makes."""
    return draws if _run["exhaustive"] else max(draws // _SHARE, 2)


def drawn(examples):
    """Settings of Hypothesis: so many examples, of which the default run draws some."""
    return settings(max_examples=some(examples), deadline=None)


def thin(items):
    """Mark as exhaustive what a test that is marked `thinned` can do without.

    Of two parameters every value stays, of three and more every pair of values of two of them.
    """
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("thinned"):
            cases[item.nodeid.split("[")[0]].append(item)
    for group in cases.values():
        values = [list(item.callspec.params.values()) for item in group]
        # An estimator takes long to be written out, and is a value of many cases.
        told = {id(value): _told(value) for value in _once(values)}
        rows = [[told[id(value)] for value in row] for row in values]
        for place in left_out(rows, strength=2 if len(rows[0]) > 2 else 1):
            group[place].add_marker(pytest.mark.exhaustive)


def left_out(rows, strength):
    """Places of the rows without which all combinations of `strength` values still occur.

    Greedy: the row with most combinations that are missing is kept; among equals that whose
    values were kept least often, so that they are spread evenly.
    """
    cells = [set(combinations(enumerate(row), strength)) for row in rows]
    missing, kept, used = set().union(*cells), set(), Counter()

    def worth(place):
        often = sum(used[cell] for cell in enumerate(rows[place]))
        return len(cells[place] & missing), -often, -place

    while missing:
        best = max(range(len(rows)), key=worth)
        missing -= cells[best]
        used.update(enumerate(rows[best]))
        kept.add(best)
    return [place for place in range(len(rows)) if place not in kept]


def _once(rows):
    """Every object of the rows once."""
    return {id(value): value for row in rows for value in row}.values()


def _told(value):
    """A value in words; of a partial application, as scikit-learn's checks are, the function."""
    while isinstance(value, partial):
        value = value.func
    return repr(value)
