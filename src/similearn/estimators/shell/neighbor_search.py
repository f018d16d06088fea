"""`kneighbors`, of all classifiers that look at the nearest training samples."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from similearn.data.pairwise import Pairwise
from similearn.data.stored.whole_searches import all_nearest
from similearn.errors import InputError
from similearn.estimators.shell.parameters import require_neighbors


class NeighborSearch:
    """Mixin of classifiers of blocks with a parameter ``n_neighbors``.

    The training block is kept as it was passed, without a copy, for `kneighbors` of the
    training samples; it is left out of pickles and model files. Every question about queries
    begins with their neighbours: the search checks that they are finite.

    Of a training block with a table of neighbours that is not exact, ``recall_`` is the share of
    the true nearest that it holds, and ``graph_`` its neighbours, along which those of queries
    are searched; otherwise there are no such attributes.
    """

    _search_comes_first = True
    _asks_only = True

    def _check_training(self, X, y):
        block, y = super()._check_training(X, y)
        self._training = block
        for name in ("recall_", "graph_"):
            vars(self).pop(name, None)  # of a fit before
        if getattr(block, "graph", None) is not None:
            self.graph_, self.recall_ = block.graph
        return block, y

    def _check_queries(self, X):
        block = super()._check_queries(X)
        return block.knowing_neighbors(self._most_neighbors, along=vars(self).get("graph_"))

    def _check_own_block(self, X):
        return super()._check_own_block(X).knowing_neighbors(self._most_neighbors, skip_self=True)

    @property
    def _most_neighbors(self):
        return max(self._values_of("n_neighbors", self._candidates))

    def __getstate__(self):
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_training"}

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Find the nearest training samples of each query, as scikit-learn's namesake does.

        Parameters
        ----------
        X : Pairwise, array, CSR matrix or DataFrame of shape (m, n), optional
            Queries against the training samples. Without it, the training samples are the
            queries, and none is a neighbour of itself.
        n_neighbors : int, optional
            How many; by default those of the estimator.
        return_distance : bool, default=True
            Whether to return the values too.

        Returns
        -------
        values : (m, n_neighbors), nearest first
            Similarities, largest first, or dissimilarities, smallest first: whichever the
            block holds, never converted to distances; of asymmetric data the means of both
            directions. inf where a sparse dissimilarity knows no further neighbour. Only if
            `return_distance`.
        neighbors : (m, n_neighbors), positions among the training samples
        """
        check_is_fitted(self)
        itself = X is None
        block = self._known_training() if itself else self._queries(X)
        k = require_neighbors(
            self.n_neighbors if n_neighbors is None else n_neighbors, block.shape[1] - itself
        )
        along = vars(self).get("graph_")
        block = block.knowing_neighbors(k, skip_self=itself, along=along)
        neighbors, values = all_nearest(block, k, skip_self=itself, n_jobs=self.n_jobs)
        return (values, neighbors) if return_distance else neighbors

    def _known_training(self, what="kneighbors() of the training samples", instead="Pass X, or"):
        if not hasattr(self, "_training"):
            raise InputError(
                f"{what} needs the training block, which is not kept in a file. {instead} fit "
                "again."
            )
        return self._training


def among_or_whole(references, near):
    """Symmetric similarities among neighbours, and where they are found in them.

    Of a dense matrix itself, from which they are gathered on the way, and `near`; of CSR and of a
    lazy block those among neighbours alone, (m, k, k), and None.
    """
    if isinstance(references, np.ndarray):
        return references, near
    if sparse.issparse(references):
        references = Pairwise.unchecked(
            values=references, kind="similarity", same_samples=True, is_symmetric=True
        )
    return references.among(near), None
