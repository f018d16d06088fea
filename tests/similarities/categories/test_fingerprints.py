"""Tanimoto and Dice, against sets, and against RDKit where it is installed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.errors import InputError
from similearn.similarities import SorensenDice, Tanimoto
from tests.reference.similarities import jaccard

RNG = np.random.default_rng(0)
SETS = [set(map(int, RNG.integers(40, size=size))) for size in (0, 1, 5, 9, 20, 0)]
SMILES = ["CCO", "CCN", "c1ccccc1", "c1ccccc1O", "CC(=O)Oc1ccccc1C(=O)O"]


class Bits:
    """What RDKit's fingerprints can do, as far as it is asked."""

    def __init__(self, on):
        self.on = on

    def GetOnBits(self):
        return tuple(self.on)

    def GetNumBits(self):
        return 64


def test_sets_rows_and_fingerprints_are_the_same():
    expected = [[jaccard(a, b) for b in SETS] for a in SETS]
    rows = np.array([[bit in one for bit in range(64)] for one in SETS])
    for objects in (SETS, rows, rows.astype(float), list(rows), [Bits(one) for one in SETS]):
        assert_allclose(Tanimoto().matrix(objects, objects), expected)
    dice = [[2 * j / (1 + j) for j in row] for row in np.array(expected)]
    assert_allclose(SorensenDice().matrix(SETS, SETS), dice)


def test_smiles_are_what_rdkit_says():
    pytest.importorskip("rdkit")
    from rdkit import Chem, DataStructs
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    generator = GetMorganGenerator(radius=2, fpSize=2048)
    prints = [generator.GetFingerprint(Chem.MolFromSmiles(text)) for text in SMILES]
    for model, bulk in (
        (Tanimoto(), DataStructs.BulkTanimotoSimilarity),
        (SorensenDice(), DataStructs.BulkDiceSimilarity),
    ):
        expected = [bulk(one, prints) for one in prints]
        assert_allclose(model.matrix(SMILES, SMILES), expected)
        assert_allclose(model.matrix(prints, prints), expected)
    with pytest.raises(InputError, match=r"Object 1 .*no SMILES.*'C\(C'"):
        Tanimoto().matrix(["CC", "C(C"], ["CC"])


@pytest.mark.parametrize("objects", [[[0, 2]], [{-1}], [{"a"}], [3.5], np.array([[0.5, 1]])])
def test_messages(objects):
    with pytest.raises(InputError, match=r"expected|bits"):
        Tanimoto().matrix(objects, objects)
