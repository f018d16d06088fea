"""Similarities as printed; slow on purpose."""

import numpy as np


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
