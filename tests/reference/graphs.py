"""NN-descent and the search along a graph, object by object; slow on purpose."""

import heapq

import numpy as np


def reference_joined(new, old):
    """All pairs of two new members, and of a new and an old one, of each neighbourhood."""
    pairs = set()
    for some, others in zip(new.tolist(), old.tolist(), strict=True):
        for a in some:
            for b in [*some, *others]:
                if a >= 0 and b >= 0 and a != b:
                    pairs.add((min(a, b), max(a, b)))
    return sorted(pairs)


def reference_offers(offers, n, k):
    """The k nearest of each row of all that was offered: larger keys, then lower columns."""
    offers = list(offers)
    rows = [sorted((-key, column) for row, column, key in offers if row == i)[:k] for i in range(n)]
    return [[(column, -key) for key, column in row] for row in rows]


def reference_descent(n, k, key, rng, *, tolerance=0.001, most_rounds=30):
    """Algorithm 2 of Dong, Charikar and Li (2011) with ρ = 1; neighbours and pairs compared."""
    near = [{} for _ in range(n)]  # of each object: neighbour -> whether it is new
    compared = 0

    def update(v, u):
        if u in near[v]:
            return 0
        near[v][u] = True
        if len(near[v]) <= k:
            return 1
        worst = max(near[v], key=lambda w: (-key(v, w), w))
        del near[v][worst]
        return int(worst != u)

    for v in range(n):
        others = [u for u in range(n) if u != v]
        near[v] = {int(u): True for u in rng.choice(others, size=k, replace=False)}
    for _ in range(most_rounds):
        new = [[u for u in near[v] if near[v][u]] for v in range(n)]
        old = [[u for u in near[v] if not near[v][u]] for v in range(n)]
        for v in range(n):
            for u in new[v]:
                near[v][u] = False
        for lists in (new, old):
            back = [[u for u in range(n) if v in lists[u]] for v in range(n)]
            for v in range(n):
                some = list(rng.permutation(back[v])[:k]) if back[v] else []
                lists[v] = sorted({*lists[v], *map(int, some)})
        changed, seen = 0, set()
        for v in range(n):
            for a, b in reference_joined(np.array([new[v]]), np.array([old[v]])):
                compared += (a, b) not in seen
                seen.add((a, b))
                changed += update(a, b) + update(b, a)
        if changed <= tolerance * n * k:
            break
    return [sorted(near[v], key=lambda u, v=v: (-key(v, u), u)) for v in range(n)], compared


def reference_search(k, edges, key, starts, width):
    """Best-first search of one query: the nearest that was not gone on from, until all were."""
    seen = {int(s): key(int(s)) for s in starts}
    gone_on = set()
    while True:
        pool = heapq.nsmallest(max(width, k), seen, key=lambda c: (-seen[c], c))
        ahead = [c for c in pool if c not in gone_on]
        if not ahead:
            return pool[:k], len(seen)
        gone_on.add(ahead[0])
        for c in edges[ahead[0]].tolist():
            if c >= 0 and c not in seen:
                seen[c] = key(c)
