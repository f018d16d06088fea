"""A weighted sum of kernels, learned for support vector machines (simple MKL)."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources
from similearn.errors import ConvergenceWarning, InputError, warn
from similearn.estimators.machines.similarity_svc import KernelInUnit, pair_machines
from similearn.estimators.shell.blocks import PairwiseInput
from similearn.estimators.shell.columns_out import ReferenceColumns, block_or_frame
from similearn.estimators.shell.labels import class_codes
from similearn.estimators.shell.parameters import require_integer, require_positive
from similearn.estimators.shell.source_input import SourcesInput, column_ids, named_source
from similearn.numerics.combine.cones import project_on_simplex
from similearn.numerics.linalg.spectrum import modified, spectrum_map
from similearn.numerics.linalg.units import divided, unit_of

MOST_STEPS = 1_000_000
"""Steps of libsvm after which its machines are taken as they are."""


class KernelCombiner(ReferenceColumns, SourcesInput, TransformerMixin, BaseEstimator):
    r"""Learn a kernel :math:`\sum_\ell w_\ell K_\ell`, weights on the simplex.

    Each similarity block is made a kernel by clipping its spectrum (`SpectrumTransformer`),
    and scaled to a mean self-similarity of one. The weights minimize the objective of the
    support vector machines, one against one, that the sum is for; `SimilaritySVC` follows.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors of the machines.
    tol : float, default=1e-2
        Duality gap asked for, relative to the objective.
    max_iter : int, default=100
        Steps of the weights; a `ConvergenceWarning` tells when they did not suffice.

    Attributes
    ----------
    names_ : list of sources
    weights_ : (M,), nonnegative, summing to one
    history_ : list of objectives
    n_iter_ : int, weights that were tried and kept, the first equal ones included
    gap_ : float, relative duality gap
    classes_ : (n_classes,) labels
    doors_ : what checks each source, and its unit

    Notes
    -----
    X is `Sources`; one block or plain matrix of similarities alone is the source "pairs".

    The counterpart of `DissimilarityCombiner` among kernels (Lanckriet et al. 2004;
    SimpleMKL). Projected gradients with halved steps; each costs one SVM. Query rows s of a
    block become P s with the map P of its training matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import KernelCombiner, Pairwise, SimilaritySVC, Sources, datasets
    >>> made = datasets.make_similarities(60, bayes_error=0.05)
    >>> noise = np.cov(np.random.default_rng(0).standard_normal((60, 90)))
    >>> X = Sources({"made": made.data, "noise": Pairwise(noise, "similarity")})
    >>> model = make_pipeline(KernelCombiner(), SimilaritySVC()).fit(X, made.target)
    >>> bool(model[0].weights_[0] > 0.5)
    True
    """

    kind = "similarity"

    def __init__(self, C=1.0, *, tol=1e-2, max_iter=100):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Learn the weights from square similarity blocks, and labels.

        Parameters
        ----------
        X : Sources of (n, n) similarities, or one block or matrix of them
        y : (n,) class labels

        Returns
        -------
        self
        """
        require_positive("C", self.C)
        require_positive("tol", self.tol)
        require_integer("max_iter", self.max_iter)
        X, y = self._training_sources(X, y)
        self.classes_, codes = class_codes(y)
        self.names_ = list(X)
        self.reference_ids_ = column_ids(X)
        self.doors_ = {name: SimilarityBlock() for name in self.names_}
        kernels = np.stack([self._kernel(X, name) for name in self.names_])
        self._descend(kernels, codes)
        return self

    def transform(self, X):
        """Sum the modified similarities (m, n) of queries.

        Returns
        -------
        A `Pairwise` (m, n), or an array if X is a plain matrix.
        """
        check_is_fitted(self)
        given, X = X, self._checked_sources(X)
        total = np.zeros(X.shape)
        for name, weight in zip(self.names_, self.weights_, strict=True):
            block = self._block(X, name, lambda door, source: door._query_block(source))
            door = self.doors_[name]
            if weight > 0:
                rows = door.spectrum_map_.rows(divided(block.rows(both=True), door.unit_))
                total += weight / door.scale_ * rows
        if not isinstance(given, (Sources, Pairwise)):
            return total
        first = X[self.names_[0]]
        made = first.with_values(total, kind="similarity", reverse=None, self_values=None)
        return block_or_frame(self, made)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _kernel(self, X, name):
        """Clip and scale one block, and keep the map and the scale for queries."""
        block = self._block(X, name, lambda door, source: door._training_block(source)[0])
        door, S = self.doors_[name], block.rows(both=True)
        door.unit_ = unit_of(S)
        S = S / door.unit_
        door.spectrum_map_ = spectrum_map(S, "clip")
        kernel = modified(S, door.spectrum_map_)
        door.scale_ = float(kernel.diagonal().mean()) or 1.0
        return kernel / door.scale_

    def _block(self, X, name, check):
        source = named_source(X, name, type(self).__name__)
        if not isinstance(source, Pairwise):
            raise InputError(
                f"Source {name!r} is a table of features; {type(self).__name__} sums blocks of "
                "similarities. Compare its rows first, see PairwiseSimilarity."
            )
        try:
            return check(self.doors_[name], source)
        except InputError as error:
            raise InputError(f"Source {name!r}: {error}") from error

    def _descend(self, kernels, codes):
        weights, step = np.full(len(kernels), 1 / len(kernels)), 1.0
        value, gains = self._machine(kernels, weights, codes)
        self.history_ = [value]
        for _ in range(self.max_iter):
            self.gap_ = (gains.max() - weights @ gains) / value
            if self.gap_ <= self.tol:
                break
            while step > 1e-12:
                moved = project_on_simplex(weights + step / gains.max() * gains)
                lower, after = self._machine(kernels, moved, codes)
                if lower < value:
                    break
                step /= 2
            else:
                break
            weights, value, gains, step = moved, lower, after, 2 * step
            self.history_.append(value)
        self.weights_ = weights
        self.n_iter_ = len(self.history_)
        if self.gap_ > self.tol:
            warn(
                f"The weights of kernels have a relative gap of {self.gap_:.2g} after "
                f"{len(self.history_) - 1} steps, above tol={self.tol:g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _machine(self, kernels, weights, codes):
        """Dual objective of all pairs of classes, and what each kernel takes off it."""
        kernel = np.tensordot(weights, kernels, axes=1)
        scaled = KernelInUnit.of(kernel)
        machines = pair_machines(scaled, codes, self.C, tol=1e-5, max_iter=MOST_STEPS)
        duals = machines.duals.toarray()
        gains = np.array([np.einsum("ip,ip->", duals, K @ duals) / 2 for K in kernels])
        return float(np.abs(duals).sum() - weights @ gains), gains


class SimilarityBlock(PairwiseInput, BaseEstimator):
    """The door of one block, and how it was made a kernel."""

    kind = "similarity"
