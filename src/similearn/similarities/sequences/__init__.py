"""Similarities of strings, sequences, documents and series."""
