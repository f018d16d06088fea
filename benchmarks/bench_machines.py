"""Kernel and feature machines against libsvm, Clarabel and eigh."""

import time

import numpy as np
from scipy.linalg import eigh
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from benchmarks.bench_weights import similarities
from benchmarks.harness import Result, benchmark, best_of
from similearn import (
    LocalSVC,
    PathSearchCV,
    PotentialSVC,
    SimilaritySVC,
    SpectrumTransformer,
)
from similearn.numerics.linalg.spectrum import modified, spectrum_map


def two_classes(n, m, seed=0):
    """An indefinite similarity, and labels that it can tell with some noise."""
    S, T, _ = similarities(n, m, seed)
    rng = np.random.default_rng(seed)
    score = S @ rng.standard_normal(n) / np.sqrt(n)
    return S, T, (score + 0.3 * score.std() * rng.standard_normal(n) > np.median(score)).astype(int)


@benchmark
def local_svc():
    """SVM-KNN, against a loop of libsvm fits on the same clipped neighbourhoods."""
    S, T, y = two_classes(2000, 2000)
    model = LocalSVC(32, C=10.0, calibration="none", n_jobs=2).fit(S, y)
    near = np.argsort(-T, axis=1, kind="stable")[:, :32]

    def rival():
        return np.array([_libsvm(S, T[i], y, near[i]) for i in range(len(T))])

    assert np.array_equal(model.predict(T), rival())
    times = best_of({"ours": lambda: model.predict(T), "rival": rival}, repeats=3)
    name = "LocalSVC predict, 2000 queries, k=32"
    return [Result(name, times["ours"], times["rival"], 10, rival_name="SVC fits")]


def _libsvm(S, t, y, near):
    labels = y[near]
    if (labels == labels[0]).all():
        return labels[0]
    block, s = S[np.ix_(near, near)], t[near]
    map_ = spectrum_map(block, "clip")
    machine = SVC(kernel="precomputed", C=10.0, tol=1e-5).fit(modified(block, map_), labels)
    return machine.predict(map_.rows(s[None]))[0]


@benchmark
def potential_svc():
    """The potential SVM, against cvxpy with Clarabel."""
    import cvxpy

    S, _, y = two_classes(500, 1)
    epsilon, C = 0.1, 10.0
    target = 2.0 * y - 1
    model = PotentialSVC(epsilon, C, calibration="none")
    alpha = cvxpy.Variable(500)
    loss = 0.5 * cvxpy.sum_squares(target - S @ alpha) + epsilon * cvxpy.norm1(alpha)
    problem = cvxpy.Problem(cvxpy.Minimize(loss), [cvxpy.norm_inf(alpha) <= C])

    def rival():
        return problem.solve(solver=cvxpy.CLARABEL)

    times = best_of({"ours": lambda: model.fit(S, y), "rival": rival}, repeats=3)
    name = "PotentialSVC fit, n=500"
    return [Result(name, times["ours"], times["rival"], 20, rival_name="cvxpy, Clarabel")]


@benchmark
def similarity_svc_grid():
    """Nine values of C by cross-validation, against a pipeline that decomposes at each point.

    The rival's ten folds would take an hour of eigendecompositions: both search two of the
    ten folds, which does not change the ratio.
    """
    S, _, y = two_classes(3000, 1)
    rng = np.random.default_rng(0)
    parts = np.array_split(rng.permutation(3000), 10)
    folds = [(np.setdiff1d(np.arange(3000), part), part) for part in parts[:2]]
    grid = [10.0**e for e in range(-3, 6)]
    settings = {"cv": folds, "refit": False, "n_jobs": 1}
    ours = PathSearchCV(SimilaritySVC(spectrum="clip", calibration="none"), {"C": grid}, **settings)
    machine = SVC(kernel="precomputed", max_iter=ours.estimator.max_iter)
    pipeline = make_pipeline(SpectrumTransformer("clip"), machine)
    rival = GridSearchCV(pipeline, {"svc__C": grid}, **settings)
    seconds = {}
    for name, search in (("ours", ours), ("rival", rival)):
        start = time.perf_counter()
        search.fit(S, y)
        seconds[name] = time.perf_counter() - start
    same = [s.cv_results_["mean_test_score"] for s in (ours, rival)]
    name = "SimilaritySVC clip, 9 C, n=3000, 2 of 10 folds"
    worst = float(np.abs(same[0] - same[1]).max())
    notes = {"largest difference of a mean score": worst}
    return [
        Result(name, seconds["ours"], seconds["rival"], 5, rival_name="GridSearchCV", notes=notes)
    ]


@benchmark
def spectrum_transforms():
    """Clip, flip and shift at n = 4000, against one eigh."""
    S, _, _ = similarities(4000, 1)
    calls = {"eigh": lambda: eigh(S)}
    for method in ("clip", "flip", "shift"):
        calls[method] = lambda method=method: SpectrumTransformer(method).fit_transform(S)
    times = best_of(calls, repeats=1)
    return [
        Result(f"spectrum {m}, n=4000", times[m], times["eigh"], 1.2, False, rival_name="eigh")
        for m in ("clip", "flip", "shift")
    ]
