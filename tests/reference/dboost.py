"""DBoost by literal loops over pairs and thresholds; slow on purpose."""

from itertools import pairwise

import numpy as np

GRAIN = 2.0**-50


def squares(D):
    """d² in units of a power of two above the largest entry, as the library has it."""
    unit = 2.0 ** np.frexp(np.abs(D).max())[1]
    return (D / unit) * np.abs(D / unit)


def split_loss(near, weights, positive):
    """Σ_l √(W₊W₋) over both sides, label by label."""
    loss = 0.0
    for label in range(weights.shape[1]):
        plus, minus = positive[:, label], ~positive[:, label]
        w = weights[:, label]
        loss += np.sqrt(w[near & plus].sum() * w[near & minus].sum()) + np.sqrt(
            w[~near & plus].sum() * w[~near & minus].sum()
        )
    return loss


def best_cut(F, pairs, weights, positive):
    """(loss, position of the pair, δ below the cut, δ above it); the first of the best."""
    best = (np.inf, -1, np.inf, np.inf)
    for p, (a, b) in enumerate(pairs):
        delta = F[a] - F[b]
        values = np.unique(delta)
        for low, high in pairwise(values):
            loss = split_loss(delta <= low, weights, positive)
            if loss < best[0]:
                best = (loss, p, low, high)
    return best


def best_cut_sorted(F, pairs, weights, positive):
    """`best_cut` with one sort and running sums for each pair: the quicker NumPy way."""
    best = (np.inf, -1, np.inf, np.inf)
    plus, minus = np.where(positive, weights, 0.0), np.where(positive, 0.0, weights)
    for p, (a, b) in enumerate(pairs):
        delta = F[a] - F[b]
        order = np.argsort(delta)
        delta = delta[order]
        P, N = np.cumsum(plus[order], axis=0), np.cumsum(minus[order], axis=0)
        losses = np.sqrt(P * N) + np.sqrt((P[-1] - P) * (N[-1] - N))
        losses = np.add.reduce(losses, axis=1)[:-1]
        losses[delta[1:] == delta[:-1]] = np.inf
        if len(losses) and losses.min() < best[0]:
            cut = losses.argmin()
            best = (losses[cut], p, delta[cut], delta[cut + 1])
    return best


def draw_pairs(uniforms, masses, codes):
    """Invert the distribution of ordered pairs of different classes, one draw at a time."""
    order = sorted(range(len(codes)), key=lambda i: codes[i])
    of_class = {g: sum(masses[codes == g]) for g in set(codes)}
    total = sum(of_class.values())
    pairs = []
    for u, v in uniforms:
        chances = np.array([masses[i] * (total - of_class[codes[i]]) for i in order])
        first = order[np.flatnonzero(np.cumsum(chances) > u * np.cumsum(chances)[-1])[0]]
        others = [i for i in order if codes[i] != codes[first]]
        ends = np.cumsum(masses[others])
        second = others[np.flatnonzero(ends > np.floor(v * ends[-1] / GRAIN) * GRAIN)[0]]
        pairs.append((first, second))
    return np.array(pairs)


def weights_of(sums, positive):
    exponents = np.where(positive, -sums, sums)
    weights = np.exp(exponents - exponents.max())
    return np.rint(weights / (weights.sum() * GRAIN)) * GRAIN


def boost(D, codes, n_rounds, n_pairs, rng, search=best_cut, draw=draw_pairs):
    """Real AdaBoost.MH over stumps: pairs, thresholds and votes of every round, and the sums."""
    F = squares(D)
    n_classes = codes.max() + 1
    positive = (codes == 1)[:, None] if n_classes == 2 else codes[:, None] == np.arange(n_classes)
    sums = np.zeros(positive.shape)
    rounds = []
    for _ in range(n_rounds):
        weights = weights_of(sums, positive)
        pairs = draw(rng.random((n_pairs, 2)), weights.sum(axis=1), codes)
        _, p, low, high = search(F, pairs, weights, positive)
        threshold = low / 2 + high / 2
        near = F[pairs[p][0]] - F[pairs[p][1]] < threshold
        votes = []
        for side in (near, ~near):
            plus = np.where(positive, weights, 0.0)[side].sum(axis=0)
            minus = np.where(positive, 0.0, weights)[side].sum(axis=0)
            votes.append(0.5 * np.log((plus + 1 / sums.size) / (minus + 1 / sums.size)))
        sums += np.where(near[:, None], votes[0], votes[1])
        rounds.append((pairs[p], threshold, np.array(votes)))
    pairs, thresholds, votes = map(np.array, zip(*rounds, strict=True))
    return pairs, thresholds, votes, sums


def nearer_share(D, codes, i):
    """g(z_i): the share of pairs of which the one of z's own class is strictly nearer."""
    same = [j for j in range(len(codes)) if codes[j] == codes[i] and j != i]
    other = [j for j in range(len(codes)) if codes[j] != codes[i]]
    return np.mean([[D[i, a] < D[i, b] for b in other] for a in same])


def weighted_share(D, codes, weights, i):
    same = [j for j in range(len(codes)) if codes[j] == codes[i] and j != i]
    other = [j for j in range(len(codes)) if codes[j] != codes[i]]
    won = sum(weights[a] * weights[b] for a in same for b in other if D[i, a] < D[i, b])
    return won / (weights[same].sum() * weights[other].sum())
