"""Exponential pmfs of similarities to centroids: global, local, regularized, mixed."""
