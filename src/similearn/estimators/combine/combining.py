"""How a combination of dissimilarities is learned: passes over targets, and the choice of λ."""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from similearn.data.chunks import n_workers
from similearn.data.pairwise import Pairwise
from similearn.estimators.neighbors.classifier import NeighborsClassifier
from similearn.estimators.shell.splits import stratified_splits
from similearn.numerics.combine.cdnn import Bundle, minimize_by_cuts, minimize_by_samples
from similearn.numerics.combine.cones import (
    Diagonal,
    Polyhedral,
    Semidefinite,
    SemidefinitePlusNonnegative,
)
from similearn.numerics.combine.triples import (
    combined,
    delta_matrix,
    make_triples,
    pair_vectors,
    square,
)

ROUGH = 1e-2  # relative gap of all passes but the last, which only choose targets


@dataclass(frozen=True)
class Learner:
    """Settings of the learning of A; see `DissimilarityCombiner`."""

    method: str
    cone: str
    n_targets: int
    n_passes: int
    solver: str
    tol: float
    max_iter: int
    batch_size: int

    def path(self, blocks, codes, ridges, rng=None):
        """Solutions for every ridge, from symmetric blocks (M, n, n) and class codes."""
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
        pairs = pair_vectors(blocks[:, order[:, None], order])
        delta = square(combined(pairs, np.eye(len(pairs))), len(codes))
        bundle = self._bundle(pairs, codes, delta)
        found, start = {}, None
        for ridge in sorted(set(ridges), reverse=True):  # from simple to complex, warmly started
            solution = self._minimized(bundle, ridge, start, rng, last=self.n_passes == 1)
            start = solution.matrix
            found[ridge] = self._further_passes(bundle, codes, ridge, solution, rng)
        return [found[ridge] for ridge in ridges]

    def _further_passes(self, bundle, codes, ridge, solution, rng):
        """Choose targets again under what was learned, and learn again."""
        for number in range(1, self.n_passes):
            before = bundle.triples
            delta = delta_matrix(before, solution.matrix)
            again = self._bundle(before.pairs, codes, delta, bundle.cone)
            same = np.array_equal(again.triples.targets, before.targets)
            bundle, last = (bundle if same else again), same or number == self.n_passes - 1
            solution = self._minimized(bundle, ridge, solution.matrix, rng, last=last)
            if last:
                break
        return solution

    def _bundle(self, pairs, codes, delta, cone=None):
        triples = make_triples(pairs, codes, delta, self.n_targets)
        return Bundle(triples, self._cone(pairs) if cone is None else cone)

    def _cone(self, pairs):
        if self.method == "weighted":
            return Diagonal(len(pairs))
        if self.method == "psd":
            return Semidefinite(len(pairs))
        if self.cone == "spn":
            return SemidefinitePlusNonnegative(len(pairs))
        return Polyhedral(len(pairs), pairs)

    def _minimized(self, bundle, ridge, start, rng, *, last):
        tol = self.tol if last else max(self.tol, ROUGH)
        if self.solver == "cuts":
            return minimize_by_cuts(bundle, ridge, start=start, tol=tol, max_iter=self.max_iter)
        return minimize_by_samples(
            bundle,
            ridge,
            rng=rng,
            start=start,
            tol=tol,
            n_steps=self.max_iter,
            batch_size=self.batch_size,
        )


def nonnegative_combination(blocks, A):
    """πᵀAπ of blocks (M, m, n), clipped at zero; and how many entries were negative.

    Those within 1e-8 of zero, relative to the norms of A and ππᵀ, are rounding.
    """
    pairs = blocks.reshape(len(blocks), -1)
    delta = combined(pairs, A)
    limit = -1e-8 * np.linalg.norm(A) * np.einsum("mn,mn->n", pairs, pairs)
    n_negative = int(np.count_nonzero(delta < limit))
    return np.maximum(delta, 0.0).reshape(blocks.shape[1:]), n_negative


def cross_validated(learner, blocks, codes, ridges, *, n_neighbors, cv, seeds, n_jobs):
    """Shares of held-out samples that the k nearest neighbours get right, for each ridge."""
    folds = stratified_splits("cv", cv, codes, int(np.bincount(codes).max()))
    rights = Parallel(n_jobs=n_workers(n_jobs), prefer="threads")(
        delayed(_rights_of_fold)(learner, blocks, codes, ridges, n_neighbors, fold, seed)
        for fold, seed in zip(folds, seeds.spawn(len(folds)), strict=True)
    )
    return np.sum(rights, axis=0) / sum(len(test) for _, test in folds)


def _rights_of_fold(learner, blocks, codes, ridges, n_neighbors, fold, seed):
    train, test = fold
    path = learner.path(
        blocks[:, train[:, None], train], codes[train], ridges, np.random.default_rng(seed)
    )
    queries = blocks[:, test[:, None], train]
    labels = [nearest_labels(queries, s.matrix, codes[train], n_neighbors) for s in path]
    return [np.count_nonzero(guessed == codes[test]) for guessed in labels]


def nearest_labels(queries, A, codes, n_neighbors):
    """Labels of queries (M, m, n) by their nearest neighbours under A."""
    n = len(codes)
    if codes.min() == codes.max():  # a fold may hold the only sample of the other class
        return np.full(queries.shape[1], codes[0])
    model = NeighborsClassifier(min(n_neighbors, n), kind="dissimilarity")
    model.fit(Pairwise(np.zeros((n, n)), "dissimilarity"), codes)
    delta, _ = nonnegative_combination(queries, A)
    return model.predict(Pairwise(delta, "dissimilarity", same_samples=False))


def forward_selection(blocks, codes, n_neighbors):
    """Blocks to keep: added one by one, judged by leave-one-out errors of their squared sum.

    Parameters
    ----------
    blocks : (M, n, n), scaled
    codes : (n,)

    Returns
    -------
    order : list of all blocks, as they were added
    scores : (M,), share of samples that are right with each block and those before it
    n_kept : the fewest blocks with the best score
    """
    left, order, scores = list(range(len(blocks))), [], []
    total = np.zeros(blocks.shape[1:])
    while left:
        rights = [_leave_one_out(total + blocks[b] ** 2, codes, n_neighbors) for b in left]
        best = int(np.argmax(rights))
        total = total + blocks[left[best]] ** 2
        order.append(left.pop(best))
        scores.append(rights[best])
    return order, np.array(scores), int(np.argmax(scores)) + 1


def _leave_one_out(delta, codes, n_neighbors):
    model = NeighborsClassifier(min(n_neighbors, len(codes) - 1), kind="dissimilarity")
    block = Pairwise(delta, "dissimilarity")
    model.fit_path(block, codes, [{}], leave_one_out=True)
    scores = model.path_scores(block)[0]
    return float(np.mean(model.classes_[scores.argmax(axis=1)] == codes))
