"""The page that shows what probabilities are worth, made from stored results alone."""

from collections.abc import Sequence
from pathlib import Path

from similearn.experiments.comparisons.store import Record
from similearn.experiments.evidence.claims import Claim, claims_as_text, verdict
from similearn.experiments.evidence.page_tables import answer
from similearn.experiments.honesty.before_after import (
    Pair,
    calibration_claims,
    changes_table,
    failures_of,
    method_table,
    pairs_of,
    score_table,
)
from similearn.experiments.honesty.coverage import (
    FEWEST,
    coverage_claims,
    coverage_table,
    covered_of,
)
from similearn.experiments.honesty.reliability_picture import picture_of_reliability
from similearn.experiments.honesty.spoiled_sections import (
    holes_table,
    imbalance_claims,
    imbalance_table,
    part_of,
    with_and_without,
    wrong_labels_claims,
    wrong_labels_table,
)
from similearn.experiments.honesty.trials import RARE
from similearn.experiments.reproduction.pages.whole_document import findings_of

PICTURE = "reliability.png"
BY_SET = "by-set.md"
_BEFORE = (
    'Before: `calibration="none"` wherever a method has probabilities of its own, and of '
    "equally accurate parameters the simplest. After: the defaults. Machines have no "
    "probabilities of their own and are calibrated in both; `auto` has no before. Methods whose "
    "last step is one of scikit-learn's classifiers give what that gives. Means over "
    "partitions, then over sets."
)
_SETS = (
    "Full conformal sets of `NeighborsClassifier(5)`. *Covered*: share of test samples whose "
    "set holds the true label, in percent, with members of a class that are as strange as the "
    'query counted by a random share (`ties="smoothed"`); bold where it is not within two '
    "standard errors, over partitions, of what is asked. `predict_set` counts them in full, so "
    "that it covers more where values tie. *Split*: split conformal prediction with the same "
    f"strangeness, half of the training samples held back. Classes with fewer than {FEWEST} test "
    "samples in all are left out of the counts per class. Test samples of the protein folds were "
    "not drawn as their training samples were, so that nothing is claimed of them."
)
_WRONG = (
    "Labels of training samples were exchanged at random for another class. Of each ranking: "
    "precision among the r first samples, r being the number of wrong labels, so that recall is "
    "the same; in brackets the recall among twice as many. Equal ranks count by their share. "
    "The first three rank by the same out-of-fold probabilities of `SimilarityClassifier()`. "
    "The rankings of cleanlab are its published formulas (self-confidence: P(given); normalized "
    "margin: P(given) less the largest other), computed here without the package. k-NN "
    "disagreement: the share of the ten nearest with another label. House votes: the value "
    "difference metric is learned from the labels as they are given."
)
_RARE = (
    'Balanced error in percent, without → with `class_weight="balanced"`; parameters are chosen '
    f"by balanced error in both. *{100 * RARE:g} % rare*: of the smallest class so many training "
    "samples were kept that it has this share; test samples are as they were. In the protein "
    "folds, 27 classes, most are below 5 % by themselves."
)
_HOLES = (
    "Error in percent with pairs taken out at random, both directions of each, the same pairs "
    'for every way. *fill*: from row and column means (`missing="fill"`); *zero*: as no '
    "similarity; *unknown*: left out pair by pair, as dissimilarities that nobody knows, which "
    "neighbours can do without and a kernel cannot."
)


def write_page(path: Path, records: Sequence[Record]) -> list[Path]:
    """Write the page; its picture and all sets are in a folder of the same name beside it.

    What people have to say is in ``findings/introduction.md`` there, and taken over as it is.
    """
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(page(records, folder), encoding="utf-8")
    pairs = pairs_of(records)
    if not pairs:
        return [path]
    (folder / BY_SET).write_text(page_by_set(pairs, path.name), encoding="utf-8")
    return [path, folder / BY_SET, picture_of_reliability(records, folder / PICTURE)]


