"""What is claimed of the default, and whether stored results bear it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from similearn.experiments.comparisons.statistics import LEVEL
from similearn.experiments.evidence.standing import (
    AUTO,
    Measured,
    Standing,
    adjusted,
    mean_ranks,
    standing_of,
)

WORDS = {"error": "error", "log_loss": "log-loss"}
NINE_OF_TEN = 0.9
THREE_OF_FOUR = 0.75


@dataclass(frozen=True)
class Claim:
    """One claim: what is asked for, what was found, and whether that is enough.

    `holds` is whether stored results agree with it, `shown` whether they are so many that they
    could have disagreed.
    """

    asked: str
    found: str
    holds: bool
    shown: bool = True

    @property
    def answer(self) -> str:
        """Yes, no, or that there are too few results to say so."""
        return ("yes" if self.shown else "so far") if self.holds else "no"


def claims_as_text(claims: Sequence[Claim]) -> str:
    """Claims as text for a terminal."""
    return "\n".join(f"{claim.answer:6}  {claim.asked}: {claim.found}" for claim in claims)


def verdict(claims: Sequence[Claim]) -> str:
    """One sentence: how many of the claims hold, are not shown yet, and do not hold."""
    asked = {
        answer: [claim.asked for claim in claims if claim.answer == answer]
        for answer in ("yes", "so far", "no")
    }
    told = f"**Of {len(claims)} claims {len(asked['yes'])} hold"
    if asked["so far"]:
        told += f", {len(asked['so far'])} hold so far, on too few results to count as shown"
    if asked["no"]:
        told += f", {len(asked['no'])} do not:** {'; '.join(asked['no'])}."
        return told
    return told + ".**"


def claims_among(
    everywhere: Sequence[Measured], names: Sequence[str], partitions: Mapping[str, int]
) -> list[Claim]:
    """Claims about the default among all methods, on these sets.

    Parameters
    ----------
    everywhere : the default and all others on each set
    names : of the others
    partitions : for each set how many of them are asked for; with fewer, nothing counts as shown
    """
    claims = [
        error_claim([standing_of(found, "error") for found in everywhere], everywhere),
        rank_claim(everywhere, "error", names),
        rank_claim(everywhere, "log_loss", names),
        log_loss_claim([standing_of(found, "log_loss") for found in everywhere], everywhere),
    ]
    return _with_enough(claims, everywhere, partitions)


def blind_sets(everywhere: Sequence[Measured], n_tests: int) -> list[str]:
    """Sets of so few partitions that none of so many tests together could find a difference.

    The smallest p that there can be is that of differences which are all positive.
    """
    return [m.key for m in everywhere if n_tests * 0.5 ** len(m.splits) >= LEVEL]


def error_claim(standings: Sequence[Standing], everywhere: Sequence[Measured]) -> Claim:
    """Nowhere significantly worse than the best method in hindsight, tests of all sets together.

    Where a test could find nothing, nothing is claimed.
    """
    p_values = adjusted(standings)
    worse = {key: p for key, p in p_values.items() if p < LEVEL}
    n = len(standings)
    if worse:
        found = f"worse on {len(worse)} of {n}: {_listed(worse)}"
    else:
        least = min(p_values, key=p_values.__getitem__)
        found = f"worse on none of {n}; "
        if p_values[least] < 1.0:
            found += f"the smallest adjusted p is {p_values[least]:.2g} ({least})"
        else:
            found += "all adjusted p are 1"
    asked = "error not significantly larger than that of the best method, on any set"
    blind = blind_sets(everywhere, n)
    return Claim(asked, found + _not_shown(blind), not worse, shown=not blind)


def rank_claim(everywhere: Sequence[Measured], measure: str, names: Sequence[str]) -> Claim:
    """The lowest mean rank of all."""
    ranks = mean_ranks(everywhere, measure, [AUTO, *names])
    own, (first, second, *_) = ranks[AUTO], ranks
    place = 1 + sum(rank < own for rank in ranks.values())
    told = f"{own:.1f} of {len(ranks)}"
    other = second if first == AUTO else first
    if place == 1:
        found = f"{told}, the best; the next is {other} with {ranks[other]:.1f}"
    else:
        found = f"{told}, in place {place}; the best is {other} with {ranks[other]:.1f}"
    absent = sum(bool(one.absent) for one in everywhere)
    if absent:
        found += f"; methods without results, on {absent} sets, count as last"
    return Claim(f"the best mean rank by {WORDS[measure]}", found, place == 1, shown=not absent)


def log_loss_claim(standings: Sequence[Standing], everywhere: Sequence[Measured]) -> Claim:
    """Lowest log-loss or not significantly above it on nine sets of ten; every test by itself."""
    worse = {s.key: s.p_value for s in standings if s.significantly_worse}
    n, good = len(standings), len(standings) - len(worse)
    lowest = sum(s.lower for s in standings)
    found = f"on {good} of {n}, lowest of all on {lowest}"
    if worse:
        found += f"; not on {_listed(worse)}"
    asked = "log-loss lowest or not significantly larger, on at least nine sets of ten"
    blind = [key for key in blind_sets(everywhere, 1) if key not in worse]
    shown = good - len(blind) >= NINE_OF_TEN * n
    return Claim(asked, found + _not_shown(blind), good >= NINE_OF_TEN * n, shown)


def claims_against(everywhere: Sequence[Measured], partitions: Mapping[str, int]) -> list[Claim]:
    """Claims about the default against the best of what users have without it, in hindsight.

    Time is that of all rivals together: which of them is best is known after all were tried.
    """
    claims = []
    n = len(everywhere)
    for measure, word in WORDS.items():
        found = [standing_of(one, measure) for one in everywhere]
        lower = sum(s.lower for s in found)
        equal = sum(s.equal for s in found)
        told = f"on {lower} of {n}" + (f", equal on {equal}" if equal else "")
        asked = f"lower mean {word} than the best of them, on at least three sets of four"
        claims.append(Claim(asked, told, lower >= THREE_OF_FOUR * n))
    faster = sum(one.mean_seconds < one.seconds_of_others for one in everywhere)
    asked = "in less time than all of them, on at least three sets of four"
    claims.append(Claim(asked, f"on {faster} of {n}", faster >= THREE_OF_FOUR * n))
    return _with_enough(claims, everywhere, partitions)


def _with_enough(
    claims: Sequence[Claim], everywhere: Sequence[Measured], partitions: Mapping[str, int]
) -> list[Claim]:
    """The claims; not shown, and said so, if sets have fewer partitions than are asked for."""
    few = sum(len(one.splits) < partitions[one.key] for one in everywhere)
    if not few:
        return list(claims)
    more = f"; fewer partitions than asked for on {few}"
    return [replace(claim, found=claim.found + more, shown=False) for claim in claims]


def _not_shown(blind: Sequence[str]) -> str:
    """What is said of sets whose partitions are too few to find a difference."""
    return f"; too few partitions to tell on {len(blind)}" if blind else ""


def _listed(p_values: dict[str, float]) -> str:
    return ", ".join(f"{key} (p = {p:.2g})" for key, p in p_values.items())
