"""One plain sentence of advice for each finding, grounded in what the papers found."""

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from similearn.data.checks import below_zero

if TYPE_CHECKING:
    from similearn.data.diagnosis import Diagnosis


class Finding(NamedTuple):
    """A name, what was found, and what to do about it."""

    name: str
    value: str
    advice: str


def advise(d: "Diagnosis") -> list[Finding]:
    """Put every finding of a diagnosis into words."""
    return [
        Finding("Samples", f"{d.n:,} ({d.kind})", _on_samples(d)),
        Finding("Classes", _classes(d), _on_classes(d)),
        Finding("Values", f"{d.minimum:.4g} to {d.maximum:.4g}", _on_range(d)),
        Finding("Pairs without a value", _sparsity(d), _on_sparsity(d)),
        Finding("Directions that differ", _asymmetry(d), _on_asymmetry(d)),
        Finding("Not as points in a space", _spectrum(d), _on_spectrum(d)),
        Finding("Not nearest to itself", _minimality(d), _on_minimality(d)),
        Finding("Detours that are shorter", _triangles(d), _on_triangles(d)),
        Finding("Repeated samples", f"{d.duplicates:,}", _on_duplicates(d)),
        Finding("Samples near to none", f"{d.isolated:,}", _on_isolated(d)),
        Finding("Error by the nearest sample", _error(d), _on_error(d)),
        Finding("Error by the most alike row", _row_error(d), _on_row_error(d)),
    ]


def rows_tell_more(d: "Diagnosis") -> bool:
    """Whether rows separate the classes clearly better than nearness, as in JMLR's Protein."""
    if d.neighbor_error is None or d.row_error is None:
        return False
    noise = sqrt(d.neighbor_error * (1 - d.neighbor_error) / d.n)
    return d.row_error < 0.67 * d.neighbor_error and d.neighbor_error - d.row_error > 2 * noise


def _percent(share: float) -> str:
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"


def _on_samples(d: "Diagnosis") -> str:
    if d.n < 100:
        return (
            "So few samples make the error of a single split unreliable: average over many random "
            "splits, as the papers do over 20."
        )
    if d.n > 5000:
        return (
            "With this many samples methods that factor the whole matrix (global SVMs, spectrum "
            "modification) are slow; neighbour methods stay cheap, and were best on the largest "
            "data of JMLR (§7.3, Caltech-101)."
        )
    return (
        "Average the error over random 80/20 splits, with parameters chosen by cross-validation "
        "inside the training part (JMLR §7.2)."
    )


def _classes(d: "Diagnosis") -> str:
    if d.class_sizes is None:
        return "no labels"
    sizes = d.class_sizes
    if len(sizes) <= 6:
        return f"{len(sizes)} ({', '.join(f'{label}: {size}' for label, size in sizes.items())})"
    smallest, largest = min(sizes.values()), max(sizes.values())
    if smallest == largest:
        return f"{len(sizes)} of {smallest} sample{'s' * (smallest > 1)} each"
    return f"{len(sizes)} of {smallest} to {largest} samples"


def _on_classes(d: "Diagnosis") -> str:
    if d.class_sizes is None:
        return "Give labels to learn how well near samples agree in class."
    smallest = min(d.class_sizes, key=lambda label: d.class_sizes[label])  # type: ignore[index]
    largest = max(d.class_sizes.values())
    if len(d.class_sizes) == 1:
        return "There is nothing to learn from one class: two are needed."
    if d.class_sizes[smallest] == 1:
        return (
            f"Class {smallest} has a single sample, which no split can both learn and test: merge "
            "or drop such classes."
        )
    if largest >= 10 * d.class_sizes[smallest]:
        return (
            "Classes are of very unequal size: look at the balanced error and at the "
            "probabilities, and say class_weight='balanced', or give costs= rather than trust "
            "plain error."
        )
    if len(d.class_sizes) >= 20:
        return (
            "With many classes, weighted neighbours (kernel ridge weights) were significantly "
            "better than a local SVM (JMLR §8, Amazon-47 and Caltech-101)."
        )
    if largest > 3 * d.class_sizes[smallest]:
        return (
            f"Classes are of unequal size: plain error hardly tells how {smallest} fares, so look "
            "at the balanced error too."
        )
    return "Classes are of comparable size, so plain error is a fair measure."


