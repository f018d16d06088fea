"""Constructor arguments by name: some that must work, and some that must be refused."""

import inspect
from typing import Any

import numpy as np

from tests.fuzz.drawing import Draw, told

# Values that every parameter may be given by mistake.
STRANGE = (
    None,
    True,
    False,
    -1,
    0,
    1,
    3,
    0.5,
    -0.5,
    10**6,
    2**63,
    2**70,
    -(2**70),
    1e300,
    1e-300,
    float("nan"),
    float("inf"),
    -float("inf"),
    1j,
    "",
    "x",
    "clip",
    "\x1b[31m",
    "y" * 10_000,
    b"x",
    [],
    (),
    {},
    [1, 2],
    [None],
    np.int64(3),
    np.float32(0.5),
    np.array([1.0, 2.0]),
    np.array(2),
    np.array([]),
    np.nan,
    object(),
    print,
    int,
)
# How much work is to be done: any number below 2**63 is a fair wish, however long it takes.
AMOUNTS = {
    "batch_size",
    "cv",
    "max_iter",
    "max_prototypes",
    "n_references",
    "n_estimators",
    "n_init",
    "n_iter_no_change",
    "n_pairs",
    "n_passes",
    "n_spectrum",
    "n_steps",
    "n_targets",
    "n_triples",
    "verbose",
}
COUNTS = (1, 2, 3, 5, 8)
POSITIVE = (1e-300, 1e-12, 1e-3, 0.1, 1.0, 10.0, 1e6, 1e12, 1e100, 1e300, 1, 2, np.float32(0.5))
SHARES = (1e-12, 0.05, 0.1, 0.5, 0.9, 1.0)
SEEDS = (None, 0, 7, np.random.RandomState(0))
COSTS = (None, [[0, 1], [5, 0]], np.zeros((2, 2)), [[0, 1e300], [1e300, 0]], [[0, -1e300], [1, 0]])
STRANGE_COSTS = (
    "abc",
    [[0, None], [1, 0]],
    [[0, np.nan], [1, 0]],
    np.ones((3, 3)),
    [1, 2],
    [["a", "b"], ["c", "d"]],
)
# By name, or by class and name where the name has several meanings.
FAIR: dict[str, tuple[Any, ...]] = {
    "C": POSITIVE,
    "alpha": (0.0, 1e-12, 0.1, 0.5, 1.0),
    "base": ("stump", "sign", "tree"),
    "bound": (None, 1.0, 4.0),
    "calibration": ("temperature", "none"),
    "class_weight": (None, "balanced", {0: 2.0}, {1: 1e-12}),
    "cone": ("polyhedral", "spn"),
    "consistency": ("linear", "augmented", "none"),
    "costs": COSTS,
    "covariance": ("shared", "own"),
    "cv": (2, 3, 5, "loo"),
    "degenerate": ("centroid", "uniform"),
    "dense": (True, False),
    "epsilon": POSITIVE,
    "fit_intercept": (True, False),
    "gamma": POSITIVE,
    "kind": ("similarity", "dissimilarity"),
    "max_depth": (1, 2, 3),
    "max_iter": (1, 2, 10, 100),
    "DissimilarityToSimilarity.method": ("one-minus-scaled", "max-minus"),
    "SpectrumTransformer.method": ("clip", "flip", "shift", "square"),
    "zeros": ("drop", "keep"),
    "n_components": (None, 1, 2, 3, 0.9),
    "n_estimators": COUNTS,
    "n_init": (1, 2),
    "n_jobs": (None, 1, 2, -1, -2),
    "n_neighbors": (*COUNTS, 12, 20),
    "n_pairs": (1, 5, 100, None),
    "n_prototypes": COUNTS,
    "n_iter_no_change": (None, 1, 3),
    "positive_only": (True, False),
    "priors": (None, "neighborhood", [0.5, 0.5], [1, 0], [1e300, 1e300], [1e-300, 1e300]),
    "prototypes": ("all", "random", "k-medoids"),
    "random_state": SEEDS,
    "refit": (True, False),
    "regularization": (
        None,
        *("joint", "marginal", "global-rate", "average-rate", "mean", "histogram"),
        *("adaptive", "dirichlet"),
    ),
    "rho": POSITIVE,
    "ridge": (0, *POSITIVE),
    "ridges": ((0.1,), [1e-300, 1e300]),
    "scale": (True, False),
    "shrinkage": SHARES,
    "sigma": (None, *POSITIVE),
    "sources": (None, ["a"]),
    "spectrum": ("clip", "flip", "shift", "square", "pinv", "krein", None),
    "support": ("observed", 3, 20),
    "symmetrize": (True, False),
    "temper": (None, 2, 3),
    "tol": (1e-12, 1e-3, 0.1, 1.0),
    "validation_fraction": (0.1, 0.3),
    "weights": ("uniform", "affinity", "krr", "kri", "lime"),
}


def value(d: Draw, name: str, default: Any, strange: float = 0.3, owner: str = "") -> Any:
    """One value for a parameter; a name that is not known keeps its default, or is strange."""
    if not d.fault(strange):
        return d.pick(FAIR.get(f"{owner}.{name}") or FAIR.get(name) or (default,))
    drawn = d.pick((*STRANGE, *STRANGE_COSTS) if name in ("costs", "priors") else STRANGE)
    if name in AMOUNTS and isinstance(drawn, int | float) and 1e5 < drawn < 2**63:
        return 7
    return drawn


def arguments(d: Draw, function: Any, given: tuple[str, ...] = ()) -> dict[str, Any]:
    """Some arguments for a class or a function, beyond those that are given already."""
    known = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in given and parameter.kind is not parameter.VAR_KEYWORD
    }
    needed = [name for name, default in known.items() if default is inspect.Parameter.empty]
    free = [name for name in known if name not in needed]
    count = min(len(free), d.pick([0, 0, 1, 1, 2, 3]))
    chosen = needed + [str(name) for name in d.rng.choice(free, count, replace=False)] * bool(free)
    owner = function.__name__
    drawn = {name: value(d, name, known[name], owner=owner) for name in dict.fromkeys(chosen)}
    d.tell(f"{function.__name__}({', '.join(f'{n}={told(v)}' for n, v in drawn.items())})")
    return drawn
