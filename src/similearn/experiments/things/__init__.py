"""Samples of any kind, objects or blocks, one or several, from files to models and labels."""
