"""The registered methods, one module a family; see `similearn.experiments.registry`."""