def has_negatives(d: "Diagnosis") -> bool:
    """Whether entries are negative; dissimilarities by more than rounding."""
    values = np.array([d.minimum, d.maximum])
    return bool((values.min() if d.kind == "similarity" else below_zero(values)) < 0)


def _on_range(d: "Diagnosis") -> str:
    if d.minimum == d.maximum and d.n > 1:
        return "All entries are equal: nothing can be learned from them."
    if d.minimum < 0 and d.kind == "similarity":
        return (
            "Some similarities are negative, so weights taken from them may be too: "
            "convert.minmax_scale brings them to 0 .. 1."
        )
    if has_negatives(d):
        return (
            "Negative dissimilarities are no distances: if large means near, the kind is "
            "'similarity'."
        )
    return (
        "Ridges and kernel widths are in these units: keep the papers' grids by scaling with "
        "convert.minmax_scale, queries by the training block's bounds."
    )


def _sparsity(d: "Diagnosis") -> str:
    what = "zero, which counts as none" if d.kind == "similarity" else "unknown"
    return f"{_percent(d.sparsity)} are {what}"


def _on_sparsity(d: "Diagnosis") -> str:
    if d.sparsity < 0.5:
        return "Dense enough for local and for global methods: compare both."
    if d.kind == "dissimilarity":
        return "Unknown entries count as far: use neighbour methods, which need the near ones only."
    if d.not_nearest_to_itself:
        return (
            "Use local methods with few neighbours, and regularized local SDA: on sparse data "
            "without maximal self-similarities cross-validation chose k ≤ 3 and global SVMs did "
            "poorly (JMLR §7.3, Amazon-47, Patrol; RegSDA §V)."
        )
    return (
        "Try local methods with few neighbours first, but compare with global ones: on JMLR's "
        "sparse Mirex, whose samples are nearest to themselves, global SVMs on similarities as "
        "features were best (§7.3)."
    )


def _asymmetry(d: "Diagnosis") -> str:
    if d.asymmetry_max == 0:
        return "none"
    return (
        f"{_percent(d.asymmetry_max)} of the range at most, {_percent(d.asymmetry_mean)} on average"
    )


def _on_asymmetry(d: "Diagnosis") -> str:
    if d.asymmetry_max == 0:
        return "Both directions agree, so the direction of a test block does not matter."
    return (
        "a is not to b as b is to a: neighbours are found by the mean of both (JMLR §7.2): give "
        "test blocks their reverse=, and use convert.symmetrize before a kernel method."
    )


def _spectrum(d: "Diagnosis") -> str:
    if d.negative_eigenvalues is None or d.negative_mass is None:
        return "not defined where entries are unknown"
    of = "" if d.kind == "similarity" else " of -½JD²J"
    some = f"; estimated from {d.spectrum_samples:,} samples" if d.spectrum_samples < d.n else ""
    return (
        f"{_percent(d.negative_mass)} by size, {_percent(d.negative_eigenvalues)} by number of the "
        f"eigenvalues{of} are negative{some}"
    )


def _on_spectrum(d: "Diagnosis") -> str:
    if d.negative_mass is None:
        return "Kernel methods need every entry: use neighbour methods."
    if d.negative_mass == 0:
        return (
            "Points in a space have these similarities: they are a kernel as it is (positive "
            "semi-definite)."
            if d.kind == "similarity"
            else "Points in a space have these distances (Euclidean): any metric method applies."
        )
    if d.negative_mass < 0.01:
        return (
            "Points in a space nearly have these values: machines with kernels may set what does "
            "not fit to zero, which changes little (clip; JMLR §8)."
        )
    if rows_tell_more(d):
        return (
            "No points have these values, and what does not fit tells of the classes: keep it "
            "(flip the spectrum, or take similarities as features) rather than clip it, as on "
            "JMLR's Protein (§7.4)."
        )
    return (
        "No points in a space have these values (they are indefinite): machines with kernels need "
        "what does not fit set to zero (clip), which JMLR §8 recommends; neighbours need nothing."
    )


def _minimality(d: "Diagnosis") -> str:
    if d.not_nearest_to_itself is None:
        return "not known"
    return f"{_percent(d.not_nearest_to_itself)} of the samples"


