"""The declared state of what compares objects: the objects themselves, and how they are compared.

What a similarity learns is learned again from the objects when a file is read, by the same checks
as at first.
"""

from typing import Any

import numpy as np

from similearn.data.values import KINDS
from similearn.estimators import PairwiseSimilarity
from similearn.experiments.models.declarations import Flag, Sizes, Whole, Word, maybe
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.declared_objects import Compared, Objects
from similearn.experiments.models.shared_states import enter, needs
from similearn.similarities import get_similarity
from similearn.similarities.shell.objects import as_objects


def _compares(model: Any, sizes: Sizes) -> None:
    """Objects are of the form that the similarity takes, and labels are there if it learns."""
    function = get_similarity(model.function, kind=model.kind, symmetric=model.symmetric)
    objects = model.references_
    if function.accepts == "objects":
        needs(type(as_objects(objects, function)) is type(objects), "references_ are no objects")
    else:
        shape = (len(objects), getattr(model, "n_features_in_", -1))
        numbers = function.accepts == "table" or getattr(objects, "dtype", None) == np.float64
        needs(numbers and getattr(objects, "shape", None) == shape, "references_ are no table")
    needs(not function.learned or hasattr(model, "labels_"), "labels_ is missing")


def _learned_again(model: Any) -> None:
    function = get_similarity(model.function, kind=model.kind, symmetric=model.symmetric)
    model.function_ = function.fit(model.references_, getattr(model, "labels_", None))


enter(
    PairwiseSimilarity,
    {
        "references_": Objects(),
        "n_features_in_": Whole(1, size="d"),
        "labels_": Array(("n",), "label"),
    },
    {
        "function": Compared(),
        "kind": maybe(Word(KINDS)),
        "symmetric": maybe(Flag()),
        "progress": maybe(Flag(), Word(("auto",))),
    },
    optional=("n_features_in_", "labels_"),
    left_out=("function_",),
    check=_compares,
    finish=_learned_again,
)
