"""Made-up results of the default, some methods and the rivals."""

import numpy as np

from similearn.experiments.evidence.results_by_set import method_names
from similearn.experiments.evidence.rivals import RIVALS
from similearn.experiments.evidence.standing import AUTO

OTHERS = method_names()
RIVAL_NAMES = [rival.name for rival in RIVALS]


def record(problem, method, split, error, log_loss, seconds=1.0):
    return {
        "key": f"{problem} {method} {split}",
        "problem": problem,
        "method": method,
        "split": split,
        "seed": 0,
        "version": "0.1.0",
        "error": error,
        "log_loss": log_loss,
        "brier": None,
        "fit_seconds": seconds,
        "predict_seconds": 0.0,
        "parameters": {},
        "converted": False,
        "n_train": 80,
        "n_test": 20,
    }


def results(keys, splits=10, *, worse_on=(), others=OTHERS, slow=False):
    """The default is best everywhere, but on the sets where it is made worse.

    Errors of method i are 0.2 + i / 100 with noise that is the same for all on a partition; the
    default's are 0.01 below the best, or 0.05 above.
    """
    made = []
    for number, key in enumerate(keys):
        noise = np.random.default_rng(number).normal(0, 0.02, size=splits)
        shift = 0.05 if key in worse_on else -0.01
        for split in range(splits):
            base = 0.2 + noise[split]
            own = base + shift
            made.append(record(key, AUTO, split, own, 2 * own, 10.0 if slow else 1.0))
            for i, name in enumerate(others):
                made.append(record(key, name, split, base + i / 100, 2 * base + i / 50))
            for i, name in enumerate(RIVAL_NAMES):
                made.append(record(key, name, split, base + i / 100, 2 * base + i / 100))
    return made
