"""From scores to probabilities, for all classifiers."""
