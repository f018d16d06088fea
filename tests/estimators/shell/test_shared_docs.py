"""Shared parameters have one text, and no placeholder reaches a reader."""

import inspect
import re

import pytest
from sklearn.base import BaseEstimator

import similearn
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.parameters import TEXTS, fill_in

PUBLIC = [getattr(similearn, name) for name in similearn.__all__]
ESTIMATORS = [c for c in PUBLIC if isinstance(c, type) and issubclass(c, BaseEstimator)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda c: c.__name__)
def test_help_holds_the_texts(estimator):
    doc = inspect.getdoc(estimator)
    assert not re.search(r"^\s*\{\w+\}$", doc, re.MULTILINE)
    # The jobs of a portfolio are folds, not threads of one fit.
    shared = {"costs"} if estimator is similearn.SimilarityClassifier else {"costs", "n_jobs"}
    if issubclass(estimator, ScoreClassifier):
        for name in shared & set(estimator._get_param_names()):
            assert " ".join(TEXTS[name].split()) in " ".join(doc.split())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda c: c.__name__)
def test_every_parameter_is_documented(estimator):
    doc = inspect.getdoc(estimator)
    section = doc.split("Parameters\n----------\n", 1)[1].split("\n\nAttributes\n", 1)[0]
    heads = re.findall(r"^(\w[\w, ]*?) :", section, re.MULTILINE)
    documented = {name.strip() for head in heads for name in head.split(",")}
    assert set(estimator._get_param_names()) <= documented


def test_an_unknown_text_is_an_error():
    with pytest.raises(KeyError, match="nothing"):
        fill_in("x : int\n    {nothing}")


def test_other_braces_stay():
    doc = 'kind : {"similarity", "dissimilarity"}\n    See {name} and :math:`\\sqrt{n}`.'
    assert fill_in(doc) == doc