def _on_minimality(d: "Diagnosis") -> str:
    share = d.not_nearest_to_itself
    if share is None:
        return "Self-similarities are not known or there is nothing to compare them with."
    if share == 0:
        return "Every sample is nearest to itself, as kernel methods assume."
    if share > 0.9:
        other = "dissimilarity" if d.kind == "similarity" else "similarity"
        return (
            f"Hardly any sample is nearest to itself: is this a {other}? Say kind='{other}' then."
        )
    return (
        "Prefer local methods: self-similarities were not maximal on just the two data sets of "
        "JMLR where global methods failed (§8, Amazon-47 and Patrol)."
    )


def _triangles(d: "Diagnosis") -> str:
    if d.violated_triangles is None:
        return "no three samples to compare" if d.n < 3 else "not known"
    taken = " of maximum - S" if d.kind == "similarity" else ""
    return (
        f"{_percent(d.violated_triangles)} of {d.n_triples:,} triples (violations of the triangle "
        f"inequality{taken})"
    )


def _on_triangles(d: "Diagnosis") -> str:
    share = d.violated_triangles
    if share is None:
        return "Nothing can be said about metric structure."
    if share == 0:
        return "Going round by a third sample is never shorter, as with distances: a metric."
    if d.sparsity >= 0.5 and d.kind == "similarity":  # few triples have two similar pairs at all
        return (
            "Few pairs are similar, and some detours are shorter: of such data regularized local "
            "SDA is expected to do best against global kernel methods (RegSDA §VI)."
        )
    if share < 0.05:
        return (
            "Nearly as with distances: what favours local SDA over kernels of all samples, sparse "
            "and strongly non-metric similarities (RegSDA §VI), is not the case here."
        )
    return (
        "Unlike distances (non-metric): do not prune or embed by them; methods for similarities "
        "can use what such structure tells (RegSDA §II)."
    )


def _on_duplicates(d: "Diagnosis") -> str:
    if d.duplicates == 0:
        return "No sample repeats another."
    return (
        "Repeated samples in both training and test part flatter every error: keep them in one "
        "part; diverse weights (KRI, KRR) do not count them twice (JMLR §5)."
    )


def _on_isolated(d: "Diagnosis") -> str:
    if d.isolated == 0:
        return "Every sample has something to be classified by."
    return (
        "They have no neighbours, so any label for them is a guess: trust their probabilities "
        "little, drop them, or add another source."
    )


def _error(d: "Diagnosis") -> str:
    if d.neighbor_error is None or d.class_sizes is None:
        return "needs labels of two classes"
    guess = 1 - max(d.class_sizes.values()) / d.n
    return (
        f"{_percent(d.neighbor_error)}; always the largest class: {_percent(guess)} "
        "(leave-one-out 1-NN)"
    )


def _on_error(d: "Diagnosis") -> str:
    if d.neighbor_error is None or d.class_sizes is None:
        return "Near samples cannot be compared in class."
    guess = 1 - max(d.class_sizes.values()) / d.n
    if d.neighbor_error >= guess:
        return (
            "Near samples do not share classes: check the kind and the order of the labels, and "
            "try similarities as features."
        )
    if d.neighbor_error < 0.1:
        return (
            "Nearness follows the classes: JMLR saw few significant differences between methods on "
            "such data (§7.3), so start with NeighborsClassifier."
        )
    return "This is the error to beat: more neighbours, weights and local models may help."


def _row_error(d: "Diagnosis") -> str:
    if d.row_error is None:
        return "not computed"
    some = f", from {d.spectrum_samples:,} samples" if d.spectrum_samples < d.n else ""
    return f"{_percent(d.row_error)} (leave-one-out 1-NN on rows as features{some})"


def _on_row_error(d: "Diagnosis") -> str:
    if d.row_error is None:
        return "It needs labels of two classes and all entries."
    if rows_tell_more(d):
        return (
            "Samples of one class are alike in what they are near to: use RowRBFSimilarity or "
            "PrototypeFeatures, which cut k-NN's error from 30 % to 1 % on JMLR's Protein (§7.3)."
        )
    return (
        "What a sample is near to does not tell clearly more than the nearest: start with the "
        "values as they are."
    )
