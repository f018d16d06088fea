"""The evidence for the default: every method on every set, what others would do, and a page."""
