"""Names of attributes: what they mean, and what they were called."""
