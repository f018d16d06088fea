"""Collections of objects from files: sequences, strings, sets, rows of tables."""
