"""A fitted method and what must be known to use it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from similearn.data import Pairwise
from similearn.errors import InputError
from similearn.experiments.comparisons.problems import checked_labels
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.registry import Method, chosen_parameters, input_of, tuned
from similearn.version import __version__


@dataclass(frozen=True)
class Model:
    """A fitted method and what must be known to use it.

    Attributes
    ----------
    estimator : fitted, with `predict` and, where the method has it, `predict_proba`
    method : its name in the registry
    parameters : those that cross-validation chose
    kind : "similarity" or "dissimilarity", of the block it was fitted on; None of `Sources`
    classes : the labels
    n_training, training_ids : the samples that the columns of a query block must be; the
        ids are None where the training block had none
    version, created : of the library that wrote it, and when (UTC)
    """

    estimator: Any
    method: str
    parameters: dict[str, Any]
    kind: str | None
    classes: list[Any]
    n_training: int
    training_ids: list[Any] | None
    version: str
    created: str


def fit_model(method: Method, block: Pairwise, y: Any, seed: int = 0, **parameters: Any) -> Model:
    """Choose the method's parameters by 10-fold cross-validation and fit it to all samples.

    Further `parameters` are set before.
    """
    labels = checked_labels(y, len(block))
    search = tuned(method, block, tuning_folds(labels, seed, 0), seed).set_params(**parameters)
    search.fit(input_of(method, block), labels)
    ids = block.column_ids
    return Model(
        estimator=getattr(search, "best_estimator_", search),
        method=method.name,
        parameters=chosen_parameters(search),
        kind=block.kind,
        classes=np.unique(labels).tolist(),
        n_training=len(block),
        training_ids=None if ids is None else ids.tolist(),
        version=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def queries_for(model: Model, block: Pairwise) -> Pairwise:
    """Return the block with its columns in the order of the training samples.

    Raises
    ------
    InputError
        If its kind is another, or its columns cannot be the training samples.
    """
    if block.kind != model.kind:
        raise InputError(
            f"The file holds a {block.kind}, but the model was fitted to a {model.kind}. If the "
            f"file's kind was misread, say --kind {model.kind}."
        )
    m, n = block.shape
    if n != model.n_training:
        hint = " Its rows are as many: transpose it." if m == model.n_training else ""
        raise InputError(
            f"The file has {n} columns, but the model was fitted to {model.n_training} samples; "
            f"each column must be a training sample, each row a new one.{hint}"
        )
    block = replace(block, same_samples=False)  # as many queries as references are no square
    if block.column_ids is None or model.training_ids is None:
        return block
    place = {str(name): j for j, name in enumerate(block.column_ids)}
    missing = [str(name) for name in model.training_ids if str(name) not in place]
    if missing:
        raise InputError(
            f"The columns of the file are not the training samples: {missing[0]} is not among "
            f"them ({len(missing)} of {n} are missing)."
        )
    order = np.array([place[str(name)] for name in model.training_ids])
    return block[np.ix_(np.arange(m), order)]
