"""What each similarity compares, in the words of `read_objects`."""

from similearn.similarities.shell.similarity import Similarity

_STRINGS = "strings and sequences"
_OF_NAME = {
    "tanimoto": "molecules and fingerprints",
    "sorensen_dice": "molecules and fingerprints",
    "jaccard_sets": "sets",
    "tversky_contrast": "sets",
    "tversky_ratio": "sets",
    "tangent": "images",
    "fuzzy_image": "images",
    "pyramid_match": "sets of points",
    "earth_mover_sets": "sets of points",
    "smith_waterman": "protein sequences",
    "tfidf_cosine": "texts",
    "dynamic_time_warping": "series",
    "edit_real_penalty": "series",
    "quantized": "whatever the one that it quantizes takes",
    "value_difference": "categories",
    "colour_difference_94": "colours, three numbers each",
    "relative_entropy": "distributions and histograms",
    "earth_mover": "distributions and histograms",
    **dict.fromkeys(
        ("compression", "normalized_compression", "levenshtein", "damerau_levenshtein", "jaro",
         "optimal_string_alignment", "indel", "longest_common_subsequence", "jaro_winkler",
         "ngrams"), _STRINGS),
}  # fmt: skip
_OF_ROWS = {"numbers": "numbers", "table": "numbers with holes", "objects": "objects"}
TAKES = tuple(dict.fromkeys([
    _STRINGS, "protein sequences", "texts", "molecules and fingerprints", "sets", "categories",
    "numbers", "numbers with holes", "distributions and histograms", "series", "images",
    "colours, three numbers each", "sets of points", *_OF_NAME.values(), "objects",
]))  # fmt: skip
"""All that `taken_by` gives, in the order in which it is listed."""


def taken_by(similarity: Similarity) -> str:
    """Return what a similarity compares.

    Examples
    --------
    >>> from similearn.similarities import get_similarity
    >>> taken_by(get_similarity("ngrams"))
    'strings and sequences'
    """
    return _OF_NAME.get(similarity.name, _OF_ROWS[similarity.accepts])
