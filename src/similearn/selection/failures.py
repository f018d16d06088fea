"""Failures and warnings of many fits, each told once."""

from collections import Counter

from sklearn.exceptions import FitFailedWarning

from similearn.errors import InputError, SimilearnWarning, warn

_CONTINUED = "Their scores are error_score; error_score='raise' stops at the first."


class CandidateWarning(SimilearnWarning, FitFailedWarning):
    """Some candidates of a search could not be fitted or scored."""


def tell_failures(candidates, outcomes):
    """Warn once of fits and once of scores that failed; raise if no fit succeeded.

    Parameters
    ----------
    candidates : list of dicts
    outcomes : list over the candidates of lists of `Outcome` over the folds
    """
    fits = [(c, o.fit_error) for c, row in zip(candidates, outcomes, strict=True) for o in row]
    failed = [(c, _told(error)) for c, error in fits if error is not None]
    if failed and len(failed) == len(fits):
        raise InputError(f"All {len(fits)} fits of the search failed. {_reasons(failed)}")
    if failed:
        warn(
            f"{len(failed)} of {len(fits)} fits of the search failed. {_CONTINUED} "
            f"{_reasons(failed)}",
            CandidateWarning,
            stacklevel=4,
        )
    scores = [
        (c, o.score_error)
        for c, row in zip(candidates, outcomes, strict=True)
        for o in row
        if o.score_error is not None
    ]
    if scores:
        warn(
            f"Scoring failed {len(scores)} times in the search. {_CONTINUED} {_reasons(scores)}",
            CandidateWarning,
            stacklevel=4,
        )


def tell_once(told):
    """Give the warnings that were gathered, the first of each category with their number."""
    counts = Counter(category for category, _ in told)
    first = {}
    for category, message in told:
        first.setdefault(category, message)
    for category, message in first.items():
        more = counts[category] - 1
        suffix = f" ({more} more such warnings in this search.)" if more else ""
        warn(message + suffix, category, stacklevel=4)


def _told(error):
    return f"{error}" or type(error).__name__


def _reasons(failed):
    """The reasons, each with its first candidate and how often it was met."""
    counts = Counter(reason for _, reason in failed)
    first = {}
    for candidate, reason in failed:
        first.setdefault(reason, candidate)
    shown = [f"{first[r]} ({n} times): {r}" for r, n in counts.most_common(3)]
    more = len(counts) - len(shown)
    return "Reasons: " + " | ".join(shown) + (f" | and {more} more" if more else "")


def told_shortly(error):
    """Return a sentence where scikit-learn lists the tracebacks of all fits, else the error."""
    if type(error) is not ValueError:
        return error
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines or "fits failed" not in lines[0]:
        return InputError(str(error))
    reason = lines[-1].rstrip(".")
    return InputError(
        f"{lines[0]} The last reason: {reason}. Say error_score='raise' to see where."
    )
