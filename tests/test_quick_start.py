"""What the shell loads, and what it puts off until a command uses it."""

import subprocess
import sys

import numpy as np
import pytest

from similearn import NeighborsClassifier, Pairwise, SimilarityClassifier, load, save

LOADED = """
import sys
from similearn.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code
heavy = {"rich.progress", "scipy.interpolate", "sklearn.preprocessing",
         "numba", "numpy.f2py.f2py2e", "scipy.optimize", "scipy.special._basic",
         "scipy.stats._stats_py", "pandas.core", "sklearn.pipeline", "sklearn.metrics",
         "sklearn.model_selection", "matplotlib", "similearn.similarities.catalogue"}
print(sorted(heavy & set(sys.modules)))
"""

LATER = """
import sys
import scipy
from similearn.cli.quick_start import import_scikit_learn

import_scikit_learn()
import scipy.stats
import sklearn.utils.fixes as fixes

assert not {"numpy.f2py.f2py2e", "scipy.special._basic", "scipy.stats._stats_py"} & set(sys.modules)
import numpy
import scipy.special
held_special = scipy.special
assert scipy.special.betainc(2, 2, 0.5) == 0.5 and held_special.betainc is scipy.special.betainc
assert numpy.f2py.get_include()
held = sys.modules["scipy.stats"]
from scipy.stats import rankdata

print(rankdata([3, 1, 2]).tolist(), held.rankdata is rankdata, scipy.stats.rankdata is rankdata)
assert "pandas" not in sys.modules
if fixes.pd is not None:
    assert fixes.pd.DataFrame is sys.modules["pandas"].DataFrame
import_scikit_learn()
assert sys.modules["scipy.stats"].rankdata is rankdata
"""


def run(script, *arguments, cwd):
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def model(tmp_path):
    S = np.exp(-np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
    fitted = NeighborsClassifier(3).fit(Pairwise(S, "similarity"), list("aaaaaabbbbbb"))
    save(fitted, tmp_path / "knn.model")
    np.savetxt(tmp_path / "new.csv", S[:1], delimiter=",")
    return tmp_path


def test_one_row_by_neighbours_loads_nothing_that_it_does_not_use(model):
    told = run(LOADED, "predict", "knn.model", "new.csv", cwd=model).splitlines()
    assert told[1].startswith("a,") and told[-1] == "[]"


def test_one_row_by_the_default_loads_a_compiler_at_most(model):
    # Of its members are pipelines, whose class scikit-learn keeps among much else.
    D = 12.0 - np.minimum(12.0, np.abs(np.subtract.outer(np.arange(24.0), np.arange(24.0))))
    fitted = SimilarityClassifier(random_state=1).fit(Pairwise(D, "similarity"), ["a", "b"] * 12)
    assert any(len(member.steps) > 1 for member in fitted.members_)
    save(fitted, model / "auto.model")
    np.savetxt(model / "new.csv", D[:1], delimiter=",")
    told = run(LOADED, "predict", "auto.model", "new.csv", cwd=model).splitlines()
    assert told[-1] in ("[]", "['numba']")
    again = load(model / "auto.model").estimator
    for member, other in zip(fitted.members_, again.members_, strict=True):
        assert repr(member.estimator) == repr(other.estimator)
    np.testing.assert_array_equal(again.predict_proba(D), fitted.predict_proba(D))


def test_what_is_put_off_is_the_same_once_it_is_used(tmp_path):
    assert run(LATER, cwd=tmp_path) == "[3.0, 1.0, 2.0] True True\n"
