"""Blocks, sources, explicit conversions, diagnosis, file readers and data sets."""

from similearn.data import convert, datasets
from similearn.data.diagnosis import Diagnosis, diagnose
from similearn.data.files.reading import LabelledPairwise, read_pairwise
from similearn.data.files.writing import write_pairwise
from similearn.data.formats.other_libraries import as_pairwise, to_networkx, to_skbio
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.lazy.stored_pairs import stored_pairwise
from similearn.data.objects.found import LabelledObjects
from similearn.data.objects.object_files import read_objects
from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources
from similearn.data.spread.clusters import on

__all__ = [
    "Diagnosis",
    "LabelledObjects",
    "LabelledPairwise",
    "NeighborTable",
    "Pairwise",
    "Sources",
    "as_pairwise",
    "convert",
    "datasets",
    "diagnose",
    "on",
    "read_objects",
    "read_pairwise",
    "stored_pairwise",
    "to_networkx",
    "to_skbio",
    "write_pairwise",
]
