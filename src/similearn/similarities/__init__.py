"""Similarities of objects; each says its kind, its symmetry and whether it is learned."""

from similearn.lazily import names_of

HOMES = {
    "catalogue": ["register", "registry"],
    "categories.fingerprints": ["SorensenDice", "Tanimoto"],
    "categories.set_overlap": ["JaccardSets"],
    "categories.tversky": ["TverskyContrast", "TverskyRatio"],
    "categories.value_difference": ["ValueDifference"],
    "images.colour": ["ColourDifference94"],
    "images.grey": ["FuzzyImageMetric", "TangentDistance"],
    "images.pyramid": ["PyramidMatch"],
    "quantize": ["Quantized"],
    "sequences.alignment": ["SmithWaterman"],
    "sequences.compression": ["Compression", "NormalizedCompression"],
    "sequences.documents": ["TfidfCosine"],
    "sequences.edit": [
        "DamerauLevenshtein",
        "Indel",
        "Jaro",
        "JaroWinkler",
        "Levenshtein",
        "LongestCommonSubsequence",
        "OptimalStringAlignment",
    ],
    "sequences.profiles": ["NgramProfile"],
    "sequences.series": ["DynamicTimeWarping", "EditRealPenalty"],
    "shell.choosing": ["Choice", "choose_similarity", "what_objects_are"],
    "shell.evaluate": ["evaluate_block", "evaluate_square"],
    "shell.naming": ["parse_similarity", "spelled"],
    "shell.registering": ["get_similarity"],
    "shell.similarity": ["FunctionSimilarity", "Similarity"],
    "vectors.euclidean": ["Euclidean"],
    "vectors.information": ["RelativeEntropy"],
    "vectors.sklearn_metrics": ["SklearnKernel", "SklearnMetric"],
    "vectors.transport": ["EarthMover", "EarthMoverSets"],
}
"""Modules, and the public names that each of them gives."""

__getattr__, __dir__, __all__ = names_of(__name__, HOMES)
