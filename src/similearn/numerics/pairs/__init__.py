"""What pairs of samples tell: stumps, boosting, votes, goodness."""
