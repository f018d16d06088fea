"""Grids, their order of simplicity, and tables of results."""

import numpy as np
from scipy.stats import rankdata


def grouped_by_fit(candidates, path):
    """Positions of candidates that differ in ``path`` parameters only, so share a fit.

    Returns
    -------
    list of (fixed parameters, positions)
    """
    groups = {}
    for position, candidate in enumerate(candidates):
        fixed = {name: value for name, value in candidate.items() if name not in path}
        key = tuple((name, repr(value)) for name, value in sorted(fixed.items()))
        groups.setdefault(key, (fixed, []))[1].append(position)
    return list(groups.values())


def simplest_of_best(means, candidates, simpler):
    """Position of the highest mean; a tie goes to the simplest model, then to the first.

    Parameters
    ----------
    means : (n_candidates,), NaN where a candidate failed
    candidates : list of dicts
    simpler : names of parameters, the most important first: a larger value makes a
        simpler model, or a smaller one where the name begins with a minus
    """
    best = np.nanmax(means)
    tied = np.flatnonzero(np.isclose(means, best, rtol=0, atol=1e-12))
    return int(min(tied, key=lambda i: (_complexity(candidates[i], simpler), i)))


def _complexity(candidate, simpler):
    return tuple(_cost(candidate, name) for name in simpler)


def _cost(candidate, name):
    if name.startswith("-"):
        return candidate.get(name[1:], 0)
    return -candidate.get(name, 0)


def results_table(candidates, scores, fit_times, score_times):
    """Build ``cv_results_`` in scikit-learn's layout.

    Parameters
    ----------
    candidates : list of dicts
    scores : mapping of metric names to (n_candidates, n_splits)
    fit_times, score_times : (n_candidates, n_splits), seconds
    """
    table = {
        "mean_fit_time": fit_times.mean(axis=1),
        "std_fit_time": fit_times.std(axis=1),
        "mean_score_time": score_times.mean(axis=1),
        "std_score_time": score_times.std(axis=1),
    }
    for name in sorted({name for candidate in candidates for name in candidate}):
        table[f"param_{name}"] = _parameter_column(name, candidates)
    table["params"] = candidates
    for metric, values in scores.items():
        table |= {f"split{i}_test_{metric}": column for i, column in enumerate(values.T)}
        mean = values.mean(axis=1)
        table[f"mean_test_{metric}"] = mean
        table[f"std_test_{metric}"] = values.std(axis=1)
        lowest = np.nanmin(mean) - 1 if np.isfinite(mean).any() else 0.0
        ranks = rankdata(-np.where(np.isnan(mean), lowest, mean), method="min")
        table[f"rank_test_{metric}"] = ranks.astype(np.int32)
    return table


def _parameter_column(name, candidates):
    column = np.ma.masked_all(len(candidates), dtype=object)
    for position, candidate in enumerate(candidates):
        if name in candidate:
            column[position] = candidate[name]
    return column
