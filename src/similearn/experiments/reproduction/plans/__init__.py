"""What is run for each published table, one module per paper; see `reproduction.plan`."""
