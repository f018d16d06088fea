"""How the neighbours of a query are weighed: one entry for each value of ``weights``."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from similearn.numerics.neighbors.kri import kri_path_scores, kri_weights_and_gaps
from similearn.numerics.neighbors.krr import krr_path_scores, krr_weights
from similearn.numerics.neighbors.lime import lime_path_scores, lime_weights_and_gaps
from similearn.numerics.neighbors.weights import affinity_weights

WORST_GAP = 1e-8
"""Relative KKT gap above which weights count as not converged."""


@dataclass(frozen=True)
class Weighting:
    """What a value of ``weights`` means.

    Parameters
    ----------
    of_values : weights (m, k) from the values of the k nearest alone, for all k at once; or
        None where the similarities among the neighbours count as well
    of_blocks : ``(S, s, ridge, spectrum, near)`` to weights (m, k) and KKT gaps (m,)
    path : ``(S, s, codes, n_classes, ks, ridges, spectrum, near)`` to scores
        (m, ks, ridges, n_classes) and KKT gaps (m, ks, ridges)
    spectra : ways to treat an indefinite block among neighbours, the default first
    link : what the summed weights are, see `similearn.estimators.shell.base`
    needs_similarity : whether values, not only their order, matter
    """

    of_values: Callable | None = None
    of_blocks: Callable | None = None
    path: Callable | None = None
    spectra: tuple[str, ...] = ()
    link: str = "shares"
    needs_similarity: bool = True


def _votes(values):
    """One vote each; what a sparse block does not know (inf) has none."""
    return np.isfinite(values).astype(float)


def _krr_weights_and_gaps(S, s, ridge, spectrum, *, near):
    return krr_weights(S, s, ridge, spectrum, near=near), np.zeros(len(s))  # a closed form


def _krr_path_scores(S, s, codes, n_classes, ks, ridges, spectrum, *, near):
    scores = krr_path_scores(S, s, codes, n_classes, ks, ridges, spectrum, near=near)
    return scores, np.zeros(scores.shape[:3])


WEIGHTINGS = {
    "uniform": Weighting(of_values=_votes, needs_similarity=False),
    "affinity": Weighting(of_values=affinity_weights),
    "krr": Weighting(
        of_blocks=_krr_weights_and_gaps,
        path=_krr_path_scores,
        spectra=("pinv", "clip", "flip", "shift"),
        link="indicators",
    ),
    "kri": Weighting(
        of_blocks=kri_weights_and_gaps, path=kri_path_scores, spectra=("clip", "flip", "shift")
    ),
    "lime": Weighting(
        of_blocks=lime_weights_and_gaps, path=lime_path_scores, spectra=("clip", "flip", "shift")
    ),
}
