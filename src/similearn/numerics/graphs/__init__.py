"""Graphs of near neighbours: found by joining neighbourhoods, and searched along their edges."""
