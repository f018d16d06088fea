"""Fitted methods as files that run no code when they are loaded."""

import inspect
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from similearn.data import Pairwise
from similearn.errors import FileError, InputError, MissingExtraError, SimilearnWarning
from similearn.experiments.comparisons.problems import checked_labels
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.registry import Method, chosen_parameters, input_of, tuned
from similearn.version import __version__

FORMAT = "similearn model, version 1"
# Besides what skops trusts by itself (NumPy, SciPy and scikit-learn) and our own classes.
_ALLOWED = frozenset(
    {
        "scipy.sparse._csr.csr_array",
        # The nodes of a boosted tree: arrays and no more.
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    }
)


@dataclass(frozen=True)
class Model:
    """A fitted method and what must be known to use it.

    Attributes
    ----------
    estimator : fitted, with `predict` and, where the method has it, `predict_proba`
    method : its name in the registry
    parameters : those that cross-validation chose
    kind : "similarity" or "dissimilarity", of the block it was fitted on
    classes : the labels
    n_training, training_ids : the samples that the columns of a query block must be; the
        ids are None where the training block had none
    version, created : of the library that wrote it, and when (UTC)
    """

    estimator: Any
    method: str
    parameters: dict[str, Any]
    kind: str
    classes: list[Any]
    n_training: int
    training_ids: list[Any] | None
    version: str
    created: str


def fit_model(method: Method, block: Pairwise, y: Any, seed: int = 0) -> Model:
    """Choose the method's parameters by 10-fold cross-validation and fit it to all samples."""
    labels = checked_labels(y, len(block))
    search = tuned(method, block, tuning_folds(labels, seed, 0), seed)
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


def save_model(model: Model, path: str | Path) -> None:
    """Write a model as a skops file, completely or not at all."""
    skops = _skops()
    with replacing(path) as unfinished:
        skops.dump({"format": FORMAT, **vars(model)}, unfinished, compression=8)


def load_model(path: str | Path) -> Model:
    """Read a model; classes other than ours and scikit-learn's are refused before use.

    Raises
    ------
    FileError
        If the file is damaged, is no model, or names anything that could run code.
    """
    skops = _skops()
    path = Path(path)
    if not path.is_file():
        raise FileError(f"There is no file {path}. Make a model with `similearn fit`.")
    try:
        named = skops.get_untrusted_types(file=path)
    except (BadZipFile, KeyError, ValueError, EOFError) as error:
        raise FileError(
            f"{path} is no model file, or a damaged one ({error}). Make one with `similearn fit`."
        ) from error
    strangers = [name for name in named if not _is_trusted(name)]
    if strangers:
        raise FileError(
            f"{path} holds {', '.join(strangers)}, which is not part of a similearn model and "
            "could run code. It was not loaded; use models only from people you trust."
        )
    return _model(skops.load(path, trusted=named), path)


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


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path`, put in its place when all went well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _model(content: Any, path: Path) -> Model:
    """Check what was loaded."""
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise FileError(
            f"{path} is a skops file, but no similearn model. Make one with `similearn fit`."
        )
    model = Model(**content)
    if model.version != __version__:
        warnings.warn(
            f"{path} was written by similearn {model.version}, this is {__version__}: predictions "
            "may differ. Fit the model again to be sure.",
            SimilearnWarning,
            stacklevel=3,
        )
    return model


def _is_trusted(name: str) -> bool:
    """Whether a name stands for a class that similearn itself defines, or an allowed one."""
    if name in _ALLOWED:
        return True
    module, _, attribute = name.rpartition(".")
    if not module.startswith("similearn."):
        return False
    try:
        named = getattr(import_module(module), attribute, None)
    except ImportError:
        return False
    # Our modules also hold what they import; only their own classes are data.
    return inspect.isclass(named) and named.__module__ == module


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingExtraError(
            "Model files need skops, which is not installed: pip install 'similearn[cli]'."
        ) from None
    return skops.io
