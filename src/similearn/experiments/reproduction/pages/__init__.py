"""Pages and pictures of the reproduction."""
