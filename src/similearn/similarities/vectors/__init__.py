"""Similarities of rows of numbers, distributions and weighted sets."""
