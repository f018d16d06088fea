"""Finite numbers in, finite numbers out: every public estimator at every scale.

Estimators are found by introspection, so that a new one is tested without being named here.
"""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags

import similearn as sl
from similearn.errors import SimilearnError, SimilearnWarning
from similearn.estimators.shell.source_input import SourcesInput

SHAPES = ("constant", "zero", "denormal", "mixed", "ties", "pair", "singletons", "one outlier")
CASES = [
    *(("plain", s) for s in (1e-300, 1e-150, 1e-50, 1e-20, 1.0, 1e20, 1e50, 1e150, 1e300)),
    *((shape, scale) for shape in SHAPES for scale in (1e-300, 1.0, 1e300)),
]
FEW = ("pair", "singletons")  # too few samples for some methods, which say so
REFUSED = {("DissimilarityToSimilarity", "zero")}  # there is no maximum to divide by
SPECTRA = ("clip", "flip", "shift", "square", "krein", "none")
COMBINATIONS = ("pythagorean", "weighted", "psd", "copositive")

# What is tried of a class beside its default, where other parameters lead to other arithmetic.
VARIANTS = {
    "CDNNClassifier": [
        sl.CDNNClassifier(sl.DissimilarityCombiner(name, ridge=0.1, n_passes=1))
        for name in COMBINATIONS
    ],
    "DBoostClassifier": [sl.DBoostClassifier(5), sl.DBoostClassifier(5, base="sign")],
    "DissimilarityCombiner": [
        *(sl.DissimilarityCombiner(name, ridge=0.1, n_passes=1) for name in COMBINATIONS),
        sl.DissimilarityCombiner("weighted", select="forward", ridges=(0.1, 1.0), n_passes=1),
        sl.DissimilarityCombiner("psd", scale=False, ridge=0.1, n_passes=1),
    ],
    "DissimilarityToSimilarity": [
        sl.DissimilarityToSimilarity(),
        sl.DissimilarityToSimilarity("max-minus"),
    ],
    "DissimilarityVoteClassifier": [
        sl.DissimilarityVoteClassifier(kind=kind) for kind in ("dissimilarity", "similarity")
    ],
    "FusedNeighborsClassifier": [sl.FusedNeighborsClassifier(1)],
    "FusionClassifier": [
        sl.FusionClassifier([("a", sl.SimilaritySVC(), "a"), ("b", first, "b"), ("t", second, "t")])
        for first, second in [
            (sl.NeighborsClassifier(1), sl.BDAClassifier()),
            (sl.LocalSDAClassifier(2), sl.NormalClassifier()),
        ]
    ],
    "LocalBDAClassifier": [
        sl.LocalBDAClassifier(1),
        sl.LocalBDAClassifier(2, priors="neighborhood"),
    ],
    "LocalNearestMeansClassifier": [sl.LocalNearestMeansClassifier(k) for k in (1, 2)],
    "LocalSDAClassifier": [
        sl.LocalSDAClassifier(2, regularization=name)
        for name in (None, "joint", "global-rate", "mean", "histogram", "adaptive", "dirichlet")
    ],
    "LocalSVC": [sl.LocalSVC(2), sl.LocalSVC(2, spectrum="shift")],
    "NeighborsClassifier": [
        *(sl.NeighborsClassifier(2, weights=name) for name in ("uniform", "affinity", "lime")),
        *(sl.NeighborsClassifier(2, weights=name) for name in ("kri", "krr")),
        sl.NeighborsClassifier(2, kind="dissimilarity"),
    ],
    "NormalClassifier": [sl.NormalClassifier(name) for name in ("shared", "own")],
    "PotentialSVC": [sl.PotentialSVC(), sl.PotentialSVC(fit_intercept=True)],
    "PrototypeFeatures": [
        sl.PrototypeFeatures(),
        sl.PrototypeFeatures(sigma=1.0),
        sl.PrototypeFeatures("k-medoids", n_prototypes=2, sigma=1e-3),
    ],
    "PseudoEuclideanEmbedding": [
        sl.PseudoEuclideanEmbedding(),
        sl.PseudoEuclideanEmbedding(positive_only=True),
        sl.PseudoEuclideanEmbedding(kind="dissimilarity"),
    ],
    "RobustSVC": [sl.RobustSVC(), sl.RobustSVC(C=1e3, rho=1e9)],
    "SDAClassifier": [sl.SDAClassifier(name) for name in ("observed", "continuous")],
    "SimilaritySVC": [
        *(sl.SimilaritySVC(spectrum=name) for name in SPECTRA),
        *(
            sl.SimilaritySVC(spectrum=name, consistency="augmented")
            for name in ("clip", "flip", "square")
        ),
        sl.SimilaritySVC(consistency="none", calibration="none", C=1e9),
    ],
    "SpectrumTransformer": [sl.SpectrumTransformer(name) for name in SPECTRA[:4]],
}
# Objects are compared by functions of their own; a search and a portfolio use the models that are
# tested here, and take too long to be tried in every case.
ELSEWHERE = {"PairwiseSimilarity", "PathSearchCV", "SimilarityClassifier"}
DISSIMILAR = {"CDNNClassifier", "DissimilarityCombiner", "DissimilarityToSimilarity"}


