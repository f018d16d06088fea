"""The data behind the columns of the papers' tables."""
