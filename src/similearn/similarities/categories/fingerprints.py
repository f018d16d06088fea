"""Tanimoto's and Dice's coefficients of molecules' fingerprints."""

from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.errors import InputError, MissingExtraError
from similearn.numerics.objects.intersection import Histograms
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    refuse_object,
)
from similearn.similarities.shell.registering import register

_MOST_PACKED = 1 << 16
_EXPECTED = (
    "a SMILES string, a molecule or fingerprint of RDKit, a set of bits, or a row of 0 and 1"
)


class _Fingerprints(PreparedSimilarity):
    """What both coefficients share: bits of each molecule, and the bits that two have in common."""

    kind = "similarity"
    symmetric = True
    range = (0.0, 1.0)
    releases_lock = True

    def __init__(self, radius: int = 2, n_bits: int = 2048) -> None:
        self.radius = radius
        self.n_bits = n_bits

    def self_values(self, A: Any) -> np.ndarray:
        """Return ones: a molecule shares all of its bits with itself."""
        return np.ones(len(A))

    def _prepare(self, objects: Any) -> tuple[Any, np.ndarray]:
        require_integer("radius", self.radius, low=0, high=100)
        require_integer("n_bits", self.n_bits, low=8, high=1 << 24)
        if isinstance(objects, np.ndarray) and objects.ndim == 2 and objects.dtype.kind in "buif":
            return _packed(_binary(objects))
        items = list(each_object(objects, "molecules"))
        if items and all(isinstance(item, str) or hasattr(item, "GetNumAtoms") for item in items):
            return _packed(self._by_rdkit(items))
        bits = [_bits_of(position, item) for position, item in enumerate(items)]
        width = max(n for _, n in bits)
        if width > _MOST_PACKED:  # most bits of unfolded fingerprints are nobody's
            held = Histograms.of([np.unique(np.array(list(on), dtype=np.int64)) for on, _ in bits])
            return held, held.totals
        rows = np.zeros((len(bits), width), dtype=bool)
        for row, (on, _) in zip(rows, bits, strict=True):
            row[on] = True
        return _packed(rows)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (one, of_a), (other, of_b) = a.parts, b.parts
        return self._share(_common(one, other), of_a[:, None], of_b[None, :])

    def _share(self, common: np.ndarray, of_a: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _by_rdkit(self, items: list[Any]) -> np.ndarray:
        """Bits of the Morgan fingerprints of molecules, or of SMILES strings, by RDKit."""
        try:
            from rdkit import Chem, rdBase
            from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
        except ImportError:
            raise MissingExtraError(
                f"The similarity {self.name!r} makes fingerprints of SMILES by RDKit, which is not "
                "installed: pip install rdkit. Or pass fingerprints, or compare the strings by "
                "'ngrams'."
            ) from None
        generator = GetMorganGenerator(radius=int(self.radius), fpSize=int(self.n_bits))
        rows = np.empty((len(items), int(self.n_bits)), dtype=bool)
        with rdBase.BlockLogs():
            for position, item in enumerate(items):
                molecule = Chem.MolFromSmiles(item) if isinstance(item, str) else item
                if molecule is None or (isinstance(item, str) and not item.strip()):
                    raise InputError(
                        f"Object {position} (counting from 0) is no SMILES that RDKit can read: "
                        f"{item[:60]!r}."
                    )
                rows[position] = generator.GetFingerprintAsNumPy(molecule)
        return rows


@register("tanimoto")
class Tanimoto(_Fingerprints):
    r"""Tanimoto's coefficient: the share of the bits of two molecules that both have.

    .. math:: \psi(A, B) = \frac{|A \cap B|}{|A \cup B|}

    Parameters
    ----------
    radius, n_bits : int, default=2 and 2048
        Of the Morgan fingerprints that RDKit makes of SMILES strings.

    Notes
    -----
    The same as Jaccard's coefficient. Molecules are SMILES strings or molecules of RDKit,
    fingerprints of RDKit or whatever has ``GetOnBits()`` and ``GetNumBits()``, sets of bit numbers,
    or rows of 0 and 1. Two molecules without any bit are alike. Bits are packed and counted by
    words of 64: O(m n n_bits / 64); of unfolded fingerprints, those that two share are.

    Examples
    --------
    >>> from similearn.similarities import Tanimoto
    >>> Tanimoto().matrix([{1, 5, 9}], [{1, 5}, {2}]).round(3)
    array([[0.667, 0.   ]])
    """

    def _share(self, common: np.ndarray, of_a: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        whole = of_a + of_b - common
        return np.divide(common, whole, out=np.ones_like(common), where=whole > 0)


@register("sorensen_dice")
class SorensenDice(_Fingerprints):
    r"""Dice's coefficient of fingerprints: twice the common bits per bits of both.

    .. math:: \psi(A, B) = \frac{2 |A \cap B|}{|A| + |B|}

    Parameters
    ----------
    radius, n_bits : int, default=2 and 2048
        Of the Morgan fingerprints that RDKit makes of SMILES strings.

    Notes
    -----
    Molecules and cost as for `Tanimoto`.

    Examples
    --------
    >>> from similearn.similarities import SorensenDice
    >>> SorensenDice()({1, 5, 9}, {1})
    0.5
    """

    def _share(self, common: np.ndarray, of_a: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        whole = of_a + of_b
        return np.divide(2.0 * common, np.broadcast_to(whole, common.shape),
                         out=np.ones_like(common), where=whole > 0)  # fmt: skip


def _packed(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bits in words of 64, and how many each molecule has."""
    words = np.zeros((len(rows), -(-rows.shape[1] // 64) * 8), dtype=np.uint8)
    packed = np.packbits(rows, axis=1)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64), rows.sum(axis=1, dtype=np.float64)


def _common(one: Any, other: Any) -> np.ndarray:
    """How many bits two molecules share, (m, n)."""
    if isinstance(one, Histograms) or isinstance(other, Histograms):
        return _listed(one).intersections(_listed(other))
    width = min(one.shape[1], other.shape[1])
    common = np.empty((len(one), len(other)))
    for i, words in enumerate(one[:, :width]):
        common[i] = np.bitwise_count(words & other[:, :width]).sum(axis=1, dtype=np.int64)
    return common


def _listed(bits: Any) -> Histograms:
    """The numbers of the bits that are set."""
    if isinstance(bits, Histograms):
        return bits
    each = np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=1)
    return Histograms.of([np.flatnonzero(row) for row in each])


def _binary(rows: np.ndarray) -> np.ndarray:
    if not np.all((rows == 0) | (rows == 1)):
        raise InputError("Fingerprints hold values other than 0 and 1; expected bits.")
    return rows.astype(bool)


def _bits_of(position: int, item: Any) -> tuple[Any, int]:
    """Numbers of the bits that are set, and how many bits there are."""
    if hasattr(item, "GetOnBits") and hasattr(item, "GetNumBits"):
        return list(item.GetOnBits()), int(item.GetNumBits())
    if isinstance(item, set | frozenset):
        on = list(item)
        whole = all(isinstance(bit, int | np.integer) and 0 <= bit < 1 << 24 for bit in on)
        if not whole:
            refuse_object(position, item, "a set of bit numbers from 0 to 2^24 - 1")
        return on, max(on, default=0) + 1
    row = np.asarray(item) if isinstance(item, list | tuple | np.ndarray) else np.empty(0)
    if row.ndim != 1 or not row.size or row.dtype.kind not in "buif":
        refuse_object(position, item, _EXPECTED)
    return np.flatnonzero(_binary(row[None, :])[0]), len(row)
