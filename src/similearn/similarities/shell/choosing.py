"""Which similarity to begin with, by what the objects are."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from similearn.data.objects.alphabets import are_sequences, common_alphabet
from similearn.errors import InputError
from similearn.similarities.shell.naming import parse_similarity
from similearn.similarities.shell.similarity import Similarity

_LONG = 2000  # letters; aligning two such sequences takes a millisecond
_DOCUMENT = 100  # letters that texts have on average before their words count


class Choice(NamedTuple):
    """A similarity, and why it was chosen.

    Examples
    --------
    >>> from similearn.similarities import choose_similarity
    >>> choice = choose_similarity("strings", ["rossi", "bianchi", "verdi"])
    """

    similarity: Similarity
    reason: str


def what_objects_are(objects: Any) -> str:
    """Tell sequences, strings, sets, series, images, numbers and categories apart.

    Returns one of the words of `LabelledObjects.what`, or "images" for an array (n, h, w).

    Examples
    --------
    >>> from similearn.similarities import what_objects_are
    >>> what_objects_are(["rossi", "bianchi", "verdi"])
    'strings'
    """
    if hasattr(objects, "shape") and len(objects.shape) == 3:
        return "images"
    if hasattr(objects, "shape") and len(objects.shape) == 2 and objects.shape[1] > 1:
        kinds = [objects.dtype] if hasattr(objects, "dtype") else list(objects.dtypes)
        return "numbers" if all(kind.kind in "buif" for kind in kinds) else "categories"
    items = np.asarray(objects).ravel().tolist() if hasattr(objects, "shape") else list(objects)
    if not items:
        raise InputError("There are no objects; at least one is needed.")
    if all(isinstance(item, str) for item in items):
        if not are_sequences(items):
            return "strings"
        return f"sequences ({common_alphabet(items)})"
    if all(isinstance(item, set | frozenset) for item in items):
        return "sets"
    if all(hasattr(item, "GetOnBits") for item in items):
        return "fingerprints"
    if all(np.ndim(item) == 1 for item in items):
        numbers = all(np.asarray(item).dtype.kind in "buif" for item in items)
        return "series" if numbers else "categories"
    raise InputError(
        f"It is not known how to compare objects of type {type(items[0]).__name__}; expected "
        "strings, sets, series, images or rows of a table. Name a similarity."
    )


def choose_similarity(what: str, objects: Any) -> Choice:
    """Return the similarity to begin with, and the reason.

    Parameters
    ----------
    what : as `what_objects_are` or `read_objects` tell
    objects : n of them; how long they are decides among the similarities of sequences and texts

    Examples
    --------
    >>> from similearn.similarities import choose_similarity
    >>> choose_similarity("sets", [{"a"}, {"a", "b"}])
    Choice(similarity=JaccardSets(), reason='sets are compared by the share of what both have')
    """
    kind = what.partition(" ")[0]
    if kind == "sequences":
        return _of_sequences(what, objects)
    if kind == "strings":
        return _of_strings(objects)
    if kind == "smiles" and find_spec("rdkit") is None:
        why = "RDKit, which makes fingerprints of molecules, is not installed; their texts are"
        return Choice(parse_similarity("ngrams"), f"{why} compared by the pieces that they share")
    if kind == "numbers" and not np.var(np.asarray(objects, dtype=np.float64), axis=0).all():
        reason = "rows are numbers, and a column that is constant has no unit to divide by"
        return Choice(parse_similarity("euclidean"), reason)
    if kind not in _BY_KIND:
        raise InputError(f"No similarity is known for {what}. Name one.")
    name, reason = _BY_KIND[kind]
    if kind == "series" and find_spec("dtaidistance") is None:
        name, reason = "edit-real-penalty", "series may be shifted in time against each other"
    return Choice(parse_similarity(name), reason)


_BY_KIND = {
    "smiles": ("tanimoto", "molecules are compared by the share of their fingerprints' bits"),
    "fingerprints": ("tanimoto", "fingerprints are compared by the share of the bits of both"),
    "sets": ("jaccard-sets", "sets are compared by the share of what both have"),
    "categories": (
        "value-difference",
        "categories are near if they go with the same labels; this is learned",
    ),
    "numbers": ("seuclidean", "columns of numbers count alike, whatever their units"),
    "series": ("dynamic-time-warping", "series may run faster or slower than each other"),
    "images": ("tangent", "images may be shifted, turned and scaled a little"),
}


def _of_sequences(what: str, sequences: Sequence[str]) -> Choice:
    longest = max(map(len, sequences))
    aligned = find_spec("parasail") is not None or find_spec("Bio") is not None
    if "protein" in what and aligned and longest <= _LONG:
        reason = "proteins are aligned, and the scores divided by those with themselves"
        return Choice(parse_similarity("smith-waterman:normalized=True"), reason)
    n = 3 if "protein" in what else 6
    why = f"{'proteins' if 'protein' in what else 'sequences of nucleotides'} are compared by the "
    return Choice(parse_similarity(f"ngrams:shortest={n},longest={n},ends=False"),
                  f"{why}pieces of {n} letters that they share")  # fmt: skip


def _of_strings(strings: Sequence[str]) -> Choice:
    if sum(map(len, strings)) >= _DOCUMENT * len(strings):
        return Choice(
            parse_similarity("tfidf-cosine"), "texts are compared by the words they share"
        )
    reason = "short strings are compared by the pieces of one to three letters that they share"
    return Choice(parse_similarity("ngrams"), reason)
