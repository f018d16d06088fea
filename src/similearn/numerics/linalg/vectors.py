"""A few neighbouring numbers of an array as a single value of compiled code.

`take` and `put` move them at once. Between them one writes ordinary arithmetic, also with plain
numbers, which stand for themselves in every lane; lanes never mix. Loops would say the same, but
compilers unroll short ones of known length before they would vectorize them, give up where many
arrays might overlap, and use half of what some machines have.

Along a row, a vector is a piece of it. Small problems are too short to fill one, but many of them
side by side do: then arrays have a last axis of length `LANES`, one number for each problem.

The precision is that of the array: single or double; of both together, double. Products may be
added without rounding in between, as in `similearn.numerics.compiling.compiled_fused`.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic as numba_intrinsic

from similearn.numerics.compiling import compiled_fused

LANES = 16
"""Problems side by side, or numbers of a row at once: several vectors of any machine."""

intrinsic: Any = numba_intrinsic  # its types are those of the definition, not of the call
_FUSED = ("contract",)
_INSTRUCTIONS = {
    operator.add: "fadd",
    operator.sub: "fsub",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
}


class Vector(types.Type):
    """As many numbers as `count`, of the given precision."""

    def __init__(self, dtype: types.Float, count: int = LANES) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"Vector({dtype}, {count})")


@register_default(Vector)
class _VectorModel(models.PrimitiveModel):
    """What a vector is to the machine."""

    def __init__(self, manager: Any, vector: Vector) -> None:
        number = ir.FloatType() if vector.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, vector, ir.VectorType(number, vector.count))


def _vector_among(arguments: tuple[types.Type, ...]) -> Any:
    """The vector type of an operation, or None if it is not one of vectors and numbers."""
    vectors = [argument for argument in arguments if isinstance(argument, Vector)]
    if not vectors or not all(isinstance(a, Vector | types.Number) for a in arguments):
        return None
    return max(vectors, key=lambda vector: vector.dtype.bitwidth)


def _in_every_lane(context: Any, builder: Any, value: Any, given: Any, vector: Vector) -> Any:
    """A vector in the precision of another; a number in every lane."""
    meant = context.get_value_type(vector)
    if isinstance(given, Vector):
        bits = given.dtype.bitwidth - vector.dtype.bitwidth
        if bits == 0:
            return value
        return builder.fptrunc(value, meant) if bits > 0 else builder.fpext(value, meant)
    number = context.cast(builder, value, given, vector.dtype)
    nothing = ir.Constant(meant, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    all_first = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, nothing, all_first)


def _all_in_lanes(context: Any, builder: Any, call: Any, values: Any) -> list[Any]:
    return [
        _in_every_lane(context, builder, value, given, call.return_type)
        for value, given in zip(values, call.args, strict=True)
    ]


def _add_operator(symbol: Callable[..., Any], instruction: str) -> None:
    """Teach the compiler an operator between vectors, or a vector and a number."""

    @infer_global(symbol)
    class _OfVectors(AbstractTemplate):
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


@compiled_fused
def larger(a, b):  # type: ignore[no-untyped-def]
    """The larger of both in every lane; a where one is NaN."""
    return where_less(a, b, b, a)


@compiled_fused
def magnitude(a):  # type: ignore[no-untyped-def]
    """The absolute value in every lane."""
    return where_less(a, 0.0, 0.0 - a, a)


@intrinsic
def spread(typing_context, number, array):  # type: ignore[no-untyped-def]
    """The number in every lane, in the precision of the array."""

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        return _in_every_lane(context, builder, values[0], number, call.return_type)

    return Vector(array.dtype)(number, array), build


@intrinsic
def take(typing_context, array, index):  # type: ignore[no-untyped-def]
    """`LANES` numbers from ``array[index]`` on; the last position may be left out, for zero.

    The array is of single or double precision, the index a tuple of unsigned positions.
    """
    return _taking(Vector(array.dtype), array, index)


@intrinsic(prefer_literal=True)
def take_run(typing_context, array, index, count):  # type: ignore[no-untyped-def]
    """As many numbers as `count`, a constant (`numba.literally`); else as `take`."""
    if not isinstance(count, types.Literal):
        return None
    return _taking(Vector(array.dtype, count.literal_value), array, index, count)


def _taking(vector: Vector, *arguments: Any) -> Any:
    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        taken = builder.load(_address(context, builder, call, values, vector))
        taken.align = vector.dtype.bitwidth // 8
        return taken

    return vector(*arguments), build


@intrinsic
def total(typing_context, vector):  # type: ignore[no-untyped-def]
    """The sum of all lanes: half of them added to the other half, until one is left."""

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        (left,), count = values, vector.count
        while count > 1:
            count //= 2
            which = ir.VectorType(ir.IntType(32), count)
            low, high = list(range(count)), list(range(count, 2 * count))
            halves = [
                builder.shuffle_vector(left, left, ir.Constant(which, half)) for half in (low, high)
            ]
            left = builder.fadd(*halves)
        return builder.extract_element(left, ir.IntType(32)(0))

    return vector.dtype(vector), build


@intrinsic
def put(typing_context, array, index, value):  # type: ignore[no-untyped-def]
    """Store a vector, or a number in `LANES` places, from ``array[index]`` on; see `take`."""
    vector = Vector(array.dtype, getattr(value, "count", LANES))

    def build(context, builder, call, values):  # type: ignore[no-untyped-def]
        numbers = _in_every_lane(context, builder, values[2], value, vector)
        stored = builder.store(numbers, _address(context, builder, call, values, vector))
        stored.align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, index, value), build


def _address(context: Any, builder: Any, call: Any, values: Any, vector: Vector) -> Any:
    """Where ``array[index]`` is."""
    array, positions = context.make_array(call.args[0])(context, builder, values[0]), values[1]
    address = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    for axis in range(len(call.args[1])):
        step = builder.extract_value(array.strides, axis)
        position = builder.extract_value(positions, axis)
        address = builder.gep(address, [builder.mul(position, step)])
    return builder.bitcast(address, context.get_value_type(vector).as_pointer())