def estimators():
    for name in sorted(set(sl.__all__) - ELSEWHERE):
        found = getattr(sl, name)
        if inspect.isclass(found) and issubclass(found, BaseEstimator):
            yield from VARIANTS.get(name) or [found()]


def numbers(shape, scale, n=13):
    """Symmetric numbers (n, n) of both signs, and labels."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    A = rng.uniform(-1.0, 1.0, (n, n)) + (y[:, None] == y)
    if shape == "constant":
        A = np.ones((n, n))
    elif shape == "zero":
        A = np.zeros((n, n))
    elif shape == "denormal":
        A, scale = np.round(100 * A), 5e-324
    elif shape == "mixed":
        A, scale = np.sign(A) * 10.0 ** rng.uniform(-300, 300, (n, n)), 1.0
    elif shape == "ties":
        A = np.sign(A)
    elif shape == "one outlier":
        A[0, 1], scale = 1e300, 1.0
    lower = np.tril_indices(n, -1)
    A[lower] = A.T[lower]
    return A * scale, y


def training_and_queries(estimator, shape, scale):
    """Training data, labels and queries, in the form that the estimator takes."""
    name = type(estimator).__name__
    dissimilar = name in DISSIMILAR or getattr(estimator, "kind", None) == "dissimilarity"
    values, y = numbers(shape, scale)
    if dissimilar:
        values = np.abs(values)
        np.fill_diagonal(values, 0.0)
    train, queries = np.arange({"pair": 2, "singletons": 3}.get(shape, 9)), np.arange(9, 13)
    block = sl.Pairwise(values, "dissimilarity" if dissimilar else "similarity")
    both = [block[np.ix_(rows, train)] for rows in (train, queries)]
    if isinstance(estimator, SourcesInput):
        tables = {"t": values[:, :2]} if name.startswith("Fus") else {}
        both = [
            sl.Sources({"a": part, "b": part, **{key: t[rows] for key, t in tables.items()}})
            for part, rows in zip(both, (train, queries), strict=True)
        ]
    elif not get_tags(estimator).input_tags.pairwise:
        both = [part.values for part in both]
    return both[0], y[train], both[1]


def outputs(estimator, X, y, queries):
    """Everything numeric that the estimator says of the queries."""
    if not is_classifier(estimator):
        for found in (estimator.fit_transform(X, y), estimator.fit(X, y).transform(queries)):
            found = getattr(found, "values", found)
            yield "transform", found.toarray() if hasattr(found, "toarray") else found
        return
    estimator.fit(X, y).predict(queries)
    yield "decision_function", estimator.decision_function(queries)
    if hasattr(estimator, "predict_proba"):
        probabilities = estimator.predict_proba(queries)
        yield "predict_proba", probabilities
        logs = estimator.predict_log_proba(queries)  # that of an exact zero is -inf
        yield "predict_log_proba", np.where(np.isneginf(logs) & (probabilities == 0), 0.0, logs)
    told = estimator.explain(queries)
    for name in ("scores", "weights", "values"):
        yield f"explain: {name}", 0.0 if getattr(told, name) is None else getattr(told, name)
    yield from ((f"explain: {name}", term) for name, term in told.terms.items())


def complaint(estimator, shape, scale):
    """What is wrong with the outputs, or None."""
    estimator = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SimilearnWarning)
        try:
            for what, found in outputs(estimator, *training_and_queries(estimator, shape, scale)):
                if not np.isfinite(np.asarray(found, dtype=float)).all():
                    return f"{what} is not finite"
        except SimilearnError as error:
            known = shape in FEW or (type(estimator).__name__, shape) in REFUSED
            return None if known else f"refused: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize(
    "estimator", list(estimators()), ids=lambda e: repr(e).replace("\n", "")[:70]
)
def test_finite_in_finite_out(estimator):
    found = {(shape, scale): complaint(estimator, shape, scale) for shape, scale in CASES}
    wrong = [f"{case}: {fault}" for case, fault in found.items() if fault is not None]
    assert not wrong, "\n" + "\n".join(wrong)
