"""The page that shows how the default stands, made from stored results alone."""

from collections.abc import Sequence
from pathlib import Path

from similearn.experiments.comparisons.store import Record
from similearn.experiments.evidence.claims import (
    Claim,
    blind_sets,
    claims_against,
    claims_among,
    claims_as_text,
    verdict,
)
from similearn.experiments.evidence.page_tables import (
    answer,
    claims_table,
    ranks_table,
    rivals_table,
    sets_table,
)
from similearn.experiments.evidence.rank_picture import picture_of_ranks
from similearn.experiments.evidence.results_by_set import Evidence, evidence_of, method_names
from similearn.experiments.evidence.rivals import RIVALS
from similearn.experiments.evidence.sets import ASKED
from similearn.experiments.reproduction.pages.whole_document import findings_of

PICTURE = "ranks.png"
_WRITTEN = {"How the default was chosen": "choices", "How this page is made": "how"}
"""Titles and files of what people have to say at the end."""
_HOW = (
    "Each row: means over the partitions that all methods have; the best of the others is known "
    "in hindsight. p: one-sided Wilcoxon signed-rank test that the default is worse; for errors "
    "adjusted for the number of sets (Holm), for log-losses of each set by itself. Parameters of "
    "every method are chosen by cross-validation within the training part."
)
_RANKS = (
    "Mean over sets of the rank of each method, by mean error and by mean log-loss; a method that "
    "failed on a set, or gives no probabilities, is last there. Seconds of the processor are for "
    "choosing parameters, fitting and predicting, one partition, mean over sets."
)


def write_page(path: Path, records: Sequence[Record]) -> list[Path]:
    """Write the page and its picture, which is in a folder of the same name beside it.

    What people have to say is in ``findings/introduction.md``, ``choices.md`` and ``how.md``
    there, and taken over as it is.
    """
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    found = evidence_of(records)
    path.write_text(page(found, folder), encoding="utf-8")
    if not found.among:
        return [path]
    return [path, picture_of_ranks(found.among, method_names(), folder / PICTURE)]


def told_claims(records: Sequence[Record]) -> str:
    """All claims as text for a terminal."""
    found = evidence_of(records)
    if not found.among:
        return "There are no results of the default and of others on the same partitions yet."
    claims = claims_among(found.among, method_names(), found.asked)
    claims += claims_against(found.against, found.asked) if found.against else []
    return claims_as_text(claims)


def page(found: Evidence, folder: Path) -> str:
    """Text of the page."""
    parts = [
        "# How the default stands",
        "<!-- Made by `similearn reproduce auto --document`; edit the findings, not this file. -->",
        findings_of(folder, "introduction"),
        *(_sections(found, folder.name) if found.among else ["No results are stored yet."]),
    ]
    missing = ", ".join(found.without_results)
    parts.append(f"Without results: {missing}." if missing else "")
    for title, name in _WRITTEN.items():
        written = findings_of(folder, name)
        parts += [f"## {title}", written] if written else []
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _sections(found: Evidence, folder: str) -> list[str]:
    names = method_names()
    everywhere = claims_among(found.among, names, found.asked)
    against = claims_against(found.against, found.asked) if found.against else []
    return [
        verdict([*everywhere, *against]),
        _spoken_for(found, len(names)),
        f"`SimilarityClassifier()` against all {len(names)} methods:",
        claims_table(found, everywhere, names),
        f"![Mean ranks of all methods]({folder}/{PICTURE})",
        "## Set by set",
        _HOW,
        _partitions(found),
        sets_table(found),
        "## Against what there is without this package",
        *_against(found, against),
        "## All methods",
        _RANKS,
        ranks_table(found, names),
    ]


def _spoken_for(found: Evidence, n_methods: int) -> str:
    """Of how many sets, partitions and methods the page speaks."""
    spoken = {one.key for one in [*found.among, *found.against]}
    complete = sum(not one.absent for one in found.among)
    told = f"This page speaks for {len(spoken)} of {len(spoken) + len(found.without_results)} sets"
    told += f", with all {n_methods} methods on {complete} of them"
    few = {
        one.key: len(one.splits)
        for one in [*found.against, *found.among]
        if len(one.splits) < found.asked[one.key]
    }
    if few:
        counts = ", ".join(f"{key} ({n} of {found.asked[key]})" for key, n in few.items())
        told += f". Partitions are still missing of {counts}"
    return f"{told}." + (" Of the other sets nothing is claimed." if found.without_results else "")


def _partitions(found: Evidence) -> str:
    """How partitions were drawn, and where they are too few for the test."""
    told: dict[str, list[str]] = {}
    for one in found.sets:
        told.setdefault(one.partitions, []).append(one.key)
    lines = [f"- {partitions}: {', '.join(keys)}" for partitions, keys in told.items()]
    blind = blind_sets(found.among, len(found.among))
    if blind:
        lines += [
            "",
            "So few partitions are stored that the adjusted test could not find any difference on "
            f"{', '.join(blind)}.",
        ]
    absent = {m.key: len(m.absent) for m in found.among if m.absent}
    if absent:
        counts = ", ".join(f"{n} on {key}" for key, n in absent.items())
        lines += ["", f"Methods without results yet: {counts}."]
    asked = f"Partitions ({ASKED} are asked for, or the five folds of the paper's table):"
    return "\n".join([asked, "", *lines])


def _against(found: Evidence, claims: Sequence[Claim]) -> list[str]:
    if not found.against:
        return ["No results of scikit-learn's classifiers are stored yet."]
    how = "; ".join(f"`{rival.name}`: {rival.summary}" for rival in RIVALS)
    return [
        f"The same partitions, each by scikit-learn's `GridSearchCV` on five folds ({how}). The "
        "best of the four is taken in hindsight, by error and by log-loss apart; its time is "
        "that of all four, as the best is known only after all were tried. `GridSearchCV` chooses "
        "by accuracy, as users let it.",
        "\n".join(f"- {claim.asked}: {answer(claim)}" for claim in claims),
        rivals_table(found),
    ]
