"""What the fitted state of a class looks like: how each value is stored, and what it must be.

A declaration writes a value as JSON and members of an archive, and reads it back. Reading
believes nothing: types, shapes, ranges and structure are those declared, or it is a `Mismatch`.
Shapes are written in names of sizes: the first value that has a size decides it for the object,
and the others must agree. A name that begins with an underscore is decided anew in each record.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

Size = int | str
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_LONGEST_WORD = 10_000


class Mismatch(Exception):
    """A value that is not as declared."""


class Sizes(dict[str, int]):
    """Sizes of one object by name; ``n_pairs`` follows from ``n_classes``."""

    def of(self, size: Size | None) -> int | None:
        """Return the number that a name stands for, or None if it is not known."""
        if isinstance(size, str):
            if size == "n_pairs" and "n_classes" in self:
                return self["n_classes"] * (self["n_classes"] - 1) // 2
            return self.get(size)
        return size

    def agree(self, size: Size, value: int) -> bool:
        """Whether a size has this value; one that is not known yet takes it."""
        known = self.of(size)
        if known is None and isinstance(size, str):
            self[size] = known = value
        return known == value

    def record(self) -> "Sizes":
        """Sizes for a record: those of the object, without the names of other records."""
        return Sizes({name: value for name, value in self.items() if name[0] != "_"})

    def keep(self, record: "Sizes") -> None:
        """Take over what a record decided for the object."""
        self.update({name: value for name, value in record.items() if name[0] != "_"})


class Members:
    """Arrays beside the document: each is stored once, however often it is held."""

    def __init__(self, load: Callable[[str], Any] | None = None) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._names: dict[int, str] = {}
        self._load = load

    def add(self, array: np.ndarray) -> str:
        """Return the name under which an array is stored."""
        name = self._names.get(id(array))
        if name is None:
            name = self._names[id(array)] = str(len(self.arrays))
            self.arrays[name] = array
        return name

    def get(self, name: Any) -> np.ndarray:
        """Return the array of a name."""
        if not isinstance(name, str) or self._load is None:
            raise Mismatch("names no array")
        if name not in self.arrays:
            self.arrays[name] = self._load(name)
        return self.arrays[name]


class Declaration:
    """One kind of value. `write` makes JSON of it, `read` checks and restores it."""

    def write(self, value: Any, members: Members) -> Any:
        """Return what JSON stores of a value."""
        raise NotImplementedError

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:
        """Return the value, checked."""
        raise NotImplementedError


@dataclass(frozen=True)
class Whole(Declaration):
    """An integer within [low, high]; with `size` it is, or decides, that size."""

    low: int = 0
    high: Size | None = None
    size: str | None = None

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, Integral) and not isinstance(value, bool | np.bool_), value)
        return int(value)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(type(stored) is int, stored)
        high = sizes.of(self.high)
        require(stored >= self.low and (high is None or stored <= high), stored)
        require(stored < 2**63 and (self.size is None or sizes.agree(self.size, stored)), stored)
        return stored


@dataclass(frozen=True)
class Number(Declaration):
    """A number within [low, high], finite unless said otherwise."""

    low: float = -math.inf
    high: float = math.inf
    finite: bool = True

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, Real) and not isinstance(value, bool | np.bool_), value)
        plain = value.item() if isinstance(value, np.generic) else value
        return plain if math.isfinite(plain) else {"number": str(plain)}

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        if isinstance(stored, dict):
            stored = _NOT_FINITE.get(only(stored, "number"))
        require(type(stored) is float or (type(stored) is int and abs(stored) < 2**63), stored)
        inside = self.low <= stored <= self.high if math.isfinite(stored) else not self.finite
        require(inside, stored)
        return stored


@dataclass(frozen=True)
class Flag(Declaration):
    """True or false."""

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, bool | np.bool_), value)
        return bool(value)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(type(stored) is bool, stored)
        return stored


@dataclass(frozen=True)
class Word(Declaration):
    """A word, one of the choices if there are any."""

    choices: Sequence[str] = ()

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, str), value)
        return str(value)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(type(stored) is str and len(stored) <= _LONGEST_WORD, stored)
        require(not self.choices or stored in self.choices, stored)
        return stored


@dataclass(frozen=True)
class Either(Declaration):
    """The first of several declarations that fits; None is nothing at all."""

    declared: tuple[Declaration | None, ...]

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        return self._first(lambda one: one.write(value, members), value)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        def read(one: Declaration) -> Any:
            tried = Sizes(sizes)
            value = one.read(stored, tried, members)
            sizes.update(tried)
            return value

        return self._first(read, stored)

    def _first(self, function: Callable[[Declaration], Any], value: Any) -> Any:
        if value is None and None in self.declared:
            return None
        reason = Mismatch(f"is {told(value)}")
        for one in self.declared:
            try:
                if one is not None:
                    return function(one)
            except Mismatch as mismatch:
                reason = mismatch
        raise reason


def maybe(*declared: Declaration) -> Either:
    """One of these, or None."""
    return Either((None, *declared))


@dataclass(frozen=True)
class Each(Declaration):
    """A list, or tuple, of values that are all declared alike."""

    declared: Declaration
    size: Size | None = None
    make: type = list

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(type(value) in (list, tuple), value)
        return [self.declared.write(one, members) for one in value]

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(isinstance(stored, list), stored)
        require(self.size is None or sizes.agree(self.size, len(stored)), stored)
        values = []
        for one in stored:
            own = sizes.record()
            values.append(self.declared.read(one, own, members))
            sizes.keep(own)
        return self.make(values)


@dataclass(frozen=True)
class Row(Declaration):
    """A tuple of values that are each declared."""

    declared: tuple[Declaration, ...]

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(type(value) is tuple and len(value) == len(self.declared), value)
        return [one.write(v, members) for one, v in zip(self.declared, value, strict=True)]

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(isinstance(stored, list) and len(stored) == len(self.declared), stored)
        return tuple(
            one.read(v, sizes, members) for one, v in zip(self.declared, stored, strict=True)
        )


@dataclass(frozen=True)
class Mapped(Declaration):
    """A dict."""

    keys: Declaration
    values: Declaration

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(type(value) is dict, value)
        return [
            [self.keys.write(k, members), self.values.write(v, members)] for k, v in value.items()
        ]

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(isinstance(stored, list), stored)
        require(all(isinstance(pair, list) and len(pair) == 2 for pair in stored), stored)
        return {
            self.keys.read(key, sizes, members): self.values.read(value, sizes, members)
            for key, value in stored
        }


@dataclass(frozen=True)
class Record(Declaration):
    """A value class of ours: made from its declared fields by the class, or another function.

    Fields that are `optional` may be missing in older files.
    """

    kind: type
    fields: dict[str, Declaration] = field(default_factory=dict)
    make: Callable[..., Any] | None = None
    optional: tuple[str, ...] = ()

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(type(value) is self.kind, value)
        return write_fields(self.fields, {n: getattr(value, n) for n in self.fields}, members)

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        own = sizes.record()
        values = read_fields(self.fields, stored, own, members, self.optional)
        sizes.keep(own)
        return (self.make or self.kind)(**values)


def write_fields(declared: dict[str, Declaration], values: Any, members: Members) -> dict[str, Any]:
    """Return what JSON stores of named values; every one of them must be declared."""
    strange = set(values) - set(declared)
    if strange:
        raise Mismatch(f"{min(strange)} is not declared")
    stored = {}
    for name, value in values.items():
        try:
            stored[name] = declared[name].write(value, members)
        except Mismatch as mismatch:
            raise Mismatch(f"{name} {mismatch}") from None
    return stored


def read_fields(
    declared: dict[str, Declaration],
    stored: Any,
    sizes: Sizes,
    members: Members,
    optional: Sequence[str] = (),
) -> dict[str, Any]:
    """Return named values, in the order in which they are declared."""
    require(isinstance(stored, dict), stored)
    missing = set(declared) - set(stored) - set(optional)
    strange = set(stored) - set(declared)
    if missing or strange:
        raise Mismatch(f"{told(min(missing | strange))} is {'missing' if missing else 'unknown'}")
    values = {}
    for name, declaration in declared.items():
        if name in stored:
            try:
                values[name] = declaration.read(stored[name], sizes, members)
            except Mismatch as mismatch:
                raise Mismatch(f"{name} {mismatch}") from None
    return values


def told(value: Any) -> str:
    """Name a value in a few characters, whatever it is."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and type {value.dtype.str}"
    if value is None or isinstance(value, bool | int | float | str):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
        return text if len(text) <= 40 else text[:37] + "..."
    return f"a {type(value).__name__}"


def require(fits: Any, value: Any) -> None:
    """Raise a `Mismatch` that tells the value unless it fits."""
    if not fits:
        raise Mismatch(f"is {told(value)}, which does not fit")


def only(stored: Any, key: str) -> Any:
    """Return what a dict with one key holds."""
    require(isinstance(stored, dict) and set(stored) == {key}, stored)
    return stored[key]
