import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import similearn
from similearn.data.values import KINDS
from similearn.errors import FileError, InputTypeError, SimilearnError, SimilearnWarning
from similearn.experiments.models import load_model, queries_for, save_model
from similearn.experiments.models.classes import TABLE
from similearn.experiments.models.declarations import Sizes
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.states.auto_states import MEMBERS
from similearn.experiments.registry import get_method, input_of
from similearn.selection.auto.portfolio import OF_SLOW_PAIRS, PORTFOLIO
from tests.experiments.model_mutations import (
    STRANGE,
    changed_arrays,
    leaves,
    pack,
    unpacked,
    with_leaf,
)
from tests.experiments.test_models import fitted
from tests.thinning import some

METHODS = ("knn", "svm-clip", "dboost", "local-sda-joint", "fusion")


@pytest.fixture(scope="module", params=METHODS)
def original(request):
    model, block, _ = fitted(request.param)
    return model, request.param, block[np.ix_(range(5), range(60))]


@pytest.fixture
def saved(original, tmp_path):
    model, name, queries = original
    save_model(model, tmp_path / "model")
    return tmp_path / "model", name, queries


def tried(path, name, queries):
    """Load and predict: all goes well, or one of our sentences says why not."""
    try:
        model = load_model(path)
        rows = input_of(get_method(name), queries_for(model, queries))
        model.estimator.predict(rows)
    except SimilearnError as error:
        assert "\n" not in str(error)
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore")
def test_no_change_of_the_document_gets_through(saved):
    path, name, queries = saved
    document, arrays = unpacked(path)
    rng = np.random.default_rng(0)
    places = [place for place in leaves(document) if place]
    for place in [places[i] for i in rng.permutation(len(places))[: some(25)]]:
        for value in (STRANGE[rng.integers(len(STRANGE))], ...):
            pack(path, with_leaf(document, place, value), arrays)
            tried(path, name, queries)


@pytest.mark.filterwarnings("ignore")
def test_no_change_of_an_array_gets_through(saved):
    path, name, queries = saved
    document, arrays = unpacked(path)
    rng = np.random.default_rng(0)
    for member in list(arrays)[:8]:
        for other in changed_arrays(arrays[member], rng):
            pack(path, document, arrays | {member: other})
            tried(path, name, queries)


