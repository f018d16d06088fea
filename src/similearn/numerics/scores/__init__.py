"""From scores to probabilities and decisions."""
