"""One number for each of `LANES` problems, as a single value of compiled code.

Small problems are too short to fill a vector unit, but many of them side by side do: arrays have
a last axis of length `LANES`, and `take` and `put` move all of it at once. Between them one writes
ordinary arithmetic, also with plain numbers, which stand for themselves in every lane. Lanes never
mix. Loops over the last axis would say the same, but compilers unroll short ones of known length
before they would vectorize them, and give up where many arrays might overlap.

The precision is that of the array: single or double. Products may be added without rounding in
between, as in `similearn.numerics.compiling.compiled_fused`.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic

LANES = 16

_FUSED = ("contract",)
_INSTRUCTIONS = {
    operator.add: "fadd",
    operator.sub: "fsub",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
}


class Vector(types.Type):
    """`LANES` numbers of the given precision."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Vector({dtype}, {LANES})")


@register_default(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    """What a vector is to the machine."""

    def __init__(self, manager: Any, vector: Vector) -> None:
        number = ir.FloatType() if vector.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, vector, ir.VectorType(number, LANES))


def _vector_among(arguments: tuple[types.Type, ...]) -> types.Type | None:
    """The vector type of an operation, or None if it is not one of vectors and numbers."""
    vectors = {argument for argument in arguments if isinstance(argument, Vector)}
    numbers = all(isinstance(argument, Vector | types.Number) for argument in arguments)
    return vectors.pop() if numbers and len(vectors) == 1 else None


def _in_every_lane(context: Any, builder: Any, value: Any, given: Any, vector: Vector) -> Any:
    """A vector as it is, a number in every lane."""
    if isinstance(given, Vector):
        return value
    number = context.cast(builder, value, given, vector.dtype)
    nothing = ir.Constant(context.get_value_type(vector), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(
        first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    )


def _all_in_lanes(context: Any, builder: Any, call: Any, values: Any) -> list[Any]:
    return [
        _in_every_lane(context, builder, value, given, call.return_type)
        for value, given in zip(values, call.args, strict=True)
    ]


def _add_operator(symbol: Callable[..., Any], instruction: str) -> None:
    """Teach the compiler an operator between vectors, or a vector and a number."""

    @infer_global(symbol)
    class _OfVectors(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            vector = _vector_among(args)
            return None if vector is None else signature(vector, *args)

    def lower(context: Any, builder: Any, call: Any, values: Any) -> Any:
        one, other = _all_in_lanes(context, builder, call, values)
        return getattr(builder, instruction)(one, other, flags=_FUSED)

    for pair in ((Vector, Vector), (Vector, types.Number), (types.Number, Vector)):
        lower_builtin(symbol, *pair)(lower)


for _symbol, _instruction in _INSTRUCTIONS.items():
    _add_operator(_symbol, _instruction)


@intrinsic
def where_less(typing_context, a, b, then, otherwise):  # type: ignore[no-untyped-def]
    """`then` in the lanes where a < b, `otherwise` in the others and where one is NaN."""
    vector = _vector_among((a, b, then, otherwise))

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        one, other, yes, no = _all_in_lanes(context, builder, call, values)
        return builder.select(builder.fcmp_ordered("<", one, other), yes, no)

    return vector(a, b, then, otherwise), build


@intrinsic
def spread(typing_context, number, array):  # type: ignore[no-untyped-def]
    """The number in every lane, in the precision of the array."""

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        return _in_every_lane(context, builder, values[0], number, call.return_type)

    return Vector(array.dtype)(number, array), build


@intrinsic
def take(typing_context, array, index):  # type: ignore[no-untyped-def]
    """All lanes of ``array[index]``; the index is a tuple of one position less than axes."""

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        vector = builder.load(_address(context, builder, call, values))
        vector.align = array.dtype.bitwidth // 8
        return vector

    return Vector(array.dtype)(array, index), build


@intrinsic
def put(typing_context, array, index, vector):  # type: ignore[no-untyped-def]
    """``array[index] = vector``, all lanes."""

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        of_array = Vector(array.dtype)
        value = _in_every_lane(context, builder, values[2], vector, of_array)
        stored = builder.store(value, _address(context, builder, call, values))
        stored.align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, index, vector), build


def _address(context: Any, builder: Any, call: Any, values: Any) -> Any:
    """Where the lanes of ``array[index]`` begin."""
    array, positions = context.make_array(call.args[0])(context, builder, values[0]), values[1]
    address = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    for axis in range(call.args[0].ndim - 1):
        step = builder.extract_value(array.strides, axis)
        position = builder.extract_value(positions, axis)
        address = builder.gep(address, [builder.mul(position, step)])
    vector = context.get_value_type(Vector(call.args[0].dtype))
    return builder.bitcast(address, vector.as_pointer())
