"""Data to try things on: bundled, derived from scikit-learn's, and generated."""

from similearn.data.datasets.bundled import load_digits_pairs, load_house_votes
from similearn.data.datasets.cylinder import make_cylinder
from similearn.data.datasets.generate import make_similarities

__all__ = ["load_digits_pairs", "load_house_votes", "make_cylinder", "make_similarities"]
