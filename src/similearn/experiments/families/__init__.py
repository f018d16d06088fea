"""The registered methods, one module per family; see `similearn.experiments.registry`."""
