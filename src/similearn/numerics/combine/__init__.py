"""Several similarities at once: fusion, and learned combinations."""
