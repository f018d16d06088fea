"""What members share: a conversion, a neighbour search, an eigendecomposition for all of them."""

from collections.abc import Set
from typing import Any

from similearn.data import Pairwise
from similearn.data.memory import forget, memory_of, remembering
from similearn.estimators import DissimilarityToSimilarity
from similearn.selection.auto.named_blocks import compared

SharedTables = dict[tuple[str, int], Any]
"""Neighbours of the blocks of one fold, small enough to be kept from one stage to the next."""


class SharedInput:
    """A training block and its queries, worked on once for all members that want it so.

    Parameters
    ----------
    train, queries : blocks of one fold, or the whole training block alone
    n_nearest : neighbours that members ask for, at most
    tables : neighbours that are known already; `close` adds those that were found
    """

    def __init__(
        self,
        train: Pairwise,
        queries: Pairwise | None = None,
        *,
        n_nearest: int = 0,
        tables: SharedTables | None = None,
    ) -> None:
        self._given = (train,) if queries is None else (train, queries)
        self._n_nearest = n_nearest
        self._tables: SharedTables = {} if tables is None else tables
        self._known: dict[str, tuple[Pairwise, ...]] = {}
        self.conversion: DissimilarityToSimilarity | None = None

    def __getitem__(self, takes: str) -> tuple[Pairwise, ...]:
        converts = takes == "similarity" and self._given[0].kind == "dissimilarity"
        takes = takes if converts else "block"
        if takes not in self._known:
            blocks = self._converted() if converts else self._given
            self._known[takes] = tuple(
                remembering(block, self._n_nearest, self._table(takes, i))
                for i, block in enumerate(blocks)
            )
        return self._known[takes]

    def _converted(self) -> tuple[Pairwise, ...]:
        self.conversion = DissimilarityToSimilarity().fit(self._given[0])
        return tuple(self.conversion.transform(block) for block in self._given)

    def _table(self, takes: str, i: int) -> dict[str, Any]:
        known = self._tables.get((takes, i))
        return {} if known is None else {"nearest": known}

    def close(self) -> None:
        """Let go of everything but the tables of neighbours."""
        for takes, blocks in self._known.items():
            for i, block in enumerate(blocks):
                found = memory_of(block).get("nearest")
                if found is not None:
                    self._tables[takes, i] = found
                forget(block)


class SharedQueries:
    """Queries of a fitted model, converted once and searched once for all members.

    Parameters
    ----------
    X : `similearn.selection.auto.named_blocks.Blocks` of queries
    n_nearest : neighbours that members ask for, at most
    few_pairs : sources whose members compare queries with few training samples only
    """

    def __init__(self, X: Any, n_nearest: int, few_pairs: Set[str] = frozenset()) -> None:
        self._given, self._n_nearest, self._few_pairs = X, n_nearest, few_pairs
        self._known: dict[Any, Pairwise] = {}

    def __len__(self) -> int:
        return len(self._given)

    def of(self, source: str, conversion: DissimilarityToSimilarity | None) -> Pairwise:
        """The queries of a source, as they came or converted."""
        if source not in self._known:
            block: Pairwise = self._given[source]
            few, n_blocks = source in self._few_pairs, len(self._given.blocks)
            self._known[source] = block if few else compared(block, n_blocks)
        if conversion is None:
            return self._known[source]
        key = source, conversion.maximum_
        if key not in self._known:
            self._known[key] = conversion.transform(self._known[source])
        return self._known[key]

    def searched(self, source: str, conversion: DissimilarityToSimilarity | None) -> Pairwise:
        """The same for members that ask for neighbours: they share one search."""
        key = source, None if conversion is None else conversion.maximum_, "searched"
        if key not in self._known:
            self._known[key] = remembering(self.of(source, conversion), self._n_nearest)
        return self._known[key]
