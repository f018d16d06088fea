"""Conversions between kinds: what they are given, and the one rule towards similarities."""
