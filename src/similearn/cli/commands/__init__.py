"""The commands, one module each; what they import is inside them, so that --help is quick."""
