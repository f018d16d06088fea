"""Smith-Waterman scores of amino acid sequences, by parasail or, if missing, biopython."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from similearn.errors import InputError, MissingExtraError
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    refuse_object,
)
from similearn.similarities.shell.registering import register

LETTERS = "ARNDCQEGHILKMFPSTWYVBZX*"
_RARE = str.maketrans("UOJ", "XXX")  # selenocysteine, pyrrolysine, leucine or isoleucine

# PAM50 (Dayhoff et al. 1978; third-bit units), its lower half in the order of LETTERS;
# biopython has no PAM50.
_PAM50 = """
5
-5 8
-2 -4 7
-2 -7 2 7
-5 -6 -8 -11 9
-3 0 -2 -1 -11 8
-1 -7 -1 3 -11 2 7
-1 -7 -2 -2 -7 -5 -3 6
-5 0 1 -2 -6 2 -3 -7 9
-3 -4 -4 -6 -5 -6 -4 -8 -7 8
-5 -7 -6 -10 -12 -4 -7 -9 -5 0 6
-5 1 0 -3 -11 -2 -3 -6 -4 -5 -6 6
-4 -3 -6 -8 -11 -3 -5 -7 -8 0 2 -1 10
-7 -8 -7 -12 -10 -10 -11 -8 -5 -1 -1 -11 -3 9
0 -3 -4 -6 -6 -2 -4 -4 -3 -7 -6 -5 -6 -8 8
0 -2 1 -2 -2 -4 -3 -1 -4 -5 -7 -3 -4 -5 -1 6
0 -5 -1 -3 -6 -4 -4 -4 -5 -1 -5 -2 -3 -7 -3 1 6
-11 -1 -7 -12 -13 -10 -13 -12 -6 -11 -5 -9 -10 -3 -11 -4 -10 13
-6 -8 -3 -9 -3 -9 -7 -11 -2 -5 -5 -8 -8 3 -11 -5 -5 -4 9
-1 -6 -6 -6 -5 -5 -5 -4 -5 3 -1 -7 0 -6 -4 -4 -2 -12 -6 7
-2 -5 5 6 -9 -2 2 -2 0 -5 -7 -1 -7 -9 -5 -1 -2 -8 -5 -6 5
-2 -2 -1 2 -11 6 6 -4 0 -5 -5 -2 -4 -11 -3 -3 -4 -11 -8 -5 1 6
-2 -4 -2 -4 -7 -3 -3 -4 -4 -3 -5 -4 -4 -6 -4 -2 -2 -9 -6 -3 -3 -3 -4
-13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 -13 1
"""

Scorer = Callable[[list[str]], Iterator[int]]


@register("smith_waterman")
class SmithWaterman(PreparedSimilarity):
    r"""Smith-Waterman score: the best local alignment of two amino acid sequences.

    .. math:: \psi(a, b) = s_{ab} \quad\text{or}\quad s_{ab} / \sqrt{s_{aa} s_{bb}}

    Parameters
    ----------
    substitution : str, default="blosum62"
        Matrix of substitution scores: "blosum62", "pam50", or another blosum or pam that
        the library has.
    gap_open, gap_extend : int, default=11 and 1
        A gap of k letters costs gap_open + (k - 1) gap_extend, and gap_open ≥ gap_extend.
    normalized : bool, default=False
        Divide by the geometric mean of the scores of both sequences with themselves, so
        that length matters less. Where one of these is zero the result is zero, and where
        ambiguous letters would take it above one, it is one.

    Notes
    -----
    Smith and Waterman (1981) with Gotoh's affine gaps; the two alignments of CDNN's protein
    folds are ``SmithWaterman(substitution="blosum62")`` and ``"pam50"``. Letters are the
    twenty amino acids, B, Z, X and \*, in either case; U, O and J count as X.

    O(l²) per pair of length l. parasail (SIMD, one query profile for each row of the block) takes
    about ten microseconds for sequences of two hundred letters, biopython about forty
    times as long; scores are the same.

    Examples
    --------
    >>> from similearn.similarities import SmithWaterman
    >>> SmithWaterman()("HEAGAWGHEE", "PAWHEAE")
    17.0
    """

    kind = "similarity"
    symmetric = True
    requires = ("parasail", "bio")

    def __init__(
        self,
        substitution: str = "blosum62",
        *,
        gap_open: int = 11,
        gap_extend: int = 1,
        normalized: bool = False,
    ) -> None:
        self.substitution = substitution
        self.gap_open = gap_open
        self.gap_extend = gap_extend
        self.normalized = normalized

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Zero to one if normalized, else not bounded above."""
        return (0.0, 1.0) if self.normalized else (0.0, np.inf)

    def check_installed(self) -> None:
        """Raise `MissingExtraError` if there is neither parasail nor biopython."""
        if find_spec("parasail") is None and find_spec("Bio") is None:
            raise MissingExtraError(
                "The similarity 'smith_waterman' needs parasail or biopython; neither is "
                'installed. Run: pip install "similearn[bio]"'
            )

    def self_values(self, A: Any) -> np.ndarray:
        """Return the score of each sequence with itself; one, or zero, if normalized."""
        a = self.prepare(A)
        own = self._own_scores(a.parts[0])
        return (own > 0).astype(np.float64) if self.normalized else own

    def _prepare(self, objects: Any) -> tuple[list[str], np.ndarray]:
        sequences = as_amino_acids(objects)
        own = self._own_scores(sequences) if self.normalized else np.empty(len(sequences))
        return sequences, own

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (rows, own_a), (columns, own_b) = a.parts, b.parts
        scorer = self._scorer()
        scores = np.zeros((len(rows), len(columns)))
        for i, row in enumerate(rows):
            scores[i] = np.fromiter(scorer(row)(columns), np.float64, len(columns))
        if not self.normalized:
            return scores
        scale = np.sqrt(own_a[:, None] * own_b[None, :])
        return np.minimum(np.divide(scores, scale, out=scores, where=scale > 0), 1.0)

    def _own_scores(self, sequences: list[str]) -> np.ndarray:
        scorer = self._scorer()
        return np.array([next(scorer(one)([one])) for one in sequences], dtype=np.float64)

    def _scorer(self) -> Callable[[str], Scorer]:
        """Return a function that takes one sequence and gives one that scores others with it."""
        gaps = (self.gap_open, self.gap_extend)
        if any(isinstance(gap, bool) or not isinstance(gap, int) or gap < 0 for gap in gaps):
            raise InputError(
                f"gap_open and gap_extend are {gaps}; expected integers that are not negative."
            )
        if self.gap_open < self.gap_extend:
            raise InputError(
                f"gap_open={self.gap_open} is less than gap_extend={self.gap_extend}; expected "
                "that opening a gap costs at least as much as going on with it."
            )
        by_parasail = find_spec("parasail") is not None
        return (_parasail_scorer if by_parasail else _biopython_scorer)(self.substitution, *gaps)


