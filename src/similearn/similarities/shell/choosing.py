"""Which similarity to begin with, by what the objects are."""

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from similearn.data.files.cut_lines import is_word
from similearn.data.objects.alphabets import are_sequences, common_alphabet
from similearn.errors import InputError, InputTypeError
from similearn.similarities.shell.naming import parse_similarity, spelled
from similearn.similarities.shell.objects import count
from similearn.similarities.shell.registering import known_similarities
from similearn.similarities.shell.similarity import Similarity
from similearn.similarities.shell.what_taken import taken_by

_LONG = 2000  # letters; aligning two such sequences takes a millisecond
_SIDE = 4  # pixels; smaller arrays may be anything
_FEW_ROWS = 20  # among so many, categories may all differ
_DOCUMENT = 100  # letters that texts have on average before their words count


_TOLD = {
    "numbers": "rows of numbers", "categories": "rows of categories", "smiles": "molecules",
}  # fmt: skip
AUTO = "auto"
"""The word for a similarity that is chosen by what the objects are."""


class Choice(NamedTuple):
    """A similarity, and why it was chosen.

    Attributes
    ----------
    similarity : Similarity, not fitted
    reason : str, one sentence

    Examples
    --------
    >>> from similearn.similarities import choose_similarity
    >>> choice = choose_similarity("strings", ["rossi", "bianchi", "verdi"])
    >>> choice.similarity
    NgramProfile()
    """

    similarity: Similarity
    reason: str


def what_objects_are(objects: Any) -> str:
    """Tell sequences, strings, sets, series, images, numbers and categories apart.

    Parameters
    ----------
    objects : n of them, in a list, an array or a column of a data frame

    Returns
    -------
    str
        One of the words of `LabelledObjects.what`, "fingerprints", or "images" for an array
        (n, h, w) or a list of arrays (h, w) of one shape.

    Examples
    --------
    >>> from similearn.similarities import what_objects_are
    >>> what_objects_are(["rossi", "bianchi", "verdi"])
    'strings'
    """
    if getattr(objects, "name", None) == "smiles":  # a column of a data frame
        return "smiles"
    shape: Any = getattr(objects, "shape", ())
    if len(shape) == 3:
        return "images"
    if len(shape) == 2 and (_are_numbers(objects) or shape[1] > 1):
        return "numbers" if _are_numbers(objects) else "categories"
    items = np.asarray(objects).ravel().tolist() if shape else list(objects)
    if not items:
        raise InputError("There are no objects; at least one is needed.")
    if all(isinstance(item, str) for item in items):
        return f"sequences ({common_alphabet(items)})" if are_sequences(items) else "strings"
    if all(isinstance(item, set | frozenset) for item in items):
        return "sets"
    if all(hasattr(item, "GetOnBits") for item in items):
        return "fingerprints"
    if all(hasattr(item, "GetNumAtoms") for item in items):
        return "molecules"
    what = _what_arrays_are([_as_array(item) for item in items])
    if what is None:
        _refuse_mixed(items)
        dtype = getattr(objects, "dtype", None)  # dates came as integers
        kind = dtype if getattr(dtype, "kind", "O") in "mM" else type(items[0]).__name__
        raise InputError(
            f"It is not known how to compare objects of type {kind}; expected "
            "strings, sets, series, images or rows of a table. Name a similarity."
        )
    return what


def _refuse_mixed(items: list[Any]) -> None:
    """Name the first object whose type is not that of most; a missing one is the usual case."""
    kinds = [type(item) for item in items]
    usual = Counter(kinds).most_common(1)[0][0]
    other = next((i for i, kind in enumerate(kinds) if kind is not usual), None)
    if other is None:
        return
    item = items[other]
    is_nan = isinstance(item, float) and item != item
    got = "NaN" if is_nan else f"of type {kinds[other].__name__}"
    raise InputError(
        f"Object {other} (counting from 0) is {got}, most are of type {usual.__name__}; expected "
        "one type of all. Leave it out, or fill it in."
    )


def _are_numbers(table: Any) -> bool:
    """Whether all columns of an array or a data frame of any library hold numbers."""
    if not hasattr(table, "dtype") and not hasattr(table, "dtypes"):  # Arrow
        table = np.asarray(table)
    kinds = [table.dtype] if hasattr(table, "dtype") else list(table.dtypes)
    return all(k.kind in "buif" if hasattr(k, "kind") else k.is_numeric() for k in kinds)


def _as_array(item: Any) -> Any:
    try:
        return np.asarray(item)
    except ValueError:  # rows of unequal length
        return np.empty(0, dtype=object)


