"""What is run for each published table, one module a paper; see `reproduction.plan`."""
