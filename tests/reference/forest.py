"""A proximity tree as Lucas et al. (2019) describe it, sample by sample; slow on purpose."""

import numpy as np


def gini(labels):
    """1 - Σ shares²."""
    return 1.0 - sum((labels.count(g) / len(labels)) ** 2 for g in set(labels))


def nearest_of(keys, sample, exemplars):
    """The nearest exemplar, that of lower position if several are."""
    return min(exemplars, key=lambda e: (-keys[sample, e], e))


def reference_tree(keys, codes, growth, generator):
    """Nodes as nested dicts; the generator is asked for the same numbers as by `grow`."""
    root = {"members": list(range(len(codes))), "depth": 0}
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        split = best_split(keys, codes, growth, generator, **node)
        if split is None:
            continue
        node["source"], node["children"] = split[0], {}
        for exemplar in split[1]:
            own = keys[split[0]]
            part = [m for m in node["members"] if nearest_of(own, m, split[1]) == exemplar]
            if part:
                node["children"][exemplar] = {"members": part, "depth": node["depth"] + 1}
        waiting += node["children"].values()
    return root


def best_split(keys, codes, growth, generator, members, depth):
    """The source and exemplars of the best candidate; None for a leaf."""
    classes = sorted({int(codes[m]) for m in members})
    if len(classes) < 2 or depth == growth.max_depth:
        return None
    if len(members) < 2 * growth.min_samples_leaf:
        return None
    judged = members
    if len(members) > growth.n_judged:
        judged = sorted(generator.permutation(np.array(members))[: growth.n_judged].tolist())
    draws = generator.random((growth.n_candidates, 1 + len(classes)))
    best = None
    for row in draws:
        source = int(row[0] * growth.n_sources)
        exemplars = []
        for g, u in zip(classes, row[1:], strict=True):
            own = [m for m in members if codes[m] == g]
            exemplars.append(own[int(u * len(own))])
        branches = {}
        for m in judged:
            near = nearest_of(keys[source], m, exemplars)
            branches.setdefault(near, []).append(int(codes[m]))
        impurity = sum(len(b) / len(judged) * gini(b) for b in branches.values())
        if best is None or impurity < best[0] - 1e-12:
            best = impurity, source, sorted(exemplars)
    sent = [nearest_of(keys[best[1]], m, best[2]) for m in members]
    sizes = [sent.count(e) for e in set(sent)]
    if len(sizes) < 2 or min(sizes) < growth.min_samples_leaf:
        return None
    return best[1:]