def _what_arrays_are(items: list[Any]) -> str | None:
    """Lists of numbers are rows if all are equally long, else series, as in files."""
    shapes = {item.shape for item in items}
    numbers = all(item.dtype.kind in "buif" for item in items)
    if {len(shape) for shape in shapes} == {1}:
        if numbers:
            return "numbers" if len(shapes) == 1 else "series"
        _refuse_ragged([len(item) for item in items])
        return "categories"
    sides = next(iter(shapes))
    is_image = numbers and len(shapes) == 1 and len(sides) == 2 and min(sides) >= _SIDE
    return "images" if is_image else None


def _refuse_ragged(lengths: list[int]) -> None:
    """Categories are compared column by column."""
    other = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        raise InputError(
            f"Object {other} (counting from 0) has {lengths[other]} parts, object 0 has "
            f"{lengths[0]}; expected rows of one length. Fill them up, or make sets of them, by "
            "set(), if their parts come in no order."
        )


def told_namesakes(similarity: Similarity, objects: Any) -> str:
    """Name similarities of the same stem that compare such objects; "" if there are none."""
    try:
        what = what_objects_are(objects).partition(" ")[0]
    except (TypeError, ValueError, AttributeError):  # what they are is not known either
        return ""
    found = [
        spelled(name)
        for name, one in known_similarities().items()
        if name.startswith(f"{similarity.name}_") and what in taken_by(one).split()
    ]
    return f" For {what} there is {' or '.join(map(repr, found))}." if found else ""


def choose_similarity(what: str, objects: Any) -> Choice:
    """Return the similarity to begin with, and the reason.

    Parameters
    ----------
    what : as `what_objects_are` or `read_objects` tell
    objects : n of them; how long they are decides among the similarities of sequences and texts

    Returns
    -------
    Choice

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
    if kind == "categories":
        _refuse_texts(np.asarray(objects, dtype=object))
    name, reason = _BY_KIND[kind]
    if kind == "series" and find_spec("dtaidistance") is None:
        name, reason = "edit-real-penalty", "series may be shifted in time against each other"
    return Choice(parse_similarity(name), reason)


def told_choice(n_objects: int, what: str, choice: Choice) -> str:
    """The sentence that says which similarity was chosen, and why; the shell's and Python's.

    Examples
    --------
    >>> told_choice(2, "sets", choose_similarity("sets", [{"a"}, {"a", "b"}]))
    '2 sets, compared by jaccard-sets: sets are compared by the share of what both have.'
    """
    told = _TOLD.get(what, what)
    return f"{n_objects} {told}, compared by {spelled(choice.similarity)}: {choice.reason}."


def decided(function: Any, objects: Any) -> tuple[Any, list[str]]:
    """What objects are compared by, and for "auto" the sentence on the choice.

    Parameters
    ----------
    function : whatever `get_similarity` takes, or "auto"
    objects : a collection

    Examples
    --------
    >>> decided("auto", ["rossi", "bianchi", "verdi"])[0]
    NgramProfile()
    """
    if not isinstance(function, str) or function != AUTO:
        return function, []
    if sparse.issparse(objects):
        raise InputTypeError(
            "X is sparse, for which no similarity is chosen. Name one, or pass X.toarray()."
        )
    try:
        n, what = count(objects), what_objects_are(objects)  # counting refuses what is used up
    except TypeError as error:
        raise InputTypeError(
            f"X is of type {type(objects).__name__}; expected a collection of objects: a list, an "
            "array or a data frame."
        ) from error
    choice = choose_similarity(what, objects)
    return choice.similarity, [told_choice(n, what, choice)]


_BY_KIND = {
    "smiles": ("tanimoto", "molecules are compared by the share of their fingerprints' bits"),
    "molecules": ("tanimoto", "molecules are compared by the share of their fingerprints' bits"),
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


def _refuse_texts(rows: Any) -> None:
    """Refuse names and texts in a table: what goes with one label alone foretells every label."""
    for number, column in enumerate(rows.T if rows.ndim == 2 else [], start=1):
        words = [cell for cell in column if isinstance(cell, str) and is_word(cell)]
        if len(set(words)) > max(_FEW_ROWS, len(column) / 2):
            raise InputError(
                f"Of {len(column)} rows, column {number} of those to be compared has "
                f"{len(set(words))} different words, so that these are names or texts, not "
                "categories. Leave it out, or compare texts alone; of a file, column='...' says "
                "which count. Several texts may be joined to one."
            )


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
