"""What a fitted model tells of itself: its name, its samples, and how it compares them."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from similearn.data import Pairwise, Sources
from similearn.experiments.things.comparing_objects import comparisons_in
from similearn.selection import SimilarityClassifier


def square_block(model: Any, X: Any) -> Pairwise | None:
    """The block of all samples with themselves, if X is one, holds one, or can be made into one."""
    if isinstance(X, Sources):
        X = next((part for part in X.values() if isinstance(part, Pairwise)), None)
    if isinstance(X, Pairwise):
        return X if X.same_samples else None
    compared = comparisons_in(fitted_part(model))
    if compared and X is not None:
        return _compared_again(next(iter(compared.values())), X)
    kind = kind_of_model(model)
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if kind is None or len(shape) != 2 or shape[0] != shape[1]:
        return None
    return Pairwise(X, kind)


def _compared_again(comparison: Any, X: Any) -> Pairwise | None:
    """Objects with themselves: those that the model holds need no second look at new ones."""
    if not same_objects(X, comparison.references_):
        return None
    made: Pairwise = comparison.transform(X).of_same_samples(True)._with(reverse=None)
    return made


def on_blocks(model: Any, X: Any) -> tuple[Any, Any]:
    """A model that compares its own objects first, and these: what comes after, and the blocks.

    So every two objects are compared once, however many folds are held out. A similarity that is
    learned from labels must be learned anew in each, and stays where it is.
    """
    part = fitted_part(model)
    compared = comparisons_in(part) if isinstance(part, Pipeline) else {}
    if not compared or learned_from_labels(model) or not knows_these(part, X, len(X)):
        return model, X
    rest = part[1:] if len(part.steps) > 2 else part.steps[-1][1]
    return rest, clone(part.steps[0][1]).fit_transform(X)


def learned_from_labels(model: Any) -> bool:
    """Whether a model compares objects by a similarity that it learned from their labels."""
    return any(one.function_.learned for one in comparisons_in(fitted_part(model)).values())


def fitted_part(model: Any) -> Any:
    """The estimator that a search fitted, or the model itself."""
    return getattr(model, "best_estimator_", model)


def last_step(model: Any) -> Any:
    """The classifier itself, without a search around it and steps before it."""
    model = fitted_part(model)
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def references_of(model: Any) -> Any:
    """The objects that a model compares new ones with; None of models of blocks."""
    compared = comparisons_in(fitted_part(model))
    return next(iter(compared.values())).references_ if compared else None


def same_objects(X: Any, references: Any) -> bool:
    """Whether two lists hold equal objects in the same order."""
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if len(X) != len(references):
        return False
    pairs = zip(X, references, strict=True)
    return all(one is other or np.array_equal(one, other) for one, other in pairs)


def kind_of_model(model: Any) -> Any:
    """What a plain matrix means to a model."""
    model = fitted_part(model)
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    return getattr(first, "kind_", None) or getattr(first, "kind", None)


def kind_compared(model: Any) -> str | None:
    """By which a model compares samples, "similarity" or "dissimilarity", if it tells."""
    for comparison in comparisons_in(fitted_part(model)).values():
        return str(comparison.function_.kind)
    kind = None if model is None else kind_of_model(model)
    return kind if kind in ("similarity", "dissimilarity") else None


def method_name(model: Any) -> str | None:
    """What a model is called: "auto", or its class."""
    if model is None:
        return None
    last = last_step(model)
    return "auto" if isinstance(last, SimilarityClassifier) else type(last).__name__


def knows_these(model: Any, X: Any, n: int) -> bool:
    """Whether X is what the model was fitted to: samples with themselves, or the same objects."""
    if isinstance(X, Pairwise):
        return bool(X.same_samples)
    if isinstance(X, Sources):
        blocks = [part for part in X.values() if isinstance(part, Pairwise)]
        return all(bool(part.same_samples) for part in blocks) and n == n_training(model)
    references = references_of(model)
    return n == n_training(model) if references is None else same_objects(X, references)


def n_training(model: Any) -> int | None:
    """How many samples a model was fitted to, if it tells."""
    last = last_step(model)
    for name in ("codes_", "oof_proba_"):
        kept = getattr(last, name, None)
        if kept is not None:
            return len(kept)
    found = getattr(last, "n_features_in_", None)
    return None if found is None else int(found)
