"""Named blocks of the samples that the members learn from, cut by folds."""

import numpy as np
from sklearn.base import clone

from similearn.data.graphs.search_choice import PATIENCE, seconds_per_pair
from similearn.data.lazy.allowed_memory import most_bytes, working_bytes
from similearn.numerics.linalg.units import unit_of


def compared(block, n_blocks=1):
    """A block, one of several, with its values; a lazy one as it is where memory has no room.

    What is cut and converted of it takes twice as much again: half of what one block may take.
    """
    fits = block.is_lazy and block.nbytes * n_blocks <= most_bytes() // 2
    return block.computed() if fits else block


class Blocks:
    """Named blocks of the same samples: iterable, with a length, cut by folds and by rows."""

    def __init__(self, blocks):
        self.blocks = blocks

    def __iter__(self):
        return iter(self.blocks)

    def __len__(self):
        return len(next(iter(self.blocks.values())))

    def __getitem__(self, name):
        return self.blocks[name]

    def unit(self, name):
        """How large the similarities of a training block are; one for dissimilarities.

        What these are converted to is within [0, 1], whatever they are measured in.
        """
        block = self.blocks[name]
        return size_of_similarities(block) if block.kind == "similarity" else 1.0

    def settle(self):
        """Compare lazy blocks once for all members; tell why not those that take too long.

        A block that memory cannot hold stays lazy, for the members that can do with that.
        """
        slow = {name: why_slow(block) for name, block in self.blocks.items()}
        for name, reason in slow.items():
            if reason is None:
                self.blocks[name] = compared(self.blocks[name], len(self.blocks))
        return {name: reason for name, reason in slow.items() if reason is not None}

    def close(self):
        """Let go of what was kept for the next stage."""

    def cut(self, name, train, held_out):
        """Training and query block of one fold."""
        block = self.blocks[name]
        return block[np.ix_(train, train)], block[np.ix_(held_out, train)]


class LearnedBlocks(Blocks):
    """Blocks of a similarity that is learned from labels: learned anew for every fold."""

    def __init__(self, blocks, comparison, objects, y):
        super().__init__(blocks)
        self.comparison, self.objects, self.y = comparison, objects, y
        self._cut = {}

    def cut(self, name, train, held_out):
        """Training and query block of one fold; held-out labels are not looked at.

        Kept for the next stage, as far as working memory goes: they take longer than all members
        of some.
        """
        fold = held_out.tobytes()
        if fold in self._cut:
            return self._cut[fold]
        comparison = clone(self.comparison)
        made = comparison.fit_transform(_taken(self.objects, train), self.y[train])
        made = made, comparison.transform(_taken(self.objects, held_out))
        kept = [block.nbytes for blocks in (*self._cut.values(), made) for block in blocks]
        if sum(kept) <= working_bytes() // 4:
            self._cut[fold] = made
        return made

    def close(self):
        """Let go of the blocks of all folds."""
        self._cut = {}


def size_of_similarities(block):
    """How large similarities are: what ridges and costs are measured by.

    The mean magnitude of self-similarities, or the root mean square of all that is stored where
    that is larger, as where the diagonal is zero.
    """
    if block.is_lazy:  # as memory cannot hold it
        own = stored = block.at(np.arange(len(block))[:, None]).ravel()
    else:
        values = block.values
        own, stored = values.diagonal(), values.data if block.is_sparse else values.ravel()
    unit = unit_of(stored)  # beyond it squares may be no numbers
    if unit != 1.0:
        own, stored = own / unit, stored / unit
    spread = np.linalg.norm(stored) / np.sqrt(max(stored.size, 1))
    return float(max(np.abs(own).mean(), spread) * unit) or 1.0


def why_slow(block):
    """Why comparing all pairs of a lazy block takes too long, by a few that are timed; or None."""
    if not block.is_lazy:
        return None
    seconds = len(block) * (len(block) - 1) / 2 * seconds_per_pair(block.source)
    if seconds <= PATIENCE:
        return None
    return f"comparing all pairs by {block.source.name} would take {seconds:.2g} s"


def _taken(objects, positions):
    if hasattr(objects, "iloc"):
        return objects.iloc[positions]
    if hasattr(objects, "shape"):
        return objects[positions]
    return [objects[i] for i in positions]
