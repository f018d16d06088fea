"""Nearest neighbours, weighted or not."""
