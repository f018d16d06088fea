"""What strings are: sequences of protein, DNA or RNA, or plain strings."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from similearn.errors import FileError

PLAIN_STRINGS = " If these are plain strings, say what='strings'."
"""Advice for who may say what objects are; a model knows."""
_NUCLEOTIDES = frozenset("ACGTUNRYSWKMBDHVX-.")  # IUPAC's, with gaps
_SURE = "ACGTUN"
_AMINO_ACIDS = frozenset("ABCDEFGHIKLMNPQRSTVWXYZJUO*-.")
_SHORT = 30  # letters; a shorter protein may well hold A, C, G and T alone
_TELLING = 15  # letters that strings have on average before they are taken for sequences


def alphabet_of(
    path: Path, sequences: Sequence[str], names: Sequence[str], lines: dict[str, int]
) -> str:
    """Return "protein", "dna" or "rna", whatever all sequences are.

    Raises
    ------
    FileError
        With file and line, where a sequence has a letter of no alphabet, or where alphabets mix.
    """
    kinds = []
    for i, sequence in enumerate(sequences):
        kind = _alphabet(sequence)
        if not kind:
            bad = next(letter for letter in sequence if letter.upper() not in _AMINO_ACIDS)
            raise FileError(
                f"{path}{_place(i, names, lines)}: the sequence holds {bad!r}, which stands for no "
                f"amino acid or nucleotide.{PLAIN_STRINGS}"
            )
        kinds.append(kind)
    usual = Counter(kinds).most_common(1)[0][0]
    if "protein" in kinds and usual != "protein" and kinds.count("protein") * 2 >= len(kinds):
        usual = "protein"
    for i, kind in enumerate(kinds):
        if kind != usual and not (usual == "protein" and len(sequences[i]) < _SHORT):
            raise FileError(
                f"{path}{_place(i, names, lines)}: the sequence looks like {_told(kind)}, but most "
                f"others like {_told(usual)}; expected one alphabet. Split the file."
            )
    return usual


def are_sequences(strings: Sequence[str]) -> bool:
    """Whether strings without more are sequences: long, of capital letters, all of one alphabet."""
    some = strings[:1000]
    if not all(string.isalpha() and string.isupper() and string.isascii() for string in some):
        return False
    return sum(map(len, some)) >= _TELLING * len(some) and all(map(_alphabet, some))


def common_alphabet(sequences: Sequence[str]) -> str:
    """Return the alphabet of most of the sequences: "protein", "dna" or "rna"."""
    return Counter(map(_alphabet, sequences)).most_common(1)[0][0]


def _alphabet(sequence: str) -> str:
    letters = set(sequence.upper())
    if letters <= _NUCLEOTIDES:
        upper = sequence.upper()
        if sum(map(upper.count, _SURE)) >= 0.85 * len(sequence):
            return "rna" if "U" in letters and "T" not in letters else "dna"
    return "protein" if letters <= _AMINO_ACIDS else ""


def _told(alphabet: str) -> str:
    return {"protein": "protein", "dna": "DNA", "rna": "RNA"}[alphabet]


def _place(i: int, names: Sequence[str], lines: dict[str, int]) -> str:
    if not names:
        return f", object {i + 1}"
    line = lines.get(names[i])
    return f", line {line} ({names[i]!r})" if line else f" ({names[i]!r})"
