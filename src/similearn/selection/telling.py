"""What a search tells of itself; a verbose one prints, on the levels of scikit-learn."""

from similearn.errors import SimilearnWarning, warn


def tell_plan(search, n_folds, n_candidates, n_groups):
    """Say what is to be done, from ``verbose=1`` on."""
    if search.verbose > 0:
        print(
            f"Fitting {n_folds} folds for each of {n_candidates} candidates, totalling "
            f"{n_folds * n_groups} fits by paths"
        )


def tell_scores(search, candidates, outcomes, fold, n_folds):
    """One line for each candidate of a fold, from ``verbose=2`` on; from 3 on with scores."""
    if search.verbose < 2:
        return
    place = f" {fold + 1}/{n_folds}" if search.verbose > 2 else ""
    lines = []
    for candidate, outcome in zip(candidates, outcomes, strict=True):
        named = ", ".join(f"{name}={candidate[name]}" for name in sorted(candidate))
        scores = f" {_told(search, outcome)}" if search.verbose > 2 else ""
        seconds = outcome.fit_time + outcome.score_time
        end = f"{named};{scores} total time={seconds:6.3f}s"
        lines.append(f"[CV{place}] END {end.rjust(80, '.')}")
    print("\n".join(lines))


def tell_none_best(metric):
    """Warn that all candidates have NaN for a score."""
    warn(
        f"The mean {metric} of every candidate is NaN, so none is the best; the first is taken, as "
        "by GridSearchCV. Look at the splits (is every class in every part?) and at the scoring; "
        "error_score='raise' shows the first failure.",
        SimilearnWarning,
        stacklevel=5,
    )


def _told(search, outcome):
    if outcome.test_scores is None:
        return f"score={search.error_score} (failed)"
    if not isinstance(outcome.test_scores, dict):
        return _pair("score", outcome.train_scores, outcome.test_scores)
    train = outcome.train_scores or {}
    return " ".join(_pair(n, train.get(n), value) for n, value in outcome.test_scores.items())


def _pair(name, train, test):
    if train is None:
        return f"{name}={test:.3f}" if test is not None else f"{name}=failed"
    return f"{name}=(train={train:.3f}, test={test:.3f})"
