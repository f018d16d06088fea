"""SVM-KNN: a support vector machine among the neighbours of each query (JMLR §2.1.4 and §7)."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled
from similearn.numerics.linalg.eigen import EPSILON, from_eigenvectors, make_eigen, to_eigenvectors
from similearn.numerics.linalg.elimination import eliminate
from similearn.numerics.linalg.local_spectrum import (
    CLIP,
    SHIFT,
    copy_upper,
    load,
    make_room,
    rule_code,
    treated_block,
)
from similearn.numerics.machines.smo import solve_svm
from similearn.numerics.scores.one_vs_one import add_decision, add_squashed

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

TOLERANCE = 1e-6
ONE_CLASS_MARGIN = 1.0
"""Decision for a class that is among the neighbours, against one that is not."""


def local_svm_scores(
    S: Floats,
    near: Indices,
    s: Floats,
    codes: Indices,
    n_classes: int,
    ks: Indices,
    Cs: Floats,
    spectrum: str,
    max_iter: int,
) -> tuple[Floats, int]:
    """Class scores of the machines among each query's neighbours.

    Parameters
    ----------
    S : (n, n), symmetric
    near : (m, K) neighbours of the queries, nearest first
    s : (m, K) similarities to them
    codes : (m, K) classes of the neighbours
    n_classes : G
    ks, Cs : (r,) neighbourhood and cost of each candidate
    spectrum : "clip", "flip" or "shift", done to the block among the neighbours
    max_iter : steps for each two-class machine

    Returns
    -------
    scores : (r, m, G), see `similearn.numerics.scores.one_vs_one.vote_scores`
    failed : how many machines were given up at `max_iter`

    Notes
    -----
    A class without a neighbour loses to every class with one by a decision of one, as if
    the others stood at the margin; a neighbourhood of one class needs no machine.
    Candidates of one k share the block and its spectrum. Cost O(k³) for each query
    and k, and the steps of the machines. Assumes checked input.
    """
    order = np.argsort(ks, kind="stable")
    scores = np.zeros((len(ks), len(s), n_classes))
    rule = rule_code(spectrum, ("clip", "flip", "shift"))
    failed = _all_queries(
        np.ascontiguousarray(S),
        np.ascontiguousarray(near),
        np.ascontiguousarray(s),
        np.ascontiguousarray(codes),
        np.ascontiguousarray(ks[order]),
        np.ascontiguousarray(Cs[order], dtype=np.float64),
        rule,
        max_iter,
        scores,
    )
    result = np.empty_like(scores)
    result[order] = scores
    return result, int(failed)


@compiled
def _all_queries(S, near, s, codes, ks, Cs, rule, max_iter, scores):  # type: ignore[no-untyped-def]
    widest = near.shape[1]
    room, eigen = make_room(widest), make_eigen(widest)
    kernel, query = np.zeros((widest, widest)), np.zeros(widest)
    failed = 0
    for i in range(s.shape[0]):
        load(S, near, i, room.block)
        done = 0
        for c in range(len(ks)):
            k = ks[c]
            if _one_class(codes[i], k):
                _answer_at_once(codes[i, 0], scores[c, i])
                continue
            if done != k:
                _treat(room, eigen, k, rule, s[i], kernel, query)
                done = k
            failed += _machines(kernel, query, codes[i, :k], Cs[c], max_iter, scores[c, i])
    return failed


@compiled
def _one_class(codes, k):  # type: ignore[no-untyped-def]
    for j in range(1, k):
        if codes[j] != codes[0]:
            return False
    return True


@compiled
def _answer_at_once(only, scores):  # type: ignore[no-untyped-def]
    """Scores where one class alone is among the neighbours."""
    present = np.zeros(len(scores), dtype=np.bool_)
    present[only] = True
    sums = np.zeros(len(scores))
    _beat_absent(present, scores, sums)
    _finish(scores, sums)


@compiled
def _beat_absent(present, scores, sums):  # type: ignore[no-untyped-def]
    """Every class with a neighbour wins against every class without."""
    for g in range(len(present)):
        for h in range(g + 1, len(present)):
            if present[g] != present[h]:
                decision = ONE_CLASS_MARGIN if present[h] else -ONE_CLASS_MARGIN
                add_decision(decision, g, h, scores, sums)


@compiled
def _finish(scores, sums):  # type: ignore[no-untyped-def]
    """Votes and sums to scores: with two classes half the decision each."""
    if len(scores) == 2:
        scores[0], scores[1] = 0.5 * sums[0], 0.5 * sums[1]
    else:
        add_squashed(sums, scores)


@compiled
def _treat(room, eigen, k, rule, s, kernel, query):  # type: ignore[no-untyped-def]
    """The block among the first k neighbours and the query's row, made a kernel's."""
    query[:k] = s[:k]
    if _safely_definite(room, k):
        for a in range(k):
            kernel[a, :k] = room.block[a, :k]
        return
    treated_block(room.block, k, rule, eigen, kernel)
    if rule == SHIFT:
        return
    values = eigen.values[:k]
    floor = k * EPSILON * max(abs(values.min()), abs(values.max()))
    to_eigenvectors(eigen, k, query)
    for j in range(k):
        if abs(values[j]) <= floor or (rule == CLIP and values[j] < 0.0):
            query[j] = 0.0
        elif values[j] < 0.0:
            query[j] = -query[j]
    from_eigenvectors(eigen, k, query)


@compiled
def _safely_definite(room, k):  # type: ignore[no-untyped-def]
    """Whether all eigenvalues are positive beyond rounding: then nothing need be changed."""
    largest = 0.0
    for i in range(k):
        largest = max(largest, np.abs(room.block[i, :k]).max())
    margin = 8.0 * k * k * EPSILON * largest
    copy_upper(room.block, k, -margin, room.factor)
    room.least[:k] = 0.0
    return eliminate(room.factor, k, room.least, True, room.inverse) == k


@compiled
def _machines(kernel, query, codes, C, max_iter, scores):  # type: ignore[no-untyped-def]
    """One machine for each pair of classes among the neighbours; returns how many failed."""
    k, n_classes = len(codes), len(scores)
    present, sums = np.zeros(n_classes, dtype=np.bool_), np.zeros(n_classes)
    for j in range(k):
        present[codes[j]] = True
    members, signs = np.empty(k, dtype=np.intp), np.empty(k)
    v, gradient, own = np.empty(k), np.empty(k), np.empty((k, k))
    failed = 0
    for g in range(n_classes):
        for h in range(g + 1, n_classes):
            if present[g] and present[h]:
                p = _gather(codes, g, h, kernel, members, signs, own)
                decision, solved = solve_svm(
                    own[:p, :p], signs[:p], C, TOLERANCE, max_iter, v[:p], gradient[:p]
                )
                for t in range(p):
                    decision += v[t] * query[members[t]]
                add_decision(decision, g, h, scores, sums)
                failed += not solved
    _beat_absent(present, scores, sums)
    _finish(scores, sums)
    return failed


@compiled
def _gather(codes, g, h, kernel, members, signs, own):  # type: ignore[no-untyped-def]
    """Positions, signs and kernel of the neighbours in two classes; returns how many."""
    p = 0
    for j in range(len(codes)):
        if codes[j] == g or codes[j] == h:
            members[p] = j
            signs[p] = 1.0 if codes[j] == h else -1.0
            p += 1
    for a in range(p):
        for b in range(p):
            own[a, b] = kernel[members[a], members[b]]
    return p
