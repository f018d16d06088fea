"""A search that only counts right decisions keeps no scores of all samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.metrics import log_loss

from similearn import NeighborsClassifier, PathSearchCV, datasets, stored_pairwise
from similearn.selection.held_out import tally_of

GRID = {"n_neighbors": [1, 3, 8], "ridge": [0.1, 1.0]}


def search(S, y, **options):
    model = NeighborsClassifier(weights="krr", calibration="none")
    return PathSearchCV(model, GRID, cv="loo", **options).fit(S, y)


def test_counts_in_chunks_are_those_of_kept_scores():
    S, y = datasets.make_similarities(40, random_state=0, return_X_y=True)
    with config_context(working_memory=0.01):
        counted = search(S, y)
    kept = search(S, y, keep_out_of_fold=True)
    assert_array_equal(counted.cv_results_["mean_test_score"], kept.cv_results_["mean_test_score"])
    assert counted.best_params_ == kept.best_params_


def test_no_chunk_holds_all_scores():
    S, y = datasets.make_similarities(40, random_state=0, return_X_y=True)
    candidates = [{"n_neighbors": k} for k in (1, 5)]
    model = NeighborsClassifier(weights="krr", calibration="none")
    model.fit_path(S, y, candidates, leave_one_out=True)
    scores, seen = model.path_scores(S), []

    def last_rows(part, rows):
        seen.append(part.shape[1])
        return part[:, -1:]

    with config_context(working_memory=0.01):
        ends = model.path_scores(S, last_rows)
    assert sum(seen) == 40 and max(seen) < 40
    assert_array_equal(ends, scores[:, np.cumsum(seen) - 1])


@pytest.mark.parametrize("cv", ["loo", 3])
def test_a_search_never_computes_a_lazy_block(cv):
    S, y = datasets.make_similarities(30, random_state=0, return_X_y=True)
    lazy = stored_pairwise(S.values, "similarity")
    search = PathSearchCV(NeighborsClassifier(weights="krr"), GRID, cv=cv).fit(lazy, y)
    assert "values" not in vars(lazy)
    plain = PathSearchCV(NeighborsClassifier(weights="krr"), GRID, cv=cv).fit(S, y)
    assert_array_equal(search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_a_tally_is_right_decisions_and_summed_losses():
    S, y = datasets.make_similarities(30, random_state=1, return_X_y=True)
    model = NeighborsClassifier(calibration="none").fit_path(
        S, y, [{"n_neighbors": 20}], leave_one_out=True
    )
    scores = model.path_scores(S)
    right, lost = tally_of(model, y, losses=True)(scores, slice(0, 30))[0, 0]
    P = model._probabilities(scores[0])
    assert right == np.count_nonzero(model.classes_[P.argmax(axis=1)] == y)
    assert_allclose(lost, 30 * log_loss(y, P, labels=model.classes_))
    assert np.isnan(tally_of(model, y, losses=False)(scores, slice(0, 30))[0, 0, 1])
