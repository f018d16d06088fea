"""Finite numbers in, finite numbers out: every public estimator at every scale.

Estimators are found by introspection, so that a new one is tested without being named here.
"""

import inspect
import warnings
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags

import similearn as sl
from similearn.data.values import filled
from similearn.errors import SimilearnError, SimilearnWarning
from similearn.estimators.shell.source_input import SourcesInput


class Case(NamedTuple):
    """Training numbers of a shape and scale; queries may be of another scale."""

    shape: str
    scale: float = 1.0
    far: float | None = None

    def __str__(self):
        queries = f", queries at {self.far:g}" if self.far else ""
        return f"{self.shape} at {self.scale:g}{queries}"


EXTREMES = 1e-300, 1e300
CASES = [
    *(Case("plain", scale) for scale in (1e-150, 1.0, 1e150)),
    *(Case(s, scale) for s in ("plain", "asymmetric", "sparse", "two") for scale in EXTREMES),
    *(Case("constant", scale) for scale in EXTREMES),
    *(Case(shape) for shape in ("zero", "denormal", "mixed", "ties", "one outlier")),
    *(Case(shape) for shape in ("pair", "singletons", "asymmetric", "sparse", "two")),
    *(Case("plain", 1.0, far) for far in EXTREMES),
    *(Case("plain", *scales) for scales in permutations(EXTREMES)),
]
FEW = ("pair", "singletons")  # too few samples for some methods, which say so
REFUSED = {
    ("DissimilarityToSimilarity", "zero"),  # there is no maximum to divide by
    *product(("CDNNClassifier", "DissimilarityCombiner"), ("asymmetric", "sparse")),
    ("PseudoEuclideanEmbedding", "sparse"),  # of dissimilarities: those left out are unknown
}
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
    "MixtureSDAClassifier": [sl.MixtureSDAClassifier(n_init=2, tol=1e-3)],
    "LocalSVC": [sl.LocalSVC(2), sl.LocalSVC(2, spectrum="shift")],
    "NeighborsClassifier": [
        *(sl.NeighborsClassifier(2, weights=name) for name in ("uniform", "affinity", "lime")),
        *(sl.NeighborsClassifier(2, weights=name) for name in ("kri", "krr")),
        sl.NeighborsClassifier(2, kind="dissimilarity"),
    ],
    "NormalClassifier": [sl.NormalClassifier(name) for name in ("shared", "own")],
    "NystromFeatures": [
        *(sl.NystromFeatures(5, spectrum=name, random_state=0) for name in ("clip", "flip")),
        sl.NystromFeatures(2, prototypes="k-medoids", random_state=0),
        sl.NystromFeatures(3, prototypes="leverage", tolerance=0.0, random_state=0),
    ],
    "PairwiseSimilarity": [sl.PairwiseSimilarity("euclidean", progress=False)],
    "PathSearchCV": [
        sl.PathSearchCV(sl.NeighborsClassifier(weights="krr"), {"n_neighbors": [1, 2]}, cv=2)
    ],
    "PotentialSVC": [sl.PotentialSVC(), sl.PotentialSVC(fit_intercept=True)],
    "PrototypeFeatures": [
        sl.PrototypeFeatures(),
        sl.PrototypeFeatures(sigma=1.0),
        sl.PrototypeFeatures("k-medoids", n_prototypes=2, sigma=1e-3),
    ],
    "ProximityForestClassifier": [
        sl.ProximityForestClassifier(3, kind=kind, random_state=0)
        for kind in ("dissimilarity", "similarity")
    ],
    "PseudoEuclideanEmbedding": [
        sl.PseudoEuclideanEmbedding(),
        sl.PseudoEuclideanEmbedding(positive_only=True),
        sl.PseudoEuclideanEmbedding(kind="dissimilarity"),
    ],
    "RobustSVC": [sl.RobustSVC(), sl.RobustSVC(C=1e3, rho=1e9)],
    "SDAClassifier": [sl.SDAClassifier(name) for name in ("observed", "continuous")],
    "SimilarityClassifier": [sl.SimilarityClassifier(effort="quick")],
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
DISSIMILAR = {"CDNNClassifier", "DissimilarityCombiner", "DissimilarityToSimilarity"}


def classes():
    """What is tried of every public class."""
    for name in sorted(sl.__all__):
        found = getattr(sl, name)
        # What SimilaritySources gives is what PairwiseSimilarity gives, several times.
        if name == "SimilaritySources":
            continue
        if inspect.isclass(found) and issubclass(found, BaseEstimator):
            yield VARIANTS.get(name) or [found()]


def estimators_and_cases():
    """By default every class meets every case, its variants in turn; else every variant does."""
    for variants in classes():
        for place, estimator in enumerate(variants):
            told = repr(estimator).replace("\n", "")[:70]
            own = CASES[place :: len(variants)]
            yield pytest.param(estimator, own, id=told)
            if others := [case for case in CASES if case not in own]:
                marks = pytest.mark.exhaustive
                yield pytest.param(estimator, others, id=f"{told}, other cases", marks=marks)


