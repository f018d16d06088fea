"""Local SDA and its regularizations, one query and one equation at a time."""

import numpy as np

from tests.reference.sda import local_model, neighborhood, pmf, value_at


class Literal:
    """Everything for one training set, k and α; Ω holds the distinct training values."""

    def __init__(self, S, codes, k, alpha, large_is_near):
        self.S, self.codes, self.k, self.alpha = S, codes, k, alpha
        self.near = large_is_near
        self.levels = np.unique(S)
        self.n_classes = codes.max() + 1
        self.global_prior = np.bincount(codes) / len(codes)
        self.global_means = self.model(range(len(codes)))[1]
        self.all_means = [self.model(self.hood(row))[1] for row in S]
        self.all_sizes = [np.bincount(codes[self.hood(row)], minlength=99) for row in S]

    def hood(self, row):
        return neighborhood(row, self.k, self.near)

    def model(self, hood):
        return local_model(self.S, self.codes, hood, self.n_classes, self.near)

    def is_delta(self, mean):
        return mean in (self.levels[0], self.levels[-1])

    def rate(self, mean):
        """λ from two neighbouring levels of the pmf; huge for deltas."""
        if self.is_delta(mean):
            gap = (
                self.levels[1] - self.levels[0]
                if mean == self.levels[0]
                else (self.levels[-1] - self.levels[-2])
            )
            return (-36.0 if mean == self.levels[0] else 36.0) / gap
        p = pmf(self.levels, mean)
        i = np.argmax(p[:-1] + p[1:])
        return np.log(p[i + 1] / p[i]) / (self.levels[i + 1] - self.levels[i])

    def tilted(self, rate):
        weights = np.exp(rate * self.levels - (rate * self.levels).max())
        return weights / weights.sum()

    def regularizer(self, name, g, h, row):
        """The pmf on Ω that P(s_h | g) is combined with."""
        if name == "histogram":
            pooled = [
                (sizes[g], means[g, h])
                for sizes, means in zip(self.all_sizes, self.all_means, strict=True)
                if (g, h) in means
            ]
            if pooled:
                sizes, means = np.array(pooled).T
                mean = (sizes * means).sum() / sizes.sum()
                return pmf(self.levels, self.global_means[g, h] if self.is_delta(mean) else mean)
            return pmf(self.levels, self.global_means[g, h])
        samples, weights = range(len(self.S)), np.ones(len(self.S))
        if name == "adaptive":
            samples = self.hood(row)
            far = self.levels[0] if self.near else self.levels[-1]
            weights = np.abs(row - far) + 1e-12
        found = [
            (weights[z], self.all_means[z][g, h]) for z in samples if (g, h) in self.all_means[z]
        ]
        if name == "adaptive":
            found = [(w, mean) for w, mean in found if not self.is_delta(mean)]
        if all(self.is_delta(mean) for _, mean in found):
            return pmf(self.levels, self.global_means[g, h])
        total = sum(w for w, _ in found)
        return sum(w * pmf(self.levels, mean) for w, mean in found) / total

    def posterior(self, name, row):
        hood = self.hood(row)
        centroids, means = self.model(hood)
        local_prior = np.bincount(self.codes[hood], minlength=self.n_classes) / self.k
        scores = np.array(
            [
                self.score(name, g, row, hood, centroids, means, local_prior)
                for g in self.global_range()
            ]
        )
        return scores / scores.sum()

    def global_range(self):
        return range(self.n_classes)

    def score(self, name, g, row, hood, centroids, means, local_prior):
        a, here = self.alpha, local_prior[g] > 0
        if name in ("joint", "histogram", "adaptive"):
            own = local_prior[g] * np.prod(
                [self.at(pmf(self.levels, means[g, h]), row, m) for h, m in centroids.items()]
                if here
                else [0.0]
            )
            other = self.global_prior[g] * np.prod(
                [self.at(self.regularizer(name, g, h, row), row, m) for h, m in centroids.items()]
            )
            return (1 - a) * own + a * other
        product = local_prior[g] if here else a * self.global_prior[g]
        for h, m in centroids.items():
            product *= self.at(self.combined(name, g, h, row, hood, centroids, means), row, m)
        return product

    def combined(self, name, g, h, row, hood, centroids, means):
        a, here = self.alpha, (g, h) in means
        if name == "marginal":
            average = self.regularizer(name, g, h, row)
            return (1 - a) * pmf(self.levels, means[g, h]) + a * average if here else average
        if name == "mean":
            mean = self.global_means[g, h]
            return pmf(self.levels, (1 - a) * means[g, h] + a * mean if here else mean)
        if name == "dirichlet":
            average = self.regularizer(name, g, h, row)
            members = [z for z in hood if self.codes[z] == g]
            counts = np.array([(self.S[members, centroids[h]] == v).sum() for v in self.levels])
            weight = a * self.k / (1 - a)
            return (counts + weight * average) / (len(members) + weight)
        if name == "global-rate":
            other = self.rate(self.global_means[g, h])
        else:
            finite = [self.rate(mean) for mean in means.values() if not self.is_delta(mean)]
            other = np.mean(finite) if finite else 0.0
        return self.tilted((1 - a) * self.rate(means[g, h]) + a * other if here else other)

    def at(self, probabilities, row, centroid):
        return value_at(self.levels, probabilities, row[centroid])

    def plain_decision(self, row, degenerate):
        """The label without regularization, or None where several are as good."""
        hood = self.hood(row)
        centroids, means = self.model(hood)
        sizes = np.bincount(self.codes[hood], minlength=self.n_classes)
        few = {"centroid": (1, 2), "single": (1,), "delta": ()}[degenerate]
        if np.isin(sizes[sizes > 0], few).any():
            scores = {h: row[m] if self.near else -row[m] for h, m in centroids.items()}
        else:
            scores = {
                g: sizes[g]
                * np.prod(
                    [self.at(pmf(self.levels, means[g, h]), row, m) for h, m in centroids.items()]
                )
                for g in centroids
            }
        best = max(scores.values())
        winners = [g for g, score in scores.items() if np.isclose(score, best, rtol=1e-9)]
        return winners[0] if len(winners) == 1 else None
