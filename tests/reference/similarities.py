"""Similarities as printed; slow on purpose."""

import math
from collections import Counter

import numpy as np
from scipy.optimize import linprog


def value_difference(a, b, rows, labels, q, r):
    """Σ_f (Σ_c |P(c|a_f) - P(c|b_f)|^q)^(r/q), probabilities counted from the rows each time."""
    classes = sorted(set(labels))

    def probability(c, f, value):
        of_value = [y for row, y in zip(rows, labels, strict=True) if row[f] == value]
        if not of_value:  # never seen: the prior
            of_value = list(labels)
        return of_value.count(c) / len(of_value)

    total = 0.0
    for f in range(len(a)):
        terms = [abs(probability(c, f, a[f]) - probability(c, f, b[f])) ** q for c in classes]
        total += sum(terms) ** (r / q)
    return total


def salience(features, weights):
    """f of a set: the sum of its features' weights."""
    return float(sum(weights.get(feature, 1.0) for feature in features))


def tversky_contrast(A, B, theta, alpha, beta, weights):
    """θ f(A∩B) - α f(A-B) - β f(B-A)."""
    return (
        theta * salience(A & B, weights)
        - alpha * salience(A - B, weights)
        - beta * salience(B - A, weights)
    )


def tversky_ratio(A, B, alpha, beta, weights):
    """f(A∩B) / (f(A∩B) + α f(A-B) + β f(B-A)); 0/0 is 1 if both have no features, else 0."""
    common = salience(A & B, weights)
    whole = common + alpha * salience(A - B, weights) + beta * salience(B - A, weights)
    if whole == 0:
        return 1.0 if salience(A | B, weights) == 0 else 0.0
    return common / whole


def as_row(features, d):
    """Binary row of a set of positions."""
    return np.isin(np.arange(d), list(features)).astype(int)


def levenshtein(a, b, insertion=1, deletion=1, substitution=1):
    """The table of Wagner and Fischer, cell by cell."""
    cost = np.zeros((len(a) + 1, len(b) + 1))
    cost[:, 0], cost[0] = np.arange(len(a) + 1) * deletion, np.arange(len(b) + 1) * insertion
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = 0 if a[i - 1] == b[j - 1] else substitution
            cost[i, j] = min(
                cost[i - 1, j] + deletion, cost[i, j - 1] + insertion, cost[i - 1, j - 1] + change
            )
    return cost[-1, -1]


def smith_waterman(a, b, score, gap_open, gap_extend):
    """Best local alignment; every gap of every length is tried at every cell."""
    best = np.zeros((len(a) + 1, len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            ways = [0.0, best[i - 1, j - 1] + score(a[i - 1], b[j - 1])]
            ways += [best[i - k, j] - gap_open - (k - 1) * gap_extend for k in range(1, i + 1)]
            ways += [best[i, j - k] - gap_open - (k - 1) * gap_extend for k in range(1, j + 1)]
            best[i, j] = max(ways)
    return best.max()


def dynamic_time_warping(a, b, window=None):
    """√ of the smallest sum of squares along a path; `window` for series of one length."""
    total = np.full((len(a) + 1, len(b) + 1), np.inf)
    total[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if window is None or abs(i - j) < window:
                before = min(total[i - 1, j], total[i, j - 1], total[i - 1, j - 1])
                total[i, j] = before + np.sum(np.square(np.subtract(a[i - 1], b[j - 1])))
    return np.sqrt(total[-1, -1])


def earth_mover(a, b, costs):
    """The linear program itself."""
    rows, columns = len(a), len(b)
    leaves = np.kron(np.eye(rows), np.ones(columns))
    arrives = np.kron(np.ones(rows), np.eye(columns))
    flows = linprog(
        np.ravel(costs),
        A_eq=np.vstack([leaves, arrives]),
        b_eq=np.concatenate([np.divide(a, np.sum(a)), np.divide(b, np.sum(b))]),
    )
    return flows.fun


def relative_entropy(a, b, smoothing):
    """Σ p log(p/q), both mixed with the uniform distribution."""
    p = [(1 - smoothing) * x / sum(a) + smoothing / len(a) for x in a]
    q = [(1 - smoothing) * x / sum(b) + smoothing / len(b) for x in b]
    return sum(x * math.log(x / y) for x, y in zip(p, q, strict=True) if x > 0)


def colour_difference_94(standard, sample, k_l, k_1, k_2):
    """CIE 116-1995, with hue from the chromas."""
    (l1, a1, b1), (l2, a2, b2) = standard, sample
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    hue = (a1 - a2) ** 2 + (b1 - b2) ** 2 - (c1 - c2) ** 2
    lightness = ((l1 - l2) / k_l) ** 2
    return math.sqrt(
        lightness + ((c1 - c2) / (1 + k_1 * c1)) ** 2 + max(hue, 0) / (1 + k_2 * c1) ** 2
    )


def sugeno(differences):
    """sup_α min(α, share of differences ≥ α); it is attained at a difference or at a share."""
    p = len(differences)
    candidates = [*differences, *(k / p for k in range(p + 1))]
    return max(min(c, np.mean(np.greater_equal(differences, c))) for c in candidates)


def pyramid_match(A, B, finest, n_levels):
    """Σ 2⁻ⁱ (I_i - I_{i-1}), histograms as dictionaries."""
    total, before = 0.0, 0
    for level in range(n_levels):
        side = finest * 2**level
        cells_a, cells_b = (
            Counter(tuple(math.floor(x / side) for x in vector) for vector in vectors)
            for vectors in (A, B)
        )
        common = sum((cells_a & cells_b).values())
        total += 2.0**-level * (common - before)
        before = common
    return total


def tangent_distance(a, b, tangents):
    """Least squares: what of a - b no combination of the tangents explains."""
    difference = np.ravel(a) - np.ravel(b)
    columns = np.reshape(tangents, (len(tangents), -1)).T
    return np.linalg.norm(
        difference - columns @ np.linalg.lstsq(columns, difference, rcond=None)[0]
    )


def edit_real_penalty(a, b, gap):
    """Chen and Ng (2004), eq. 4, as the recursion is printed."""
    if not len(a):
        return sum(abs(x - gap) for x in b)
    if not len(b):
        return sum(abs(x - gap) for x in a)
    return min(
        edit_real_penalty(a[1:], b[1:], gap) + abs(a[0] - b[0]),
        edit_real_penalty(a[1:], b, gap) + abs(a[0] - gap),
        edit_real_penalty(a, b[1:], gap) + abs(b[0] - gap),
    )


def ngrams(a, b, shortest, longest, ends):
    """2 Σ min / Σ sums of counted n-grams, as strings."""

    def profile(text):
        marked = f"<{text}>" if ends and text else text
        pieces = [
            row[i : i + n]
            for n in range(shortest, longest + 1)
            for row in [text if n == 1 else marked]
            for i in range(len(row) - n + 1)
        ]
        return Counter(pieces)

    one, other = profile(a), profile(b)
    both = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / both if both else 1.0


def jaccard(a, b):
    """|A ∩ B| / |A ∪ B|."""
    return len(a & b) / len(a | b) if a | b else 1.0
