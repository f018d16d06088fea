"""Similarities of sets of features and of categorical rows."""
