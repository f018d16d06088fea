"""Failures that are known and not mended yet: signature, and why it still stands.

This list only shrinks. An entry that no longer occurs among the cases of `test_fuzz.py` must go.
"""

KNOWN: dict[str, str] = {}
