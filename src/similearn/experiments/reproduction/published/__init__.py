"""The papers' tables as they are printed."""
