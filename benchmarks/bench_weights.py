"""Diverse weights: predict, batches of small problems, whole paths, and how cost grows."""

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.harness import Result, benchmark, best_of
from similearn import NeighborsClassifier, PathSearchCV, kri_weights

N, QUERIES, CLASSES, K = 5000, 2000, 10, 32


def similarities(n=N, m=QUERIES, seed=0):
    """An indefinite similarity of noisy points: exp(-distance) and symmetric noise."""
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((n, 10)), rng.standard_normal((m, 10))
    S, T = _exponential(A, A), _exponential(B, A)
    noise = 0.01 * rng.standard_normal((n, n))
    S += noise + noise.T
    np.fill_diagonal(S, 1.0)
    return S, T + 0.01 * rng.standard_normal((m, n)), rng.integers(CLASSES, size=n)


def _exponential(A, B):
    squares = (A**2).sum(1)[:, None] + (B**2).sum(1) - 2 * A @ B.T
    return np.exp(-np.sqrt(np.maximum(squares, 0)) / 4)


@benchmark
def diverse_predict():
    """The whole of predict, the neighbour search included, against plain k-NN."""
    S, T, y = similarities()
    rival = KNeighborsClassifier(K, metric="precomputed", n_jobs=2).fit(1.1 - S.clip(max=1.1), y)
    far = 1.1 - T.clip(max=1.1)
    calls = {"rival": lambda: rival.predict(far)}
    for weights in ("krr", "kri"):
        model = NeighborsClassifier(K, weights=weights, ridge=0.1, n_jobs=2).fit(S, y)
        calls[weights] = lambda model=model: model.predict(T)
    times = best_of(calls)
    name = f"predict, n={N}, {QUERIES} queries, k={K}"
    return [
        Result(f"{w} {name}", times[w], times["rival"], bar, False, rival_name="plain k-NN")
        for w, bar in (("krr", 1.0), ("kri", 1.25))
    ]


def local_problems(k, m, seed=0):
    """Blocks among neighbours as predict meets them: the nearest of a small training set."""
    S, T, _ = similarities(1000, m, seed)
    near = np.argsort(-T, axis=1)[:, :k]
    blocks = S[near[:, :, None], near[:, None, :]]
    lowest = np.minimum(np.linalg.eigvalsh(blocks)[:, :1, None], 0)
    return blocks - lowest * np.eye(k), np.take_along_axis(T, near, axis=1)


@benchmark
def kri_batches():
    """A batch of thousands against one call each of the fastest general solver, on some of them."""
    solvers = general_solvers()
    results = []
    for k, m, few, bar in ((8, 20_000, 1000, 5), (32, 4000, 500, 5), (128, 400, 50, 5)):
        S, s = local_problems(k, m)
        calls = {"ours": lambda S=S, s=s: kri_weights(S, s, 0.1, n_jobs=2)}
        for name, solve in solvers.items():
            calls[name] = lambda S=S, s=s, solve=solve, few=few: [
                solve(S[i], s[i], 0.1) for i in range(few)
            ]
        times = best_of(calls, repeats=15)
        told = {name: times[name] / (m if name == "ours" else few) for name in times}
        rival = min(solvers, key=told.get)
        expected = np.array([solvers[rival](S[i], s[i], 0.1) for i in range(few)])
        np.testing.assert_allclose(kri_weights(S, s, 0.1)[:few], expected, atol=1e-6)
        results.append(
            Result(
                f"KRI weights, k={k}, per problem, against {rival}",
                told["ours"],
                told[rival],
                bar,
                rival_name=rival,
                notes=told,
            )
        )
    return results


