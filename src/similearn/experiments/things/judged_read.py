"""Labelled samples from files, for a model to be judged on: its own, or new ones."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data import Sources
from similearn.data.files.joining import has_label
from similearn.errors import SimilearnError
from similearn.experiments.models.model import Model
from similearn.experiments.things.queries_read import read_queries
from similearn.experiments.things.samples_read import Samples, read_samples


def read_judged(
    model: Model,
    paths: Sequence[Path],
    *,
    labels: Any = None,
    column: Any = None,
    features: Sequence[Path] = (),
    **options: Any,
) -> Samples:
    """Read the samples of a model, each against each, or new ones as `read_queries` does.

    Parameters are those of `read_queries`. Samples of a matrix are the model's own if there are as
    many with a label, and their ids, where they have any, are the same.
    """
    if model.what is None:
        own = _own_samples(model, paths, labels, features, options)
        if own is not None:
            return own
    found = read_queries(
        model, paths, labels=labels, column=column, features=features, **options
    )  # fmt: skip
    notes = [*found.notes, *_known_among(model, paths[0], found.ids)]
    return Samples(
        found.X, found.labels, found.ids, paths[0].stem, what=model.what, notes=tuple(notes)
    )


def _own_samples(
    model: Model, paths: Sequence[Path], labels: Any, features: Any, options: dict[str, Any]
) -> Samples | None:
    """The samples that a model was fitted to; None if the files hold others."""
    kinds = {model.kind} if model.sources is None else set((model.kinds or {}).values())
    if options.get("kind") is None and len(kinds) == 1:
        options = options | {"kind": kinds.pop()}
    try:
        samples = read_samples(paths, labels=labels, features=features, **options)
    except SimilearnError:  # if the files are no new samples either, the other reading says why
        return None
    several = isinstance(samples.data, Sources)
    if samples.what is not None or not (several or samples.data.same_samples):
        return None
    known = np.arange(len(samples))
    if samples.labels is not None:
        known = np.flatnonzero(has_label(samples.labels, len(samples)))
    ids = None if samples.ids is None else samples.ids[known]
    if len(known) != model.n_training or not _same_ids(model, ids):
        return None
    if model.sources is None or not several:
        return samples
    blocks = dict(zip(model.sources, samples.data.values(), strict=False))
    return replace(samples, data=Sources(blocks))


def _same_ids(model: Model, ids: Any) -> bool:
    if ids is None or model.training_ids is None:
        return True
    return set(map(str, ids)) == set(map(str, model.training_ids))


def _known_among(model: Model, path: Path, ids: Any) -> list[str]:
    """Say that some samples are not new: the model knows their labels."""
    if model.what is not None or ids is None or model.training_ids is None:
        return []
    known = set(map(str, model.training_ids))
    own = [str(one) for one in ids if str(one) in known]
    if not own:
        return []
    return [
        f"{len(own)} of {len(ids)} samples of {path} are called as those that the model was fitted "
        f"to, the first is {own[0]!r}. If they are the same, the model knows their labels, and its "
        "errors look smaller than they are; give new samples alone, or all of its own."
    ]
