"""Molecules and fingerprints of RDKit itself."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline

import similearn
from similearn import NeighborsClassifier, PairwiseSimilarity
from similearn.similarities import SorensenDice, Tanimoto

Chem = pytest.importorskip("rdkit.Chem")
from rdkit import DataStructs  # noqa: E402
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator  # noqa: E402

SMILES = ["CCO", "CCN", "CCCl", "c1ccccc1", "c1ccccc1C", "c1ccccc1O"]
MOLECULES = [Chem.MolFromSmiles(one) for one in SMILES]
GENERATOR = GetMorganGenerator(radius=2, fpSize=2048)
PRINTS = [GENERATOR.GetFingerprint(one) for one in MOLECULES]
UNFOLDED = [GENERATOR.GetSparseFingerprint(one) for one in MOLECULES]


@pytest.mark.parametrize("objects", [SMILES, MOLECULES, PRINTS], ids=["texts", "molecules", "bits"])
def test_the_values_are_those_of_rdkit(objects):
    expected = [DataStructs.BulkTanimotoSimilarity(one, PRINTS) for one in PRINTS]
    assert_array_equal(Tanimoto().matrix(objects, objects), expected)
    expected = [DataStructs.BulkDiceSimilarity(one, PRINTS) for one in PRINTS]
    assert_array_equal(SorensenDice().matrix(objects, objects), expected)


def test_unfolded_fingerprints_and_sets_of_any_numbers():
    expected = [DataStructs.BulkTanimotoSimilarity(one, UNFOLDED) for one in UNFOLDED]
    assert_array_equal(Tanimoto().matrix(UNFOLDED, UNFOLDED), expected)
    few, far = [{1, 5}, {2}], [{1, 70_000}, {1, 5}]
    assert_array_equal(Tanimoto().matrix(few, far), [[1 / 3, 1], [0, 0]])
    assert_array_equal(Tanimoto().matrix(far, few), np.transpose([[1 / 3, 1], [0, 0]]))


def test_chosen_and_saved(tmp_path):
    assert (
        "6 molecules, compared by tanimoto" in PairwiseSimilarity("auto").fit(MOLECULES).notes_[0]
    )
    y = ["chain"] * 3 + ["ring"] * 3
    model = make_pipeline(PairwiseSimilarity("auto"), NeighborsClassifier(1)).fit(PRINTS, y)
    similearn.save(model, tmp_path / "m")
    again = similearn.load(tmp_path / "m")
    assert_array_equal(again.predict_proba(PRINTS), model.predict_proba(PRINTS))
