"""Eigenvalues, eliminations and spectra of symmetric matrices, small and large."""
