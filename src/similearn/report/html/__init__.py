"""How reports are told: templates, scripts and styles in one file."""
