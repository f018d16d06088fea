"""Classifiers with Gaussian densities."""