def as_amino_acids(objects: Any) -> list[str]:
    """Return sequences in upper case and in the 24 letters of the matrices."""
    expected = "amino acid sequences as strings"
    sequences = []
    for position, item in enumerate(each_object(objects, expected)):
        if not isinstance(item, str):
            refuse_object(position, item, "an amino acid sequence as a string")
        sequence = item.upper().translate(_RARE)
        unknown = sorted(set(sequence) - set(LETTERS))
        if unknown:
            is_gap = unknown[0] in "-."
            hint = " Alignment makes gaps itself; ngrams would take them as letters."
            raise InputError(
                f"Sequence {position} (counting from 0) holds {unknown[0]!r}; expected the "
                f"letters {LETTERS}. Remove gaps and spaces first.{hint if is_gap else ''}"
            )
        sequences.append(sequence)
    return sequences


def _parasail_scorer(substitution: str, gap_open: int, gap_extend: int) -> Callable[[str], Scorer]:
    import parasail

    matrix = getattr(parasail, substitution.lower(), None)
    if matrix is None or not substitution.lower().startswith(("blosum", "pam")):
        raise _unknown_matrix(substitution)
    # "striped" is twice as quick as "scan", but its scores are too low where all letters of a
    # gap cost the same.
    affine = gap_open > gap_extend
    align = parasail.sw_striped_profile_sat if affine else parasail.sw_scan_profile_sat

    def against(row: str) -> Scorer:
        if not row:
            return lambda others: iter([0] * len(others))
        profile = parasail.profile_create_sat(row, matrix)
        return lambda others: (
            align(profile, other, gap_open, gap_extend).score if other else 0 for other in others
        )

    return against


def _biopython_scorer(substitution: str, gap_open: int, gap_extend: int) -> Callable[[str], Scorer]:
    from Bio.Align import PairwiseAligner, substitution_matrices

    if substitution.lower() == "pam50":
        matrix = substitution_matrices.Array(alphabet=LETTERS, dims=2, data=pam50())
    elif substitution.upper() in substitution_matrices.load():
        matrix = substitution_matrices.load(substitution.upper())
    else:
        raise _unknown_matrix(substitution)
    aligner = PairwiseAligner(mode="local", substitution_matrix=matrix)
    aligner.open_gap_score, aligner.extend_gap_score = -gap_open, -gap_extend

    def against(row: str) -> Scorer:
        return lambda others: (aligner.score(row, o) if row and o else 0 for o in others)

    return against


def pam50() -> np.ndarray:
    """Return the PAM50 scores (24, 24) in the order of LETTERS."""
    table = np.zeros((len(LETTERS), len(LETTERS)))
    table[np.tril_indices_from(table)] = np.array(_PAM50.split(), dtype=np.float64)
    return table + np.tril(table, -1).T


def _unknown_matrix(substitution: str) -> InputError:
    return InputError(
        f"substitution={substitution!r} is unknown; expected 'blosum62', 'pam50' or another "
        "blosum or pam matrix of the library."
    )
