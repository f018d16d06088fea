"""Values that are there already: in memory, both directions of them, and on disk."""
