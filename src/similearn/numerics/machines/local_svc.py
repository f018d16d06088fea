"""SVM-KNN: a support vector machine among the neighbours of each query (JMLR §2.1.4 and §7)."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled_fused, compiled_within
from similearn.numerics.linalg.local_spectrum import (
    EPSILON,
    check_spectrum,
    definite_sizes,
    from_spectrum,
    leading,
    treated_values,
)
from similearn.numerics.machines.smo import solve_svm
from similearn.numerics.neighbors.weights import Batch, largest_entries
from similearn.numerics.scores.one_vs_one import with_sums

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

TOLERANCE = 1e-6
ONE_CLASS_MARGIN = 1.0
"""Decision for a class that is among the neighbours, against one that is not."""
_FAR = 1e100


def local_svm_scores(
    S: Floats,
    near: Indices | None,
    s: Floats,
    codes: Indices,
    n_classes: int,
    ks: Indices,
    Cs: Floats,
    spectrum: str,
    max_iter: int,
    weights: Floats | None = None,
) -> tuple[Floats, int]:
    """Class scores of the machines among each query's neighbours.

    Parameters
    ----------
    S : (n, n), symmetric; without `near`, the blocks (m, K, K) among the neighbours
    near : (m, K) neighbours of the queries, nearest first
    s : (m, K) similarities to them
    codes : (m, K) classes of the neighbours
    n_classes : G
    ks, Cs : (r,) neighbourhood and cost of each candidate
    spectrum : "clip", "flip" or "shift", done to the block among the neighbours
    max_iter : steps for each two-class machine
    weights : (m, K), by which the cost of each neighbour is multiplied; all one by default.
        Neighbours of weight zero are not there.

    Returns
    -------
    scores : (r, m, G), see `similearn.numerics.scores.one_vs_one.vote_scores`
    failed : how many machines were given up at `max_iter`

    Notes
    -----
    A class without a neighbour loses to every class with one by a decision of one, as if
    the others stood at the margin; a neighbourhood of one class needs no machine.
    Candidates of one k share the block and its spectrum. Blocks are brought to units of their
    own and C with them, so that decisions do not depend on the unit. Cost O(k³) for each query
    and k, and the steps of the machines. Assumes checked input.
    """
    check_spectrum(spectrum, ("clip", "flip", "shift"))
    scores, failed = np.empty((len(ks), len(s), n_classes)), 0
    codes, ks = np.asarray(codes, dtype=np.intp), np.asarray(ks, dtype=np.intp)
    weights = np.ones(codes.shape) if weights is None else weights
    for part, blocks, rows in Batch(S, s, near).parts():
        for k in np.unique(ks):
            which = np.flatnonzero(ks == k)
            kernels, queries, boxes = _in_units(leading(blocks, k), rows[:, :k], Cs[which])
            kernels, queries = _treated(kernels, queries, spectrum)
            votes, sums = np.zeros((2, len(rows), len(which), n_classes))
            failed += _machines(
                as_input(kernels),
                as_input(queries),
                as_input(codes[part, :k], np.intp),
                as_input(boxes),
                as_input(weights[part, :k]),
                max_iter,
                np.empty((k, k)),
                np.empty((4, k)),
                np.empty(k, dtype=np.uintp),
                np.empty(n_classes, dtype=np.bool_),
                votes,
                sums,
            )
            scores[which, part] = np.moveaxis(with_sums(votes, sums), 1, 0)
    return scores, failed


def _in_units(blocks: Floats, rows: Floats, Cs: Floats) -> tuple[Floats, Floats, Floats]:
    """Blocks and rows over the size of each block; and Cs (m, r) times it: decisions stay."""
    exponents = np.frexp(largest_entries(blocks))[1]
    with np.errstate(over="ignore"):
        boxes = np.ldexp(Cs, exponents[:, None])
        rows = np.ldexp(rows, -exponents[:, None])
    blocks = np.ldexp(blocks, -exponents[:, None, None])
    # Beyond these bounds a machine separates at any cost, or not at all.
    return blocks, np.clip(rows, -_FAR, _FAR), np.clip(boxes, 1 / _FAR, _FAR)


def _treated(blocks: Floats, rows: Floats, spectrum: str) -> tuple[Floats, Floats]:
    """Blocks among the neighbours and the queries' rows, made a kernel's."""
    k = rows.shape[1]
    # Where all eigenvalues are positive beyond rounding, nothing need be changed.
    margins = 8.0 * k * k * EPSILON * largest_entries(blocks)
    sizes = definite_sizes(blocks, np.broadcast_to(-margins[:, None], rows.shape))
    rest = np.flatnonzero(sizes < k)
    if len(rest):
        values, vectors = np.linalg.eigh(blocks[rest])
        blocks, rows = blocks.copy(), rows.copy()
        blocks[rest] = from_spectrum(treated_values(values, spectrum), vectors)
        if spectrum != "shift":
            floor = k * EPSILON * np.abs(values).max(axis=1, keepdims=True)
            signs = np.where(np.abs(values) > floor, np.sign(values), 0.0)
            signs = np.maximum(signs, 0.0) if spectrum == "clip" else signs
            along = (rows[rest, None, :] @ vectors) * signs[:, None, :]
            rows[rest] = (along @ vectors.swapaxes(1, 2))[:, 0]
    return blocks, rows


@compiled_fused
def _machines(  # type: ignore[no-untyped-def]
    kernels, queries, codes, boxes, weights, max_iter, own, room, members, present, votes, sums
):
    """One machine for each pair of classes among the neighbours; returns how many failed."""
    k, n_classes, failed = np.uintp(queries.shape[1]), np.uintp(len(present)), 0
    signs, v, gradient, costs = room[0], room[1], room[2], room[3]
    for q in range(np.uintp(len(queries))):
        for g in range(n_classes):
            present[g] = False
        for j in range(k):
            present[np.uintp(codes[q, j])] |= weights[q, j] > 0.0
        for g in range(n_classes):
            for h in range(g + np.uintp(1), n_classes):
                if not (present[g] or present[h]):
                    continue
                both = present[g] and present[h]
                if both:
                    p = _gather(kernels, codes, weights, q, g, h, own, signs, members)
                for c in range(np.uintp(boxes.shape[1])):
                    decision = ONE_CLASS_MARGIN if present[h] else -ONE_CLASS_MARGIN
                    if both:
                        for t in range(np.uintp(p)):
                            costs[t] = boxes[q, c] * weights[q, members[t]]
                        decision, solved = solve_svm(
                            own, p, signs, costs, TOLERANCE, max_iter, v, gradient
                        )
                        for t in range(np.uintp(p)):
                            decision += v[t] * queries[q, members[t]]
                        failed += not solved
                    votes[q, c, h if decision > 0.0 else g] += 1.0
                    sums[q, c, h] += decision
                    sums[q, c, g] -= decision
    return failed


@compiled_within
def _gather(kernels, codes, weights, q, g, h, own, signs, members):  # type: ignore[no-untyped-def]
    """Positions, signs and kernel of the neighbours in two classes; returns how many."""
    p = np.uintp(0)
    for j in range(np.uintp(len(members))):
        code = np.uintp(codes[q, j])
        if (code == g or code == h) and weights[q, j] > 0.0:
            members[p] = j
            signs[p] = 1.0 if code == h else -1.0
            p += np.uintp(1)
    for a in range(p):
        for b in range(p):
            own[a, b] = kernels[q, members[a], members[b]]
    return np.intp(p)
