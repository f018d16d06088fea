"""Declarations of objects and of how they are compared.

See `similearn.experiments.models.declarations`. A file holds no code: a similarity is named, by its
class if it is ours, else by the name under which it is registered.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.lazy.pair_views import MappedPairs
from similearn.data.lazy.value_changes import Divided, MaxMinus, OneMinusScaled
from similearn.data.values import as_values
from similearn.errors import InputError
from similearn.experiments.models.declarations import (
    Declaration,
    Members,
    Mismatch,
    Number,
    Sizes,
    only,
    require,
    told,
)
from similearn.similarities.shell.choosing import AUTO
from similearn.similarities.shell.object_pairs import ObjectPairs
from similearn.similarities.shell.objects import as_objects, count
from similearn.similarities.shell.registering import get_similarity, known_similarities
from similearn.similarities.shell.similarity import FunctionSimilarity, Similarity

_DEEPEST = 20
_MAKERS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
}
_CHANGES: dict[str, Any] = {
    "one-minus-scaled": OneMinusScaled,
    "max-minus": MaxMinus,
    "divided": Divided,
}
_AMOUNT = Number(low=5e-324)
_MOST_CHANGES = 4


class Thing(Declaration):
    """Whatever an object may be: text, numbers, arrays, and collections of them."""

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        return _written(value, members, 0)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        return _read(stored, members, 0)


class Objects(Thing):
    """A collection of n objects: a list, the rows of an array, or CSR.

    Fingerprints of RDKit are stored as the sets of their bits, which are compared alike.
    """

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        if isinstance(value, list) and all(hasattr(one, "GetOnBits") for one in value):
            value = [set(map(int, one.GetOnBits())) for one in value]
        return super().write(value, members)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        objects = super().read(stored, sizes, members)
        array = isinstance(objects, np.ndarray) and objects.ndim > 0
        require(array or isinstance(objects, list) or sparse.issparse(objects), objects)
        n = objects.shape[0] if hasattr(objects, "shape") else len(objects)
        require(n > 0 and sizes.agree("n", n), objects)
        return objects


class Compared(Declaration):
    """A similarity, or its name: never a function, which would be code."""

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        if isinstance(value, str) and ":" in value:
            value = get_similarity(value)  # with its parameters, each declared
        if isinstance(value, str):
            return value
        if not isinstance(value, Similarity):
            raise Mismatch(
                f"is {getattr(value, '__name__', told(value))}, and a file holds no code: register "
                "it with similearn.similarities.register, and pass its name"
            )
        return _written(value, members, 0)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        if isinstance(stored, str):
            _known(stored)
            return stored
        return _read_similarity(only(stored, "similarity"), members, 0)


class ComparedOrAuto(Compared):
    """The same, or the word for a similarity that was chosen by what the objects are."""

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        return stored if stored == AUTO else super().read(stored, sizes, members)


class LazyBlock(Declaration):
    """A `LazyPairwise` of n training objects with themselves."""

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, LazyPairwise), value)
        source, changes = value.source, []
        while isinstance(source, MappedPairs):
            change: Any = source.change
            name = next((n for n, c in _CHANGES.items() if c is type(change)), None)
            if name is None:
                raise Mismatch(f"changes values by {told(change)}, which no file holds")
            changes.append([name, _AMOUNT.write(change.amount, members)])
            source = source.source
        source = source.only(np.arange(len(value)))
        if not isinstance(source, ObjectPairs) or source.similarity.needs_fit:
            raise Mismatch("compares objects by what was learned; fit the model with lazy=False")
        compared = Compared().write(source.similarity, members)
        return {
            "compared": compared,
            "objects": Objects().write(source.rows, members),
            "changes": changes[::-1],
        }

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(isinstance(stored, dict), stored)
        require(set(stored) == {"compared", "objects", "changes"}, stored)
        function = get_similarity(Compared().read(stored["compared"], sizes, members))
        objects = Objects().read(stored["objects"], sizes, members)
        require(_fit_together(function, objects), objects)
        source: Any = ObjectPairs(function, objects)
        changes = stored["changes"]
        require(isinstance(changes, list) and len(changes) <= _MOST_CHANGES, changes)
        for one in changes:
            require(isinstance(one, list) and len(one) == 2 and one[0] in _CHANGES, one)
            change = _CHANGES[one[0]](_AMOUNT.read(one[1], sizes, members))
            source = MappedPairs(source, change, change.kind or source.kind)
        return LazyPairwise(source)


def _written(value: Any, members: Members, depth: int) -> Any:
    """JSON of any thing; plain values as they are, others under the name of what they are."""
    if depth > _DEEPEST:
        raise Mismatch(f"is nested more than {_DEEPEST} deep")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"number": str(value)}
    if isinstance(value, bytes):
        return {"bytes": members.add(np.frombuffer(value, dtype=np.uint8))}
    if sparse.issparse(value):
        return {"csr": _written_csr(value, members)}
    if isinstance(value, np.ndarray):
        return _written_array(value, members, depth)
    if isinstance(value, Similarity):
        return {"similarity": _written_similarity(value, members, depth)}
    kind = type(value).__name__
    if _MAKERS.get(kind) is not type(value):
        raise Mismatch(f"holds {told(value)}, which no model file holds")
    if kind == "list" and value and all(type(one) is str for one in value):
        return {"texts": _packed([np.frombuffer(_bytes(one), np.uint8) for one in value], members)}
    if kind == "list" and _are_alike(value):
        shapes = members.add(np.array([one.shape for one in value], dtype=np.int64))
        return {"arrays": [*_packed([one.ravel() for one in value], members), shapes]}
    parts = value.items() if kind == "dict" else _ordered(value)
    return {kind: [_written(one, members, depth + 1) for one in parts]}


def _ordered(value: Any) -> Any:
    """Sets in an order that does not change from run to run."""
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _are_alike(values: Any) -> bool:
    """Whether a list holds arrays of numbers that differ in shape alone: packed as one."""
    return bool(values) and all(
        type(one) is np.ndarray
        and one.dtype.kind in "biuf"
        and (one.dtype, one.ndim) == (values[0].dtype, values[0].ndim)
        for one in values
    )


def _packed(parts: list[np.ndarray], members: Members) -> list[str]:
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return [members.add(np.concatenate(parts)), members.add(ends)]


def _written_array(value: np.ndarray, members: Members, depth: int) -> Any:
    if value.dtype.kind in "biufUS":
        return {"array": members.add(np.asarray(value))}
    if value.dtype != object:
        raise Mismatch(f"holds {told(value)}, which no model file holds")
    return {"table": [list(value.shape), _written(value.ravel().tolist(), members, depth + 1)]}


def _written_csr(value: Any, members: Members) -> Any:
    value = as_values(value, "it")
    parts = [members.add(part) for part in (value.data, value.indices, value.indptr)]
    return [list(value.shape), parts]


def _written_similarity(value: Similarity, members: Members, depth: int) -> Any:
    name = type(value).__name__
    registry = known_similarities()
    if _classes().get(name) is not type(value):
        name = value.name
        if type(registry.get(name)) is not type(value):
            raise Mismatch(
                f"is {told(value)}, which is not registered: see similearn.similarities.register"
            )
    parameters = value.get_params(deep=False)
    if isinstance(value, FunctionSimilarity):
        if getattr(registry[name], "function", None) is not value.function:
            raise Mismatch(f"is the function {name}, and another is registered by this name")
        parameters = {}
    if "random_state" in parameters and parameters["random_state"] is None:
        raise Mismatch(f"{name} draws at random: give it a random_state to draw the same again")
    return [name, _written(parameters, members, depth + 1)]


def _read(stored: Any, members: Members, depth: int) -> Any:
    if depth > _DEEPEST:
        raise Mismatch(f"is nested more than {_DEEPEST} deep")
    if stored is None or isinstance(stored, bool | str | float):
        return stored
    if isinstance(stored, int):
        require(abs(stored) < 2**63, stored)
        return stored
    require(isinstance(stored, dict) and len(stored) == 1, stored)
    ((kind, content),) = stored.items()
    if kind in _MAKERS:
        require(isinstance(content, list), content)
        try:
            return _MAKERS[kind](_read(one, members, depth + 1) for one in content)
        except (TypeError, ValueError):
            raise Mismatch(f"is no {kind}") from None
    require(kind in _READERS, kind)
    return _READERS[kind](content, members, depth + 1)


def _read_number(stored: Any, members: Members, depth: int) -> float:
    require(stored in ("nan", "inf", "-inf"), stored)
    return float(stored)


def _array(stored: Any, members: Members, kinds: str, ndim: int | None = 1) -> np.ndarray:
    array = members.get(stored)
    require(array.dtype.kind in kinds and array.dtype.isnative, array)
    require(ndim is None or array.ndim == ndim, array)
    return array


def _read_bytes(stored: Any, members: Members, depth: int) -> bytes:
    return _array(stored, members, "u").tobytes()


def _parts(stored: Any, members: Members, kinds: str) -> list[np.ndarray]:
    """What was packed as one array, and where each part ends."""
    require(isinstance(stored, list) and len(stored) == 2, stored)
    packed, ends = _array(stored[0], members, kinds), _array(stored[1], members, "i")
    require(len(ends) and ends[0] >= 0 and ends[-1] == len(packed), ends)
    require((np.diff(ends) >= 0).all(), ends)
    return np.split(packed, ends[:-1])


def _read_texts(stored: Any, members: Members, depth: int) -> list[str]:
    try:
        parts = _parts(stored, members, "u")
        return [part.tobytes().decode("utf-8", "surrogatepass") for part in parts]
    except UnicodeDecodeError:
        raise Mismatch("is no text") from None


def _read_arrays(stored: Any, members: Members, depth: int) -> list[np.ndarray]:
    require(isinstance(stored, list) and len(stored) == 3, stored)
    parts, shapes = _parts(stored[:2], members, "biuf"), _array(stored[2], members, "i", 2)
    require(len(shapes) == len(parts) and (shapes >= 0).all(), shapes)
    sizes = np.prod(shapes.astype(np.float64), axis=1)
    require(np.array_equal(sizes, [len(part) for part in parts]), shapes)
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _read_array(stored: Any, members: Members, depth: int) -> np.ndarray:
    return _array(stored, members, "biufUS", None)


def _read_table(stored: Any, members: Members, depth: int) -> np.ndarray:
    require(isinstance(stored, list) and len(stored) == 2, stored)
    shape, entries = stored[0], _read(stored[1], members, depth)
    require(isinstance(shape, list) and 0 < len(shape) <= 8, shape)
    require(all(type(length) is int and length >= 0 for length in shape), shape)
    require(isinstance(entries, list) and len(entries) == math.prod(shape), entries)
    table = np.empty(len(entries), dtype=object)
    table[:] = entries
    return table.reshape(shape)


def _read_csr(stored: Any, members: Members, depth: int) -> Any:
    require(isinstance(stored, list) and len(stored) == 2, stored)
    shape, names = stored
    require(isinstance(shape, list) and len(shape) == 2, shape)
    require(all(type(length) is int and 0 <= length < 2**31 for length in shape), shape)
    require(isinstance(names, list) and len(names) == 3, names)
    data, indices, indptr = (
        _array(name, members, kinds) for name, kinds in zip(names, ("f", "i", "i"), strict=True)
    )
    require(len(indptr) == shape[0] + 1 and len(data) == len(indices), indptr)
    matrix = sparse.csr_array(tuple(shape), dtype=np.float64)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    try:
        return as_values(matrix, "it")  # looks at every index before anything follows it
    except InputError as error:
        raise Mismatch(str(error)) from None


def _fit_together(function: Any, objects: Any) -> bool:
    """Whether the objects are of the form that a similarity takes, and need no fit."""
    if function.needs_fit or count(objects) < 1:
        return False
    try:
        if function.accepts == "objects":
            return type(as_objects(objects, function)) is type(objects)
        if function.accepts == "numbers":
            as_values(objects, "objects")
        return getattr(objects, "ndim", 0) == 2
    except InputError:
        return False


def _read_similarity(stored: Any, members: Members, depth: int) -> Similarity:
    require(isinstance(stored, list) and len(stored) == 2, stored)
    name, parameters = stored[0], _read(stored[1], members, depth)
    require(type(name) is str and isinstance(parameters, dict), stored)
    found = _classes()[name]() if name in _classes() else clone(_known(name))
    try:
        return found.set_params(**parameters)
    except (TypeError, ValueError):
        raise Mismatch(f"has parameters that {name} does not have") from None


@cache
def _classes() -> dict[str, type[Similarity]]:
    """Our classes of similarities by their names."""
    return {
        type(one).__name__: type(one)
        for one in known_similarities().values()
        if type(one).__module__.startswith("similearn.") and not isinstance(one, FunctionSimilarity)
    }


def _known(name: str) -> Similarity:
    known = known_similarities()
    if name not in known:
        raise Mismatch(
            f"names the similarity {told(name)}, which is not registered: import what registers it"
        )
    return known[name]


_READERS: dict[str, Callable[[Any, Members, int], Any]] = {
    "number": _read_number,
    "bytes": _read_bytes,
    "texts": _read_texts,
    "arrays": _read_arrays,
    "array": _read_array,
    "table": _read_table,
    "csr": _read_csr,
    "similarity": _read_similarity,
}
