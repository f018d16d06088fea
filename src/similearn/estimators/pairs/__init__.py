"""Learning from pairs of samples: boosting, votes, goodness."""