def told_claims(records: Sequence[Record]) -> str:
    """All claims as text for a terminal."""
    return claims_as_text(claims(records))


def claims(records: Sequence[Record]) -> list[Claim]:
    """All claims of which there are results."""
    pairs, found = pairs_of(records), covered_of(records)
    wrong, rare = part_of(records, "wrong-labels"), with_and_without(records)
    return [
        *(calibration_claims(pairs) if pairs else []),
        *coverage_claims(found),
        *(wrong_labels_claims(wrong) if wrong else []),
        *(imbalance_claims(rare) if rare else []),
    ]


def page(records: Sequence[Record], folder: Path) -> str:
    """Text of the page."""
    every = claims(records)
    pairs, found = pairs_of(records), covered_of(records)
    wrong, rare = part_of(records, "wrong-labels"), with_and_without(records)
    holes = part_of(records, "holes")
    parts = [
        "# What probabilities are worth",
        "<!-- Made by `similearn reproduce probabilities --document`; edit the findings, not this "
        "file. -->",
        findings_of(folder, "introduction"),
        _listed(every) if every else "No results are stored yet.",
        *(_calibration(pairs, records, folder.name) if pairs else []),
        *_section("Sets of labels", _SETS, found, coverage_table),
        *_section("Wrong labels", _WRONG, wrong, wrong_labels_table),
        *_section("Rare classes", _RARE, rare, imbalance_table),
        *_section("Holes", _HOLES, holes, holes_table),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _listed(every: Sequence[Claim]) -> str:
    """How many claims hold, and each of them with what was found."""
    return "\n".join([verdict(every), "", *(f"- {c.asked}: {answer(c)}" for c in every)])


def _section(title: str, how: str, results: Sequence[object], table: object) -> list[str]:
    if not results:
        return []
    return [f"## {title}", how, table(results)]  # type: ignore[operator]


def _calibration(pairs: Sequence[Pair], records: Sequence[Record], folder: str) -> list[str]:
    n_methods = len({pair.method for pair in pairs})
    failed = failures_of(records)
    return [
        "## Before and after calibration",
        f"{n_methods} methods with probabilities; stored: {_stored(pairs)}. Of other sets of "
        "the reproduction nothing is claimed.",
        _BEFORE,
        method_table(pairs),
        f"[Every method on every set, and every error that changed]({folder}/{BY_SET}).",
        f"![Reliability of twelve methods]({folder}/{PICTURE})",
        "What was said against what came true, of all classes, pooled over the sets and "
        "partitions: grey before, blue after.",
        "".join(f"Failed: {name}. {why}\n" for name, why in failed.items()),
    ]


def page_by_set(pairs: Sequence[Pair], main: str) -> str:
    """Text of the page with every method on every set."""
    changed = any(pair.changed for pair in pairs)
    parts = [
        "# Probabilities before and after calibration, set by set",
        "<!-- Made by `similearn reproduce probabilities --document`. -->",
        f"What the columns mean is said on [the page that sums this up](../{main}). Bold: above "
        "the class frequencies, or more than 0.02 above the value before.",
        "## Log-loss",
        score_table(pairs, "log_loss"),
        "## Brier score",
        score_table(pairs, "brier"),
        "## Errors that changed",
        "With the parameters that were chosen. An error can change only where equally accurate "
        "parameters differ in log-loss."
        if changed
        else "None.",
        changes_table(pairs) if changed else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _stored(pairs: Sequence[Pair]) -> str:
    """Of each set how many methods, and how many partitions of them."""
    told = []
    for problem in dict.fromkeys(pair.problem for pair in pairs):
        counts = [len(pair.after) for pair in pairs if pair.problem == problem]
        few, many = min(counts), max(counts)
        partitions = f"{few} to {many}" if few < many else str(few)
        told.append(f"{problem} with {len(counts)} methods, partitions {partitions}")
    return "; ".join(told)
