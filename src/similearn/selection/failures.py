"""Failures and warnings of many fits, each told once."""

import re
import warnings
from collections import Counter
from contextlib import contextmanager

from sklearn.exceptions import FitFailedWarning
from sklearn.utils._param_validation import InvalidParameterError

from similearn.errors import InputError, InputTypeError, SimilearnWarning, warn

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


@contextmanager
def told_as_ours():
    """Turn what scikit-learn's splitters and searches warn of into warnings of ours, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for category, message in dict.fromkeys((w.category, str(w.message)) for w in caught):
        if "scores are non-finite" not in message:  # who failed or chose among NaN tells why
            warn(*_as_ours(category, message), stacklevel=4)


def _as_ours(category, message):
    small = re.search(r"least populated class in y has only (\d+) .*n_splits=(\d+)", message)
    if small:
        return (
            f"The smallest class has {small[1]} members, fewer than the {small[2]} folds, so some "
            "folds hold none of it; pass a smaller cv, or cv='loo'.",
            SimilearnWarning,
        )
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if category is FitFailedWarning:
        counts = re.findall(r"\d+", lines[0])[:2]
        return f"{' of '.join(counts)} fits of the search failed. {_last(lines)}", CandidateWarning
    if category is UserWarning and lines and lines[0].startswith("Scoring failed"):
        return f"Scoring failed in the search. {_last(lines)}", CandidateWarning
    return message, category


def _last(lines):
    return f"{_CONTINUED} The last reason: {lines[-1]}"


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


@contextmanager
def refused_as_ours():
    """Turn what scikit-learn's searches refuse into errors of ours."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise _told_shortly(error) from error


def _told_shortly(error):
    """Return a sentence where scikit-learn lists the tracebacks of all fits, else the error."""
    if type(error) is TypeError:
        return InputTypeError(str(error))
    if isinstance(error, InvalidParameterError):
        return InputError(str(error))
    if type(error) is not ValueError:
        return error
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines or "fits failed" not in lines[0]:
        return InputError(str(error))
    reason = lines[-1].rstrip(".")
    return InputError(
        f"{lines[0]} The last reason: {reason}. Say error_score='raise' to see where."
    )
