"""Samples of the command line: read, told of, and refused in the words of its options."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similearn.cli.options import block_options, column_names, label_source
from similearn.errors import InputError


def read_given(
    files: Sequence[Path],
    similarity: Sequence[str] | None,
    labels: str | None,
    column: str | None,
    objects: str | None,
    features: Sequence[Path] | None = None,
    **options: Any,
) -> Any:
    """Read what the options say; see `similearn.experiments.things.samples_read`."""
    from similearn.experiments.things.samples_read import read_samples

    return read_samples(
        files,
        similarity or (),
        labels=label_source(labels),
        column=column_names(column),
        what=objects,
        features=features or (),
        **block_options(**options),
    )


def read_labelled(
    files: Sequence[Path], similarity: Any, labels: str | None, *given: Any, **options: Any
) -> Any:
    """Read samples, and keep those that have a label; without any, say what can be done."""
    samples = read_given(files, similarity, labels, *given, **options)
    if samples.labels is None:
        raise InputError(no_labels(files[0], samples))
    kept = samples.labelled()
    _refuse_unique(labels, kept)
    return kept


def _refuse_unique(name: str | None, samples: Any) -> None:
    """Ask for another column where that of the labels names samples; fractions are told later."""
    y = samples.labels.tolist()
    if name is None or len(y) < 2 or len(set(y)) < len(y) or isinstance(y[0], float):
        return
    from similearn.experiments.comparisons.problems import told_unique

    others = [one for one in samples.headings or samples.columns or () if one != name]
    more = f" Say --labels {'|'.join(others[:8])}." * bool(others)
    raise InputError(f"{told_unique(y, name)}{more}")


def no_labels(file: Path, samples: Any) -> str:
    """Say that a file has no labels, and how they are given."""
    told = f"There are no labels for {file}. Name a file of labels with --labels FILE"
    columns = samples.headings or samples.columns
    more = f", or a column of it: --labels {'|'.join(columns[:8])}" if columns else ""
    return f"{told}{more}."
