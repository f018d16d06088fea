"""Gaussian densities of features: Bayesian, local, regularized; Fisher's discriminant."""
