"""`similarity="auto"`: Python chooses as the shell does, and says so in the same sentence."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline

import similearn
from similearn import NeighborsClassifier, PairwiseSimilarity, SimilarityClassifier
from similearn.errors import InputError, InputTypeError
from similearn.experiments.things.keeping import model_of
from similearn.experiments.things.queries_read import read_queries
from similearn.experiments.things.samples_read import read_samples
from similearn.selection.auto.members import refitted

NAMES = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "tottori"]
Y = ["a"] * 4 + ["o"] * 4
RNG = np.random.default_rng(0)
PROTEINS = ["".join(RNG.choice(list("ARNDCQEGHILKMFPSTWYV"), size=40)) for _ in Y]
DNA = ["".join(RNG.choice(list("ACGT"), size=40)) for _ in Y]
SERIES = [RNG.normal(size=n) for n in range(3, 11)]
ROWS = RNG.normal(size=(8, 3))
VOTES = np.array([["y", "n"], ["y", "?"], ["y", "n"], ["?", "n"]] * 2, dtype=object)
WORDS = [{"fly"}, {"fly", "sing"}, {"sing"}, {"swim"}] * 2
THINGS = {
    "strings": NAMES,
    "texts": [f"{name} and a long story of what she did on that day, which is told here. " * 2
              for name in NAMES],
    "sequences (protein)": PROTEINS,
    "sequences (dna)": DNA,
    "sets": WORDS,
    "series": SERIES,
    "numbers": ROWS,
    "categories": VOTES,
}  # fmt: skip


def lines_of(what, objects):
    """A file of objects as the shell gets it: FASTA, or JSON lines."""
    if what.startswith("sequences"):
        return "seen.fasta", "".join(f">s{i}\n{one}\n" for i, one in enumerate(objects))
    if what == "categories":
        return "seen.csv", "first,second\n" + "".join(",".join(row) + "\n" for row in objects)
    plain = (sorted(one) if isinstance(one, set) else one for one in objects)
    plain = (one.tolist() if isinstance(one, np.ndarray) else one for one in plain)
    return "seen.jsonl", "".join(json.dumps({"object": one}) + "\n" for one in plain)


@pytest.mark.parametrize("what", THINGS)
def test_shell_and_python_choose_the_same_and_say_the_same(tmp_path, what):
    name, text = lines_of(what, THINGS[what])
    (tmp_path / name).write_text(text)
    shell = read_samples([tmp_path / name], ["auto"])
    compare = PairwiseSimilarity("auto").fit(THINGS[what], Y)
    ((_, similarity),) = shell.compare.items()
    assert repr(similarity) == repr(compare.chosen_)
    (sentence,) = compare.notes_
    assert shell.notes[-1].startswith(sentence) and "compared by" in sentence


@pytest.mark.parametrize(
    ("X", "chosen"),
    [
        (pd.DataFrame(ROWS, columns=list("abc")), "SklearnMetric"),
        (pl.DataFrame({"a": ["x", "y"] * 4, "b": ["u"] * 8}), "ValueDifference"),
        (pl.Series(NAMES), "NgramProfile"),
        (list(RNG.random((8, 5, 5))), "TangentDistance"),
        (ROWS[:, :1], "SklearnMetric"),
        ([["x", "y"], ["y", "z"]] * 4, "ValueDifference"),
    ],
)
def test_frames_images_and_lists_and_their_models(tmp_path, X, chosen):
    model = make_pipeline(PairwiseSimilarity("auto"), NeighborsClassifier(1)).fit(X, Y)
    assert type(model[0].chosen_).__name__ == chosen
    similearn.save(model, tmp_path / "m")
    again = similearn.load(tmp_path / "m")
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.estimator[0].notes_ == model[0].notes_


def test_a_column_called_smiles_holds_molecules():
    pytest.importorskip("rdkit")
    column = pd.Series(["CCO", "CCN", "c1ccccc1"], name="smiles")
    assert PairwiseSimilarity("auto").fit(column).chosen_.name == "tanimoto"


def test_the_default_classifier_chooses_once(tmp_path):
    model = SimilarityClassifier(similarity="auto", effort="quick").fit(NAMES, Y)
    assert model.notes_[0].startswith("8 strings, compared by ngrams: short strings")
    similearn.save(model, tmp_path / "m")
    assert_array_equal(similearn.load(tmp_path / "m").predict(NAMES), model.predict(NAMES))
    other = refitted(model, [name * 60 for name in NAMES], Y)  # long enough for words
    assert other.comparison_.function_.name == "ngrams"


@pytest.mark.parametrize(("X", "error"), [(3, InputTypeError), ([], InputError)])
def test_what_is_no_collection_is_told(X, error):
    with pytest.raises(error, match=r"collection|no objects"):
        PairwiseSimilarity("auto").fit(X)


def test_new_texts_without_ids_are_named_by_themselves(tmp_path):
    model = make_pipeline(PairwiseSimilarity("ngrams"), NeighborsClassifier(1)).fit(NAMES, Y)
    (tmp_path / "new.txt").write_text("hannah\nmotto\n")
    assert_array_equal(
        read_queries(model_of(model), [tmp_path / "new.txt"]).ids, ["hannah", "motto"]
    )
    (tmp_path / "long.txt").write_text("hannah\n" + "motto" * 20 + "\n")
    assert read_queries(model_of(model), [tmp_path / "long.txt"]).ids is None


def test_names_in_a_table_are_no_categories():
    rows = [[f"product {i}", "red" if i % 2 else "blue"] for i in range(60)]
    with pytest.raises(InputError, match=r"column 1 .* has 60 different words"):
        PairwiseSimilarity("auto").fit(rows)
    numbered = [[colour, str(i)] for i, (_, colour) in enumerate(rows)]
    assert "value-difference" in PairwiseSimilarity("auto").fit(numbered, [0, 1] * 30).notes_[0]


def test_measures_among_categories_are_told(tmp_path):
    rows = [f"{'rgb'[i % 3]},{i / 7:.2f},{'xy'[i % 2]}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["colour,size,label", *rows]))
    notes = read_samples([tmp_path / "a.csv"], ["auto"]).notes
    assert any("Numbers of `size` stand beside words" in note for note in notes)


def test_texts_of_one_column_among_several_must_be_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("product,town,label\nfigs,rome,a\npears,bonn,o\n")
    with pytest.raises(InputError, match=r"in the columns product, town; .* column='...'"):
        similearn.read_objects(file, what="strings")
    assert similearn.read_objects(file, what="strings", column="town").objects == ["rome", "bonn"]
