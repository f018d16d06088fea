"""Blocks from files and to files."""