def numbers(case, n=13):
    """Numbers (n, n) of both signs, symmetric unless the case says otherwise, and labels."""
    rng = np.random.default_rng(0)
    shape, scale, _ = case
    y = np.arange(n) % (2 if shape == "two" else 3)
    A = rng.uniform(-1.0, 1.0, (n, n)) + (y[:, None] == y)
    if shape == "constant":
        A = np.ones((n, n))
    elif shape == "zero":
        A = np.zeros((n, n))
    elif shape == "denormal":
        A, scale = np.round(100 * A), 5e-324
    elif shape == "mixed":
        A = np.sign(A) * 10.0 ** rng.uniform(-300, 300, (n, n))
    elif shape == "ties":
        A = np.sign(A)
    elif shape == "one outlier":
        A[0, 1] = 1e300
    elif shape == "sparse":
        A[A < 0] = 0.0
    if shape != "asymmetric":
        lower = np.tril_indices(n, -1)
        A[lower] = A.T[lower]
    return A * scale, y


def block_and_labels(case, kind):
    """A square block of a kind, and labels; the last four samples are the queries."""
    values, y = numbers(case)
    if kind == "dissimilarity":
        values = np.abs(values)
        np.fill_diagonal(values, 0.0)
    if case.far:
        values[9:] = numbers(Case(case.shape, case.far))[0][9:]
        values = np.abs(values) if kind == "dissimilarity" else values
    return sl.Pairwise(sparse.csr_array(values) if case.shape == "sparse" else values, kind), y


def training_and_queries(estimator, case):
    """Training data, labels and queries, in the form that the estimator takes."""
    name = type(estimator).__name__
    dissimilar = name in DISSIMILAR or getattr(estimator, "kind", None) == "dissimilarity"
    block, y = block_and_labels(case, "dissimilarity" if dissimilar else "similarity")
    train, queries = np.arange({"pair": 2, "singletons": 3}.get(case.shape, 9)), np.arange(9, 13)
    both = [block[np.ix_(rows, train)] for rows in (train, queries)]
    if isinstance(estimator, SourcesInput):
        tables = [filled(block.values, 0.0)[rows, :2] for rows in (train, queries)]
        both = [
            sl.Sources({"a": part, "b": part, **({"t": t} if name.startswith("Fus") else {})})
            for part, t in zip(both, tables, strict=True)
        ]
    elif not get_tags(estimator).input_tags.pairwise:
        both = [filled(part.values, 0.0) for part in both]
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
        yield "sums of predict_proba", np.where(abs(probabilities.sum(1) - 1) < 1e-9, 0.0, np.nan)
        logs = estimator.predict_log_proba(queries)  # that of an exact zero is -inf
        yield "predict_log_proba", np.where(np.isneginf(logs) & (probabilities == 0), 0.0, logs)
    if hasattr(estimator, "kneighbors"):
        values, _ = estimator.kneighbors(queries)
        unknown = getattr(queries, "is_sparse", False)  # a sparse dissimilarity may know no other
        yield "kneighbors", np.where(np.isposinf(values) & unknown, 0.0, values)
    if hasattr(estimator, "explain"):
        yield from explained(estimator.explain(queries))


def explained(told):
    """Everything numeric in an explanation."""
    for name in ("scores", "weights", "values"):
        yield f"explain: {name}", 0.0 if getattr(told, name) is None else getattr(told, name)
    yield from ((f"explain: {name}", term) for name, term in told.terms.items())


def complaint(named_outputs, *, may_refuse=False):
    """What is wrong with the outputs, (name, numbers) in turn, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SimilearnWarning)
        try:
            for what, found in named_outputs:
                if not np.isfinite(np.asarray(found, dtype=float)).all():
                    return f"{what} is not finite"
        except SimilearnError as error:
            return None if may_refuse else f"refused: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return None


def complain(found):
    """Fail with all complaints, each with its case."""
    wrong = [f"{case}: {fault}" for case, fault in found.items() if fault is not None]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(("estimator", "cases"), list(estimators_and_cases()))
def test_finite_in_finite_out(estimator, cases):
    found = {}
    for case in cases:
        may_refuse = case.shape in FEW or (type(estimator).__name__, case.shape) in REFUSED
        model = clone(estimator)
        told = outputs(model, *training_and_queries(model, case))
        found[case] = complaint(told, may_refuse=may_refuse)
    complain(found)


@pytest.mark.parametrize("function", [sl.kri_weights, sl.krr_weights, sl.lime_weights])
def test_weights_are_finite(function):
    found = {}
    for case in CASES:
        if case.shape in ("asymmetric", "sparse"):
            continue
        block, _ = block_and_labels(case, "similarity")
        S, s = block.values[:5, :5], block.values[9, :5]
        for ridge in EXTREMES:
            found[case, ridge] = complaint([("weights", function(S, s, ridge))])
    complain(found)


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_goodness_is_finite(kind):
    def told(case):
        block, y = block_and_labels(case, kind)
        found = sl.goodness(block, y)
        yield "shares", [*found.shares, *found.low, *found.high, *found.pseudo]
        yield "epsilon", [*found.epsilon(0.1), *found.gamma(0.1)]
        weighted = sl.weighted_goodness(block, y, gamma=0.1, n_steps=5)
        yield "weighted", [*weighted.epsilon, *weighted.unweighted, *weighted.weights]

    complain({case: complaint(told(case)) for case in CASES})


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_diagnosis_is_finite(kind):
    def told(case):
        block, y = block_and_labels(case, kind)
        found = sl.diagnose(block, y).to_dict()
        yield from ((name, v) for name, v in found.items() if isinstance(v, float))

    complain({case: complaint(told(case)) for case in CASES})
