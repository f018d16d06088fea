"""Keys of samples to exemplars, asked of blocks of any form."""

import numpy as np

from similearn.data.lazy.tile_search import tile


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
        self.dense = [
            None if block.is_lazy or block.is_sparse else block.both_directions()
            for block in blocks
        ]

    def __len__(self):
        return len(self.blocks[0])

    def __call__(self, source, rows, columns):
        """Keys (r, c) by one source."""
        block, values = self.blocks[source], self.dense[source]
        if values is not None:
            found = values[rows[:, None], columns]
        elif block.is_lazy:
            found = tile(block.source, rows, columns, averages=block._averages)
        else:
            found = block.columns(columns, rows, both=True, unknown=self.farthest[source])
        return found if block.large_is_near else np.negative(found)

    @property
    def in_threads(self):
        """Whether threads can compare side by side; processes must do it if not."""
        return all(not b.is_lazy or b.source.releases_lock for b in self.blocks)
