"""Choosing parameters by cross-validation."""

from similearn.selection.path_search import PathSearchCV

__all__ = ["PathSearchCV"]
