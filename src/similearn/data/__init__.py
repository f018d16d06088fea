"""Blocks, sources, explicit conversions, diagnosis, file readers and data sets."""

from similearn.data import convert, datasets
from similearn.data.diagnose import Diagnosis, diagnose
from similearn.data.pairwise import Pairwise
from similearn.data.readers import LabelledPairwise, read_pairwise
from similearn.data.sources import Sources
from similearn.data.writers import write_pairwise

__all__ = [
    "Diagnosis",
    "LabelledPairwise",
    "Pairwise",
    "Sources",
    "convert",
    "datasets",
    "diagnose",
    "read_pairwise",
    "write_pairwise",
]
