"""Blocks, sources, explicit conversions, diagnosis, file readers and data sets."""

from similearn.lazily import names_of

__getattr__, __dir__, __all__ = names_of(
    __name__,
    {
        "": ["convert", "datasets"],
        "diagnosis": ["Diagnosis", "diagnose"],
        "files.reading": ["LabelledPairwise", "read_pairwise"],
        "files.writing": ["write_pairwise"],
        "formats.other_libraries": ["as_pairwise", "to_networkx", "to_skbio"],
        "lazy.neighbor_tables": ["NeighborTable"],
        "lazy.stored_pairs": ["stored_pairwise"],
        "objects.found": ["LabelledObjects"],
        "objects.object_files": ["read_objects"],
        "pairwise": ["Pairwise"],
        "sources": ["Sources"],
        "spread.clusters": ["on"],
    },
)
