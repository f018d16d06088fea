"""The papers' tables, side by side with ours: published numbers, plans, reports."""
