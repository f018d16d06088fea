"""Every public fitted attribute means one thing, is in GLOSSARY.md, and is documented."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import similearn
from benchmarks.bench_cold import COLD, make_data
from similearn.errors import RenamedWarning
from similearn.estimators.names.attributes import ATTRIBUTES, documented, with_attributes

GLOSSARY = Path(__file__).parents[3] / "GLOSSARY.md"
SMALL = {"n_estimators": 3, "n_pairs": 5, "effort": "quick", "calibration": "temperature"}
TRAINING, _, LABELS = make_data(n=30)


def fitted(cold):
    model = cold.build()
    known = model.get_params(deep=False)
    model.set_params(**{name: value for name, value in SMALL.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(getattr(TRAINING, cold.form), LABELS)


@pytest.mark.parametrize("label", COLD)
def test_what_a_fit_leaves_is_known_and_documented(label):
    model = fitted(COLD[label])
    left = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert left <= set(ATTRIBUTES)
    assert left <= documented(type(model).__doc__)


def test_the_glossary_shows_the_same_table():
    section = GLOSSARY.read_text().split("## Fitted attributes")[1]
    shown = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    assert shown == [(name, text.replace("|", "∣")) for name, text in ATTRIBUTES.items()]


def test_docstrings_get_what_the_shell_sets():
    text = "A.\n\n    Attributes\n    ----------\n    map_, a_ : more\n        lines\n    "
    told = with_attributes(text, ["map_", "kind_"])
    assert told == text[:-4] + f"    kind_ : {ATTRIBUTES['kind_']}\n    "
    assert documented(told) == {"map_", "a_", "kind_"}
    assert with_attributes("B.", ["kind_"]) == "B." and documented("B.") == set()


def test_old_names_still_work():
    S = np.exp(-np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0))))
    block, y = similearn.Pairwise(S, "similarity"), list("aaaabbbb")
    for model, old, new in (
        (similearn.NeighborsClassifier(3, weights="krr"), "references_", "similarities_"),
        (similearn.LocalSVC(4), "references_", "similarities_"),
        (similearn.LocalSDAClassifier(4), "references_", "samples_"),
        (similearn.MixtureSDAClassifier(), "weights_", "component_weights_"),
    ):
        model.set_params(calibration="none").fit(block, y)
        with pytest.warns(RenamedWarning, match=f"{old} was renamed to {new}"):
            assert getattr(model, old) is getattr(model, new)


def test_old_names_with_an_axis_of_candidates_still_work():
    S = np.exp(-np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
    model = similearn.SimilaritySVC().fit(S, ["a"] * 6 + ["b"] * 6)
    with pytest.warns(RenamedWarning, match="calibrations_ was renamed to calibration_"):
        assert tuple(model.calibrations_[0]) == model.calibration_
    with pytest.warns(RenamedWarning, match="machines_ was renamed to duals_ and intercept_"):
        assert model.machines_[0].intercepts is model.intercept_
    model.set_params(calibration="none").fit(S, ["a"] * 6 + ["b"] * 6)
    assert model.calibration_ is None
