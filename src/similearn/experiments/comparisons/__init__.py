"""Methods compared on random splits: problems, runs, stored results, tables."""
