"""The log-posterior of the weights of a mixture, term by term."""

import math


def log_posterior(weights, own, prior_samples):
    """`own[m][i]`: probability that member m gave to the true class of sample i."""
    likelihood = 0.0
    for i in range(len(own[0])):
        likelihood += math.log(sum(w * member[i] for w, member in zip(weights, own, strict=True)))
    prior = sum(prior_samples / len(weights) * math.log(w) for w in weights)
    return likelihood + prior
