"""The default classifier: a portfolio of tuned methods, combined on held-out samples."""
