"""The evidence for probabilities: what they are worth, with and without calibration, and a page."""