def general_solvers():
    """Whatever of daqp, piqp and SciPy's nnls is installed, each solving eq. 12."""
    from scipy.optimize import nnls

    def by_nnls(S, s, ridge):
        # On the simplex the problem is a least-squares one; a heavy row keeps the sum at one.
        L = np.linalg.cholesky(S + ridge * np.eye(len(s)))
        heavy = 1e5 * np.abs(L).max()
        A = np.vstack([L.T, np.full(len(s), heavy)])
        w = nnls(A, np.append(np.linalg.solve(L, s), heavy))[0]
        return w / w.sum()

    solvers = {"scipy nnls": by_nnls}
    try:
        solvers["daqp"] = _daqp()
    except ImportError:
        pass
    try:
        solvers["piqp"] = _piqp()
    except ImportError:
        pass
    return solvers


def _daqp():
    from ctypes import c_int

    import daqp

    def by_daqp(S, s, ridge):
        k = len(s)
        lower, upper = np.append(np.zeros(k), 1.0), np.append(np.ones(k), 1.0)
        sense = np.append(np.zeros(k), 5).astype(c_int)
        return daqp.solve(S + ridge * np.eye(k), -s, np.ones((1, k)), upper, lower, sense)[0]

    return by_daqp


def _piqp():
    import piqp

    def by_piqp(S, s, ridge):
        k = len(s)
        solver = piqp.DenseSolver()
        solver.settings.eps_abs, solver.settings.eps_rel = 1e-13, 1e-13
        solver.setup(
            S + ridge * np.eye(k), -s, np.ones((1, k)), np.ones(1), x_l=np.zeros(k), x_u=np.ones(k)
        )
        solver.solve()
        return solver.result.x

    return by_piqp


@benchmark
def krr_path():
    """The whole KRR grid of JMLR Table 2 by 10-fold cross-validation."""
    S, _, y = similarities(1000, 1)
    grid = {
        "n_neighbors": [*range(1, 17), 32, 64, 128],
        "ridge": [1e-3, 1e-2, 1e-1, 1.0, 10.0],
    }
    # A calibration at each of its fits would slow the rival by what nobody asks for here.
    estimator = NeighborsClassifier(weights="krr", calibration="none")
    searches = {
        "ours": PathSearchCV(estimator, grid, cv=10, n_jobs=2, refit=False),
        "rival": GridSearchCV(estimator, grid, cv=10, n_jobs=2, refit=False),
    }
    best = best_of({name: lambda s=s: s.fit(S, y) for name, s in searches.items()}, repeats=11)
    results = [search.cv_results_ for search in searches.values()]
    for column in (c for c in results[0] if "test" in c):
        np.testing.assert_array_equal(results[0][column], results[1][column])
    name = "KRR grid, 19 k × 5 ridges, 10 folds, n=1000"
    return [Result(name, best["ours"], best["rival"], 30, rival_name="GridSearchCV")]


@benchmark
def growth():
    """Seconds of predict over n and k, and the exponents fitted to them."""
    sizes, ks = (1000, 2000, 4000, 8000, 16000), (4, 8, 16, 32, 64, 128)
    times = {weights: ({}, {}) for weights in ("uniform", "krr", "kri")}
    for n in sizes:
        data = similarities(n, 500)
        for weights, (over_n, over_k) in times.items():
            over_n[n] = _predict_time(data, 32, weights)
            if n == 4000:
                over_k |= {k: _predict_time(data, k, weights) for k in ks}
    results = []
    for weights, both in times.items():
        for axis, told in zip("nk", both, strict=True):
            slope = np.polyfit(np.log(list(told)), np.log(list(told.values())), 1)[0]
            first, *_, last = told
            print(f"{weights:8} over {axis}: exponent {slope:.2f};", _table(told))
            results.append(
                Result(
                    f"{weights}: {axis}={last} against {axis}={first}, exponent {slope:.2f}",
                    told[last],
                    told[first],
                    higher=False,
                    notes={str(size): seconds for size, seconds in told.items()},
                )
            )
    return results


def _predict_time(data, k, weights):
    S, T, y = data
    model = NeighborsClassifier(k, weights=weights, ridge=0.1, n_jobs=2).fit(S, y)
    return best_of({"predict": lambda: model.predict(T)}, repeats=3)["predict"]


def _table(times):
    return ", ".join(f"{size}: {1e3 * seconds:.1f} ms" for size, seconds in times.items())
