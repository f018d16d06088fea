"""Several similarities and feature tables at once."""
