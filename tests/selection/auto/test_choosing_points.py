"""Which point of a grid a member takes, what its samples count, and which members are kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn import SimilarityClassifier, datasets
from similearn.data.memory import memory_of
from similearn.selection.auto import members, trying
from similearn.selection.auto.trying import chosen_point

N = 200
TRUTH = np.arange(N) % 2
PRIORS = np.array([0.5, 0.5])


def evidence(wrong, sure):
    """Log-probabilities of which the first `wrong` are for the wrong class."""
    says = np.where(np.arange(N) < wrong, 1 - TRUTH, TRUTH)
    P = np.full((N, 2), 1.0 - sure)
    P[np.arange(N), says] = sure
    return np.log(P)


def graded(wrong):
    """The same, but the wrong ones are hardly sure, so that the log-loss is low."""
    scores = evidence(wrong, 0.99)
    scores[:wrong] = evidence(wrong, 0.51)[:wrong]
    return scores


@pytest.mark.parametrize(("wrong", "taken"), [(24, 1), (40, 0)])
def test_log_loss_decides_among_points_within_one_standard_error(wrong, taken):
    """The best of 200 errs on 20, and one standard error of that is 4.2."""
    points = np.stack([evidence(20, 0.99), graded(wrong)])
    assert chosen_point(points, TRUTH, PRIORS)[0] == taken


def test_samples_that_count_more_decide_the_point():
    points = np.stack([evidence(20, 0.99), evidence(0, 0.99)])
    points[1, 100:140] = points[1, 100:140, ::-1]  # errs on 40 others
    counts = np.where(np.arange(N) < 20, 5.0, 0.5)
    assert chosen_point(points, TRUTH, PRIORS)[0] == 0
    assert chosen_point(points, TRUTH, PRIORS, counts / counts.mean())[0] == 1


def test_points_are_chosen_with_the_weights_of_the_classes(monkeypatch):
    S, y = datasets.make_similarities(60, n_classes=2, return_X_y=True)
    y = np.where(np.arange(60) < 12, "rare", "common")
    seen, original = [], trying.chosen_point

    def spied(evidence, codes, priors, weights=None):
        seen.append((codes, weights))
        return original(evidence, codes, priors, weights)

    monkeypatch.setattr(trying, "chosen_point", spied)
    SimilarityClassifier(effort="quick", class_weight="balanced").fit(S, y)
    assert len(seen) == 4
    for codes, weights in seen:
        assert_allclose([weights[codes == g].sum() for g in (0, 1)], 30.0)


def test_members_of_little_weight_are_dropped_and_none_keeps_what_was_shared(monkeypatch):
    S, y = datasets.make_similarities(120, n_classes=3, indefinite=0.5, return_X_y=True)
    monkeypatch.setattr(members, "LEAST_WEIGHT", 0.0)
    all_kept = SimilarityClassifier().fit(S, y)
    monkeypatch.undo()
    model = SimilarityClassifier().fit(S, y)
    assert all_kept.weights_.min() < members.LEAST_WEIGHT <= model.weights_.min()
    for member in model.members_:
        for _, step in member.steps:
            held = [v for v in vars(step).values() if hasattr(v, "same_samples")]
            assert not any(memory_of(block) for block in held)
