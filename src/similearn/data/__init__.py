"""Blocks, sources, explicit conversions, diagnosis, file readers and data sets."""

from similearn.data import datasets
from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources

__all__ = ["Pairwise", "Sources", "datasets"]
