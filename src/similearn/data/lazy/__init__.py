"""Blocks that are never whole: pairs computed when asked for, and tables of neighbours."""