@pytest.mark.filterwarnings("ignore")
def test_damaged_bytes(saved):
    path, name, queries = saved
    whole = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for _ in range(some(25)):
        damaged = whole.copy()
        for place in rng.integers(len(whole), size=rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        tried(path, name, queries)


def test_an_index_out_of_range_is_named(tmp_path):
    model, _, _ = fitted("knn")
    save_model(model, tmp_path / "model")
    document, arrays = unpacked(tmp_path / "model")
    member = f"arrays/{document['estimator']['state']['codes_']['array']}.npy"
    arrays[member][3] = 99
    pack(tmp_path / "model", document, arrays)
    with pytest.raises(FileError, match="NeighborsClassifier: codes_ holds entries beyond 3"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("name", ["os.system", "similearn.cli.__main__", "Model", "__builtins__"])
def test_only_classes_of_the_table_are_known(tmp_path, name):
    model, _, _ = fitted("knn")
    save_model(model, tmp_path / "model")
    document, arrays = unpacked(tmp_path / "model")
    document["estimator"]["class"] = name
    pack(tmp_path / "model", document, arrays)
    with pytest.raises(FileError, match="which is no class of a model"):
        load_model(tmp_path / "model")


def test_children_of_a_node_come_later(tmp_path):
    model, _, _ = fitted("features-boosting")
    save_model(model, tmp_path / "model")
    document, arrays = unpacked(tmp_path / "model")
    member = next(name for name, a in arrays.items() if a.dtype.names and len(a) > 1)
    arrays[member]["left"][0] = 0
    pack(tmp_path / "model", document, arrays)
    with pytest.raises(FileError, match="a left child is not a later node"):
        load_model(tmp_path / "model")


def refused(path, match):
    with pytest.raises(FileError, match=match) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


def test_crafted_archives(tmp_path):
    path = tmp_path / "model"
    pack(path, "[" * 200_000, {})
    refused(path, "damaged one")
    pack(path, "NaN", {})
    refused(path, "damaged one")
    pack(path, {"format": "another"}, {})
    refused(path, "no similearn model")
    pack(path, {"format": "similearn model", "format_version": 9}, {})
    refused(path, r"model of format 9, and this is similearn .* reads the formats 2 to 3\. Fit")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    refused(path, "older format .* Fit the model again")


def test_models_of_other_versions_say_what_wrote_them(tmp_path):
    model, queries, _ = fitted("knn")
    path = tmp_path / "model"
    save_model(model, path)
    document, arrays = unpacked(path)
    older = document | {"format_version": 2, "version": "0.0.9", "created": "2026-01-02T03:04:05"}
    del older["layout"]
    pack(path, older, arrays)
    with pytest.warns(SimilearnWarning, match="written by similearn 0.0.9"):
        again = load_model(path)  # what it holds fits, so it is read
    assert_array_equal(again.predict(queries), model.predict(queries))
    del older["estimator"]["state"]["_calibrations"]
    pack(path, older, arrays)
    refused(path, r"written by similearn 0\.0\.9 on 2026-01-02, whose models .*_calibrations.*Fit")
    for layout in ("of later", None, 3):
        pack(path, older | {"format_version": 3, "layout": layout}, arrays)
        refused(path, "is a model of another version of similearn, written by similearn 0.0.9")
    pack(path, older | {"version": "\x1b[2J"}, arrays)
    refused(path, "is a model of another version of similearn, whose models")
    pack(path, older | {"format_version": 3, "layout": document["layout"]}, arrays)
    refused(path, "damaged one")  # it says that it holds what this version's do


def test_attributes_that_had_other_names_are_read(tmp_path):
    model, queries, _ = fitted("krr-knn")
    path = tmp_path / "model"
    save_model(model, path)
    document, arrays = unpacked(path)
    state = document["estimator"]["state"]
    state["references_"] = state.pop("similarities_")
    pack(path, document, arrays)
    assert_array_equal(load_model(path).predict(queries), model.predict(queries))


def test_archives_that_announce_too_much_take_no_memory(tmp_path):
    model, _, _ = fitted("knn")
    path = tmp_path / "model"
    save_model(model, path)
    document, arrays = unpacked(path)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<i8", "fortran_order": False, "shape": (10**9,)}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(document))
        for name in arrays:
            archive.writestr(name, header.getvalue())
    tracemalloc.start()
    refused(path, "announces shape")
    bomb = b"\0" * 10**7
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("model.json", "w", force_zip64=True) as out:
            for _ in range(30):
                out.write(bomb)
    refused(path, "unpacks to")
    assert tracemalloc.get_traced_memory()[1] < 2e8
    tracemalloc.stop()


def test_encrypted_members_are_refused(tmp_path):
    model, _, _ = fitted("knn")
    path = tmp_path / "model"
    save_model(model, path)
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    struct.pack_into("<H", data, place + 8, 1)
    path.write_bytes(data)
    refused(path, "is encrypted")


def test_what_is_not_declared_cannot_be_saved(tmp_path):
    model, _, _ = fitted("knn")
    model.estimator.extra_ = 3
    with pytest.raises(FileError, match=r"cannot be saved: .*Classifier: extra_ is not declared"):
        save_model(model, tmp_path / "model")
    del model.estimator.extra_

    class Stranger(type(model.estimator)):
        pass

    model.estimator.__class__ = Stranger
    with pytest.raises(FileError, match="of which nothing declares how it is stored"):
        save_model(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_names_in_the_table_are_public():
    inner = {"BlockNeighbors", "BoostedTreesClassifier", "TableNeighbors"}
    ours = {name for name in TABLE if not TABLE[name].foreign} - inner
    assert ours <= set(similearn.__all__)


def test_the_table_names_what_its_modules_declare():
    for name in TABLE:
        assert TABLE[name].kind.__name__ == name
    assert set(TABLE._entered) == set(TABLE)


def test_boosted_votes_of_two_classes_are_kept(tmp_path):
    """They have one column, not two."""
    places = np.arange(8.0)
    block = similearn.Pairwise(np.abs(np.subtract.outer(places, places)), "dissimilarity")
    model = similearn.DBoostClassifier(n_estimators=3, calibration="none")
    model.fit(block, list("aaaabbbb"))
    similearn.save(model, tmp_path / "model")
    again = similearn.load(tmp_path / "model")
    assert again.predict(block).tolist() == model.predict(block).tolist()


def test_sizes_are_decided_once():
    sizes = Sizes(n_classes=4)
    assert sizes.of("n_pairs") == 6
    assert sizes.agree("n", 5) and not sizes.agree("n", 6)
    assert Array(("n",)).shape == ("n",)


def test_shares_that_do_not_sum_to_one_are_refused(tmp_path):
    """Probabilities would not, either."""
    model, _, _ = fitted("knn")
    model.estimator.calibration_priors_ = model.estimator.calibration_priors_ / 2
    save_model(model, tmp_path / "model")
    with pytest.raises(FileError, match="does not sum to one"):
        load_model(tmp_path / "model")


def test_what_is_no_model_is_not_saved(tmp_path):
    with pytest.raises(InputTypeError, match="expected a Model, which fit_model makes"):
        save_model(similearn.NeighborsClassifier(), tmp_path / "model")


def test_every_member_that_the_portfolio_builds_may_stand_in_a_file():
    tried = (*PORTFOLIO, *OF_SLOW_PAIRS)
    built = {type(member.build(kind)).__name__ for member in tried for kind in KINDS}
    assert sorted(built) == list(MEMBERS)


def test_pipelines_among_the_members_of_the_default_are_read_as_carefully_as_others(tmp_path):
    path = tmp_path / "auto.model"
    S = np.exp(-np.abs(np.subtract.outer(np.arange(24.0), np.arange(24.0))))
    model = similearn.SimilarityClassifier().fit(S, ["a", "b"] * 12)
    similearn.save(model, path)
    document, arrays = unpacked(path)
    members = document["estimator"]["state"]["members_"]
    place = next(i for i, one in enumerate(members) if one["estimator"]["class"] == "Pipeline")
    at = ("estimator", "state", "members_", place, "estimator")
    steps = members[place]["estimator"]["parameters"]["steps"]
    strange = {
        ("state",): {"more": 1},
        ("more",): 1,
        ("parameters", "steps"): [],
        ("parameters", "memory"): None,
        ("parameters", "steps", 0): steps[-1],
        ("parameters", "steps", 0, 1, "class"): "os.system",
    }
    for within, value in strange.items():
        pack(path, with_leaf(document, (*at, *within), value), arrays)
        with pytest.raises(FileError, match=r"auto\.model"):
            load_model(path)
