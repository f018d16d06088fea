"""Several dissimilarities combined into one that suits nearest neighbours."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from similearn.data.checks import below_zero, require_seeds
from similearn.data.chunks import map_chunks
from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources
from similearn.errors import ConvergenceWarning, InputError, SimilearnWarning, warn
from similearn.estimators.combine.combining import (
    Learner,
    cross_validated,
    forward_selection,
    nonnegative_combination,
)
from similearn.estimators.shell.blocks import PairwiseInput
from similearn.estimators.shell.columns_out import ReferenceColumns, block_or_frame
from similearn.estimators.shell.labels import class_codes
from similearn.estimators.shell.parameters import (
    require_choice,
    require_integer,
    require_list,
    require_positive,
)
from similearn.estimators.shell.source_input import SourcesInput, column_ids, named_source
from similearn.numerics.linalg.units import divided, unit_of

METHODS = ("pythagorean", "weighted", "psd", "copositive")
CONES = ("polyhedral", "spn")
SOLVERS = ("cuts", "stochastic")
SELECTIONS = ("all", "forward")
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)


class DissimilarityCombiner(ReferenceColumns, SourcesInput, TransformerMixin, BaseEstimator):
    r"""Learn one dissimilarity :math:`\delta = \pi^\top A \pi` from M of them (CDNN).

    π holds the M dissimilarities of a pair of samples. A is chosen such that samples of the
    same class come nearer than others, by a margin: loss (2) of the slides.

    Parameters
    ----------
    method : {"copositive", "psd", "weighted", "pythagorean"}, default="copositive"
        Where A is sought. "pythagorean" learns nothing: the sum of squares, A = I.
        "weighted": diagonal, weights on the simplex up to a common scale, which the margin
        sets. "psd": positive semidefinite. "copositive": all A with δ ≥ 0, see `cone`.
    cone : {"polyhedral", "spn"}, default="polyhedral"
        Copositive matrices cannot be told from others in reasonable time. "polyhedral" asks
        for δ ≥ 0 of all training pairs. A query may still get a negative δ, which is set to
        zero with a warning. "spn", a semidefinite plus a nonnegative matrix,
        keeps δ ≥ 0 for every pair, at the price of a smaller set.
    n_targets : int or float, default=5
        p, how many nearest samples of its own class each sample should be near to; a float
        below one is a share of all training samples. Targets are near in every block, also
        in one of noise, which earns it weight the more samples there are: for more than a
        few hundred a share, such as 0.05, is safer.
    n_passes : int, default=5
        Targets are the nearest by the Pythagorean sum at first, and are chosen again by
        what was learned, so many times in all, or until they do not change.
    ridge : float, optional
        λ, for blocks that are scaled as `scale` says. None chooses it from `ridges`.
    ridges : sequence of floats, default=(1e-3, 1e-2, 1e-1, 1)
        Tried in cross-validation; of equally good ones the largest wins.
    n_neighbors : int, default=1
        Neighbourhood of the classifier by which `ridges` and blocks are judged.
    cv : int or splitter, default=5
    select : {"all", "forward"}, default="all"
        "forward" drops blocks that do not help before anything is learned: blocks are added
        one by one as long as the leave-one-out accuracy of their Pythagorean sum grows.
    scale : bool, default=True
        Divide each block by the root mean square of its training pairs first. If False, their
        proportions stay, and learning divides all by one number, so that λ means the same.
    symmetrize : bool, default=False
        Take the mean of both directions of an asymmetric block, instead of refusing it.
    solver : {"cuts", "stochastic"}, default="cuts"
        "cuts" collects tangents of the loss of all triples, solves small quadratic programs
        and knows how far it is from the optimum. "stochastic" is the algorithm of the
        slides, projected gradients of random triples, with averaging; its bound is loose.
    tol : float, default=1e-3
        Relative gap between objective and bound asked for, 1e-8 at the least; a
        `ConvergenceWarning` tells when it was not reached.
    max_iter : int, default=1000
        Rounds of "cuts", or steps of "stochastic".
    batch_size : int, default=1000
        Triples per step of "stochastic".
    random_state : int or None, default=None
        Draws the triples of "stochastic".
    n_jobs : int, optional
        Threads: folds at `fit`, rows at `transform`.

    Attributes
    ----------
    names_ : list of the blocks that are used, in their order
    A_ : (M, M), for blocks divided by ``units_``; any multiple of it gives the same neighbours
    units_ : (M,), powers of two; one for blocks whose largest value is within 1e±30
    scales_ : (M,), what blocks are divided by in learning
    ridge_ : float, or None for "pythagorean"
    cv_scores_ : (n_ridges,), held-out accuracies; None where nothing was chosen
    history_ : list of (objective, bound), one per iteration of the last pass
    n_iter_ : int, iterations of the last pass; 1 for "pythagorean"
    converged_ : bool
    selection_ : dict of blocks to leave-one-out accuracies in the order of their addition;
        None unless ``select="forward"``
    n_negative_ : int, negative values that the last `transform` clipped
    classes_ : (n_classes,) labels
    doors_ : what checks each source, and its unit

    Notes
    -----
    The loss is that of all triples (sample, target, sample of another class), which are
    never stored: a round costs O(n²(M² + p)), memory is M n²/2 numbers beside the blocks.
    Sources must be blocks of dissimilarities; convert similarities, Smith-Waterman scores
    among them, by a conversion of your choice (`similearn.convert`).

    X is `Sources`; one block or plain matrix of dissimilarities alone is the source "pairs".

    Where nothing is learned, A = 0, the Pythagorean sum takes its place, with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import DissimilarityCombiner, datasets
    >>> X, y = datasets.make_cylinder(60, return_X_y=True)
    >>> combiner = DissimilarityCombiner("weighted", ridge=0.01).fit(X, y)
    >>> weights = combiner.A_.diagonal() / combiner.A_.trace()
    >>> bool(weights[:2].sum() > 0.8)
    True
    >>> combiner.transform(X)
    <Pairwise: dissimilarity, 60 × 60>
    """

    kind = "dissimilarity"

    def __init__(
        self,
        method="copositive",
        *,
        cone="polyhedral",
        n_targets=5,
        n_passes=5,
        ridge=None,
        ridges=RIDGES,
        n_neighbors=1,
        cv=5,
        select="all",
        scale=True,
        symmetrize=False,
        solver="cuts",
        tol=1e-3,
        max_iter=1000,
        batch_size=1000,
        random_state=None,
        n_jobs=None,
    ):
        self.method = method
        self.cone = cone
        self.n_targets = n_targets
        self.n_passes = n_passes
        self.ridge = ridge
        self.ridges = ridges
        self.n_neighbors = n_neighbors
        self.cv = cv
        self.select = select
        self.scale = scale
        self.symmetrize = symmetrize
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Learn A from `Sources` of square dissimilarity blocks, and labels.

        Parameters
        ----------
        X : Sources of (n, n) dissimilarities, or one block or matrix of them
        y : (n,) class labels

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = self._training_sources(X, y)
        self.classes_, codes = class_codes(y)
        if np.bincount(codes).max() < 2:
            raise InputError(
                f"y holds {len(self.classes_)} classes among {len(y)} samples; expected one with "
                "two samples, so that some triple exists."
            )
        self.names_ = list(X)
        self.reference_ids_ = column_ids(X)
        self.n_negative_ = 0
        self.doors_ = {name: DissimilarityBlock() for name in self.names_}
        blocks = np.stack([self._training_values(X, name) for name in self.names_])
        self.units_ = np.array([unit_of(block) for block in blocks])
        if not self.scale:
            self.units_[:] = unit_of(blocks)
        blocks, scales = _scaled(blocks / self.units_[:, None, None], each=self.scale)
        self.scales_ = scales * self.units_
        if self.select == "forward":
            blocks = self._selected(blocks, codes)
        scales = self.scales_ / self.units_
        self.A_ = self._learned(blocks, codes) / np.outer(scales, scales)
        self.n_iter_ = max(len(self.history_), 1)
        return self

    def transform(self, X):
        """Combine blocks (m, n) of queries against the training samples.

        Returns
        -------
        A `Pairwise` (m, n), or an array if X is a plain matrix.
        """
        check_is_fitted(self)
        given, X = X, self._checked_sources(X)
        blocks = [self._query_values(X, name) for name in self.names_]

        def combine(rows):
            return nonnegative_combination(self._in_units([b[rows] for b in blocks]), self.A_)

        row_bytes = 8 * (2 * len(blocks) + 6) * blocks[0].shape[1]
        parts = map_chunks(combine, len(X), row_bytes=row_bytes, n_jobs=self.n_jobs)
        self.n_negative_ = sum(count for _, count in parts)
        if self.n_negative_:
            warn(
                f"{self.n_negative_} of {X.shape[0] * X.shape[1]} combined dissimilarities were "
                "negative and are now zero: the polyhedral cone rules that out for training "
                "pairs only. Use cone='spn' to rule it out for all.",
                SimilearnWarning,
                stacklevel=2,
            )
        values = np.concatenate([values for values, _ in parts])
        if not isinstance(given, (Sources, Pairwise)):
            return values
        first = X[self.names_[0]]
        made = first.with_values(values, kind="dissimilarity", reverse=None, self_values=None)
        return block_or_frame(self, made)

    def contributions(self, X):
        """Parts of δ by block: a dict of names to (m, n) arrays that sum to δ.

        The part of block l is π_l (Aπ)_l; a negative one draws a pair together.
        """
        check_is_fitted(self)
        X = self._checked_sources(X)
        blocks = self._in_units([self._query_values(X, name) for name in self.names_])
        parts = blocks * np.tensordot(self.A_, blocks, axes=1)
        return dict(zip(self.names_, parts, strict=True))

    def _in_units(self, blocks):
        """Blocks (M, m, n) divided by their units; what is beyond 1e100 counts as that."""
        return np.stack([divided(b, unit) for b, unit in zip(blocks, self.units_, strict=True)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags

    def _check_parameters(self):
        require_choice("method", self.method, METHODS)
        require_choice("cone", self.cone, CONES)
        require_choice("solver", self.solver, SOLVERS)
        require_choice("select", self.select, SELECTIONS)
        if not (isinstance(self.n_targets, float) and 0 < self.n_targets < 1):
            require_integer("n_targets", self.n_targets)
        for name in ("n_passes", "n_neighbors", "max_iter", "batch_size"):
            require_integer(name, getattr(self, name))
        require_positive("tol", self.tol)
        ridges = require_list("ridges", self.ridges) if self.ridge is None else [self.ridge]
        for ridge in ridges:
            require_positive("ridge", ridge)

    def _training_values(self, X, name):
        block = self._checked(X, name, lambda door, source: door._training_block(source)[0])
        if not self.symmetrize and not block.is_symmetric:
            raise InputError(
                f"Source {name!r} is asymmetric, and a dissimilarity is combined in one direction "
                "only. Pass symmetrize=True for the mean of both, or choose a direction yourself."
            )
        return block.both_directions()

    def _query_values(self, X, name):
        block = self._checked(X, name, lambda d, s: d._query_block(s))
        # The door forgets that training samples may come as queries; the source does not.
        return X[name].both_directions() if self.symmetrize else block.values

    def _checked(self, X, name, check):
        """One block, its faults told with its name."""
        source = named_source(X, name, type(self).__name__)
        if not isinstance(source, Pairwise):
            raise InputError(
                f"Source {name!r} is a table of features; {type(self).__name__} combines blocks of "
                "dissimilarities. Compare its rows first, see PairwiseSimilarity."
            )
        try:
            block = check(self.doors_[name], source)
        except InputError as error:
            raise InputError(f"Source {name!r}: {error}") from error
        fault = "is sparse" if block.is_sparse else None
        if fault is None and below_zero(block.values):
            fault = f"holds negative dissimilarities (the smallest is {block.values.min():g})"
            fault += f": Negative values in data passed to {type(self).__name__}"
        if fault is not None:
            raise InputError(
                f"Source {name!r} {fault}; expected dense values of at least 0, known for all "
                "pairs. Fill in, shift or convert it first."
            )
        return block

    def _selected(self, blocks, codes):
        """Drop the blocks that do not help."""
        order, scores, n_kept = forward_selection(blocks, codes, self.n_neighbors)
        self.selection_ = {self.names_[b]: float(s) for b, s in zip(order, scores, strict=True)}
        kept = sorted(order[:n_kept])
        self.names_ = [self.names_[b] for b in kept]
        self.scales_, self.units_ = self.scales_[kept], self.units_[kept]
        return blocks[kept]

    def _learned(self, blocks, codes):
        """A for scaled blocks."""
        if self.select == "all":
            self.selection_ = None
        self.ridge_, self.cv_scores_, self.history_, self.converged_ = None, None, [], True
        if self.method == "pythagorean":
            return np.eye(len(blocks))
        seeds = require_seeds(self.random_state)
        learner = self._learner(len(codes))
        given = self.ridge is not None
        self.ridge_ = (
            float(self.ridge) if given else self._chosen_ridge(learner, blocks, codes, seeds)
        )
        rng = np.random.default_rng(seeds)
        solution = learner.path(blocks, codes, [self.ridge_], rng)[0]
        self.history_, self.converged_ = solution.history, solution.converged
        self._warn(solution)
        return solution.matrix if solution.matrix.any() else np.eye(len(blocks))

    def _learner(self, n_samples):
        share = isinstance(self.n_targets, float)
        return Learner(
            self.method,
            self.cone,
            max(round(self.n_targets * n_samples), 1) if share else self.n_targets,
            self.n_passes,
            self.solver,
            self.tol,
            self.max_iter,
            self.batch_size,
        )

    def _chosen_ridge(self, learner, blocks, codes, seeds):
        ridges = sorted(float(ridge) for ridge in self.ridges)
        options = {"n_neighbors": self.n_neighbors, "cv": self.cv, "n_jobs": self.n_jobs}
        scores = cross_validated(learner, blocks, codes, ridges, seeds=seeds, **options)
        self.cv_scores_ = scores
        return float(ridges[len(ridges) - 1 - int(np.argmax(scores[::-1]))])

    def _warn(self, solution):
        if not solution.matrix.any():
            warn(
                f"Nothing was learned at ridge={self.ridge_:g}: A = 0. The Pythagorean sum is used "
                "instead; lower ridge.",
                SimilearnWarning,
                stacklevel=4,
            )
        elif not solution.converged:
            gap = solution.objective - solution.bound
            warn(
                f"A is not optimal to tol={self.tol:g}: the objective {solution.objective:.4g} may "
                f"be {gap:.2g} too large after {len(solution.history)} rounds. Raise max_iter"
                + (", or use solver='cuts'." if self.solver == "stochastic" else "."),
                ConvergenceWarning,
                stacklevel=4,
            )


class DissimilarityBlock(PairwiseInput, BaseEstimator):
    """The door of one block."""

    kind = "dissimilarity"
    _both_directions = False


def _scaled(blocks, *, each):
    """Blocks over the root mean square of their pairs, or of all; zeros are left alone."""
    n = blocks.shape[1]
    squares = np.einsum("mij,mij->m", blocks, blocks) / max(n * (n - 1), 1)
    squares = squares if each else np.full(len(blocks), squares.mean())
    scales = np.where(squares > 0, np.sqrt(squares), 1.0)
    return blocks / scales[:, None, None], scales
