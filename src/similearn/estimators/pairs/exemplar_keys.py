"""Keys of samples to exemplars, asked of blocks of any form."""

import numpy as np
from scipy import sparse

from similearn.data.lazy.tile_search import tile
from similearn.numerics.linalg.diagnosis import StoredEntries


class ExemplarKeys:
    """``keys(source, rows, columns)``: how near some rows are to some columns, of each source.

    Larger is nearer; of asymmetric data it is the mean of both directions.

    Parameters
    ----------
    blocks : list of `Pairwise`, checked
    farthest : of each, what a sparse dissimilarity does not know counts as
    """

    def __init__(self, blocks, farthest):
        self.blocks, self.farthest = blocks, farthest
        self.stored = [_stored(*one) for one in zip(blocks, farthest, strict=True)]

    def __len__(self):
        return len(self.blocks[0])

    def __call__(self, source, rows, columns):
        """Keys (r, c) by one source."""
        block, values = self.blocks[source], self.stored[source]
        if block.is_lazy:
            found = tile(block.source, rows, columns, averages=block._averages)
        elif isinstance(values, StoredEntries):
            found = values.at(*np.broadcast_arrays(rows[:, None], columns))
        else:
            found = values[rows[:, None], columns]
        return found if block.large_is_near else np.negative(found)

    @property
    def in_threads(self):
        """Whether threads can compare side by side; processes must do it if not."""
        return all(not b.is_lazy or b.source.releases_lock for b in self.blocks)


def _stored(block, farthest):
    """The mean of both directions, where it is there to be looked up."""
    if block.is_lazy:
        return None
    values = block.both_directions()
    return StoredEntries(values, farthest) if sparse.issparse(values) else values
