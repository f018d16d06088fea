"""Matrices in the formats of other programs, and how formats are recognized."""
