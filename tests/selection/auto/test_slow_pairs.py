"""Where all pairs of a lazy block take too long, the default is a forest."""

import numpy as np
from numpy.testing import assert_array_equal

import similearn
from benchmarks.names import make_names
from similearn import PairwiseSimilarity, SimilarityClassifier
from similearn.selection.auto import named_blocks
from similearn.selection.auto.named_blocks import why_slow

NAMES, PEOPLES = make_names(80)
NAMES = [f"{name}{'aeiou'[g] * 5}" for name, g in zip(NAMES, PEOPLES, strict=True)]


def test_a_forest_replaces_the_others(monkeypatch, tmp_path):
    compare = PairwiseSimilarity("levenshtein", lazy=True)
    block = compare.fit_transform(NAMES[:60])
    assert why_slow(block) is None
    assert why_slow(block.computed()) is None
    monkeypatch.setattr(named_blocks, "PATIENCE", 0.0)
    model = SimilarityClassifier(effort="quick").fit(block, PEOPLES[:60])
    assert [member.name for member in model.members_] == ["proximity-forest"]
    assert "comparing all pairs by levenshtein" in str(model.leaderboard_.rows)
    queries = compare.transform(NAMES[60:])
    assert np.mean(model.predict(queries) == PEOPLES[60:]) > 0.7
    similearn.save(model, tmp_path / "auto.simi")
    again = similearn.load(tmp_path / "auto.simi")
    assert_array_equal(again.predict_proba(queries), model.predict_proba(queries))
