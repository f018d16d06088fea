"""Similarity discriminant analysis."""
