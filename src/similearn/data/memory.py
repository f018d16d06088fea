"""What several estimators ask of one block is worked out once, as long as it is remembered."""

from collections.abc import Callable
from typing import Any

import numpy as np

from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Indices
from similearn.numerics.linalg.spectrum import Spectrum


class RememberingPairwise(Pairwise):
    """A block that keeps answers which cost much, for the next estimator that asks.

    The answers are those of the block that it was made of by `remembering`, bit for bit.
    """

    def nearest(
        self, k: int, rows: Any = slice(None), *, skip_self: bool = False
    ) -> tuple[Indices, Floats]:
        """Answer as `Pairwise.nearest`, from one search of all rows where k is not larger."""
        most = min(self.__dict__.get("_n_nearest", 0), self.shape[1])
        if skip_self or not 1 <= k <= most:
            return super().nearest(k, rows, skip_self=skip_self)
        near, values = remembered(self, "nearest", lambda: super(type(self), self).nearest(most))
        return np.ascontiguousarray(near[rows, :k]), np.ascontiguousarray(values[rows, :k])

    def _with(self, **changes: Any) -> Pairwise:
        """Return the block with other fields; of other numbers nothing is known."""
        if {"values", "reverse", "kind"} & set(changes):
            forgotten = ("is_symmetric", "_memory", "_n_nearest", "_lent")
            kept = {name: value for name, value in vars(self).items() if name not in forgotten}
            return Pairwise.unchecked(**kept | changes)
        return super()._with(**changes)


def remembering(
    block: Pairwise, n_nearest: int = 0, known: dict[str, Any] | None = None
) -> Pairwise:
    """The same block, which remembers.

    Parameters
    ----------
    block : not copied; a lazy one, which has a memory of its own, is returned as it is
    n_nearest : neighbours that the one search finds: the most that anybody asks for
    known : what is known of it already, see `memory_of`
    """
    if type(block) is not Pairwise:
        return block
    memory = {"_memory": dict(known or {}), "_n_nearest": n_nearest}
    return RememberingPairwise.unchecked(**vars(block) | memory)


def memory_of(block: Pairwise) -> dict[str, Any]:
    """Everything that a block remembers: "nearest", "spectrum" and so on."""
    return vars(block).get("_memory", {})


def remembered(block: Pairwise, what: str, make: Callable[[], Any]) -> Any:
    """What a block remembers under a name, made now if it must be; of other blocks, made now."""
    memory = vars(block).get("_memory")
    if memory is None:
        return make()
    if what not in memory:
        memory[what] = make()
    return memory[what]


def forget(block: Pairwise) -> None:
    """Let go of what a block remembers: others may keep the block itself."""
    for name in ("_memory", "_n_nearest"):
        vars(block).pop(name, None)


def lent(block: Any) -> Any:
    """The same block, for an estimator that alone fits to it, and may overwrite its values.

    An estimator that reads them again restores them. What is no dense block of which all
    values may be written is returned as it is.
    """
    lendable = type(block) in (Pairwise, RememberingPairwise) and not block.is_sparse
    return block._with(_lent=True) if lendable and block.values.flags.writeable else block


def is_lent(block: Pairwise) -> bool:
    """Whether the values of a block may be overwritten, see `lent`."""
    return "_lent" in vars(block)


def symmetric_spectrum(block: Pairwise) -> Spectrum:
    """Eigenvalues and eigenvectors of the symmetric part of a square block: O(n³)."""
    decompose = Spectrum.within if is_lent(block) else Spectrum.of
    return remembered(block, "spectrum", lambda: decompose(block.rows(both=True)))
