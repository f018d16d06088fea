"""What people call similarities, and the names that they have here."""

from collections.abc import Iterable
from difflib import get_close_matches

# Other names of the same, or of what is nearest to it.
_ALSO_CALLED = {
    "alignment": ("smith_waterman",),
    "bagofwords": ("tfidf_cosine",),
    "blast": ("smith_waterman",),
    "blosum": ("smith_waterman",),
    "blosum62": ("smith_waterman",),
    "bow": ("tfidf_cosine",),
    "categorical": ("value_difference",),
    "cos": ("cosine_similarity", "cosine"),
    "damerau": ("damerau_levenshtein",),
    "dicecoefficient": ("sorensen_dice",),
    "dtw": ("dynamic_time_warping",),
    "ecfp": ("tanimoto",),
    "edit": ("levenshtein",),
    "editdistance": ("levenshtein",),
    "emd": ("earth_mover",),
    "erp": ("edit_real_penalty",),
    "fingerprint": ("tanimoto",),
    "fingerprints": ("tanimoto",),
    "gaussian": ("rbf",),
    "kl": ("relative_entropy",),
    "kmer": ("ngrams",),
    "kmers": ("ngrams",),
    "kullbackleibler": ("relative_entropy",),
    "lcs": ("longest_common_subsequence",),
    "mash": ("jaccard_sets",),
    "minhash": ("jaccard_sets",),
    "morgan": ("tanimoto",),
    "ncd": ("normalized_compression",),
    "needlemanwunsch": ("smith_waterman",),
    "ngram": ("ngrams",),
    "overlap": ("jaccard_sets", "tversky_ratio"),
    "pam": ("smith_waterman",),
    "pearson": ("correlation",),
    "qgram": ("ngrams",),
    "qgrams": ("ngrams",),
    "ratcliff": ("indel",),
    "shingles": ("ngrams",),
    "sw": ("smith_waterman",),
    "tfidf": ("tfidf_cosine",),
    "timewarp": ("dynamic_time_warping",),
    "timewarping": ("dynamic_time_warping",),
    "trigram": ("ngrams",),
    "trigrams": ("ngrams",),
    "tversky": ("tversky_ratio", "tversky_contrast"),
    "vdm": ("value_difference",),
    "wasserstein": ("earth_mover",),
    "zip": ("normalized_compression",),
}


def plain_name(name: str) -> str:
    """The name as the registry spells it: in small letters, with "_" between words."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Names that may be meant: other words for the same, then those spelled alike."""
    known = list(known)
    letters = plain_name(name).replace("_", "")
    found = [one for one in _ALSO_CALLED.get(letters, ()) if one in known]
    found += [one for one in known if len(letters) > 3 and letters in one.replace("_", "")]
    found += get_close_matches(plain_name(name), known, n=1)
    return list(dict.fromkeys(found))[:3]
