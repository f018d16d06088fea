"""The tables of the page on the default, as Markdown."""

from collections.abc import Iterable, Sequence

import numpy as np

from similearn.experiments.comparisons.statistics import LEVEL
from similearn.experiments.comparisons.tables import ABSENT, markdown_line
from similearn.experiments.evidence.claims import Claim, claims_among
from similearn.experiments.evidence.results_by_set import Evidence
from similearn.experiments.evidence.standing import AUTO, adjusted, mean_ranks, standing_of


def claims_table(found: Evidence, everywhere: Sequence[Claim], names: Sequence[str]) -> str:
    """The claims among all methods: on all sets, and on each half."""
    chosen, others = found.half(True), found.half(False)
    columns = {f"all {len(found.among)} sets": everywhere}
    if chosen:
        title = f"the {len(chosen)} on which the rule was chosen"
        columns[title] = claims_among(chosen, names, found.asked)
    if others:
        columns[f"the {len(others)} others"] = claims_among(others, names, found.asked)
    rows = zip(*columns.values(), strict=True)
    cells = ([row[0].asked, *map(answer, row)] for row in rows)
    return markdown_table(["asked for", *columns], "l" * (1 + len(columns)), cells)


def answer(claim: Claim) -> str:
    """Whether a claim holds, and what was found."""
    told = "**no**" if claim.answer == "no" else claim.answer
    return f"{told}: {claim.found}"


def sets_table(found: Evidence) -> str:
    """The default against the best of all methods, a row per set."""
    head = ["set", "samples", "partitions", "error %", "best error %", "difference", "p"]
    head += ["log-loss", "lowest log-loss", "p", "seconds"]
    errors = [standing_of(one, "error") for one in found.among]
    p_values = adjusted(errors)
    rows = []
    for one, own, error in zip(found.sets, found.among, errors, strict=True):
        loss, p = standing_of(own, "log_loss"), p_values[one.key]
        train, test = found.sizes[one.key]
        rows.append(
            [
                f"{one.key}{'' if one.chosen_on else ' °'}",
                f"{train} + {test}",
                str(len(own.splits)),
                _bold(f"{100 * error.mean:.2f}", error.lower or error.equal),
                f"{100 * error.best_mean:.2f} ({error.best})",
                f"{100 * error.difference:+.2f}",
                _bold(f"{p:.2g}", p < LEVEL),
                _bold(f"{loss.mean:.3f}", loss.lower or loss.equal),
                f"{loss.best_mean:.3f} ({loss.best})",
                _bold(f"{loss.p_value:.2g}", loss.significantly_worse),
                f"{own.seconds[AUTO].mean():.2g}",
            ]
        )
    note = (
        "° the rule was not chosen on it. Samples: training + test. A bold error or log-loss: the "
        "default is best, alone or with others. A bold p, below "
        f"{LEVEL}: it is worse than the best."
    )
    return f"{markdown_table(head, 'lrrrlrrrlrr', rows)}\n\n{note}"


def rivals_table(found: Evidence) -> str:
    """The default against the best of the rivals, a row per set."""
    head = ["set", "partitions", "error %", "best of four", "log-loss", "best of four"]
    head += ["seconds", "of the four"]
    rows = []
    for one in found.against:
        error, loss = standing_of(one, "error"), standing_of(one, "log_loss")
        rows.append(
            [
                one.key,
                str(len(one.splits)),
                _bold(f"{100 * error.mean:.2f}", error.lower),
                f"{100 * error.best_mean:.2f} ({error.best})",
                _bold(f"{loss.mean:.3f}", loss.lower),
                f"{loss.best_mean:.3f} ({loss.best})",
                _bold(f"{one.mean_seconds:.2g}", one.mean_seconds < one.seconds_of_others),
                f"{one.seconds_of_others:.2g}",
            ]
        )
    return markdown_table(head, "lrrlrlrr", rows)


def ranks_table(found: Evidence, names: Sequence[str]) -> str:
    """Mean ranks of all methods, the best by error first."""
    everyone = [AUTO, *names]
    by_error = mean_ranks(found.among, "error", everyone)
    by_loss = mean_ranks(found.among, "log_loss", everyone)
    rows = []
    for name, rank in by_error.items():
        seconds = [float(one.seconds[name].mean()) for one in found.among if name in one.seconds]
        silent = sum(name not in one.log_loss for one in found.among)
        failed = sum(name in one.failed for one in found.among)
        rows.append(
            [
                _bold(name, name == AUTO),
                f"{rank:.1f}",
                ABSENT if silent == len(found.among) else f"{by_loss[name]:.1f}",
                str(silent) if silent else "",
                f"{np.mean(seconds):.2g}" if seconds else ABSENT,
                str(failed) if failed else "",
            ]
        )
    head = ["method", "rank by error", "rank by log-loss", "no probabilities on", "seconds"]
    return markdown_table([*head, "failed on"], "lrrrrr", rows)


def markdown_table(head: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> str:
    """A table; `sides` has "l" or "r" for each column."""
    rule = ["--:" if side == "r" else "---" for side in sides]
    return "\n".join(map(markdown_line, [head, rule, *rows]))


def _bold(text: str, wanted: bool) -> str:
    return f"**{text}**" if wanted else text
