import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from similearn.data import Pairwise
from similearn.errors import InputError
from similearn.estimators import NeighborsClassifier, PrototypeFeatures
from similearn.experiments.comparisons.comparison import compare
from similearn.experiments.comparisons.problems import BlockProblem, VotesProblem
from similearn.experiments.comparisons.runner import Unit
from similearn.experiments.comparisons.scores import mean_log_loss
from similearn.experiments.comparisons.splitting import random_split
from similearn.experiments.comparisons.store import ResultStore
from similearn.experiments.registry import Method, get_method
from similearn.similarities import ValueDifference
from tests.experiments.data import small_problem

TIMES = {"fit_seconds", "predict_seconds", "compile_seconds"}


def problem(**changes):
    return BlockProblem("small", *small_problem(**changes))


def two_methods():
    return [get_method("knn"), get_method("affinity-knn")]


def without_times(records):
    return [{k: v for k, v in record.items() if k not in TIMES} for record in records]


class StopAfter:
    """A progress function that interrupts, as Ctrl-C would, after some units."""

    def __init__(self, units):
        self.left = units

    def __call__(self, done, total, record):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_interrupted_runs_give_what_one_run_gives(tmp_path):
    whole = compare(problem(), two_methods(), n_splits=3)
    store = ResultStore(tmp_path / "results.jsonl")
    with pytest.raises(KeyboardInterrupt):
        compare(problem(), two_methods(), n_splits=3, store=store, progress=StopAfter(2))
    assert len(store.path.read_text().splitlines()) == 2
    resumed = []
    records = compare(
        problem(),
        two_methods(),
        n_splits=3,
        store=store,
        progress=lambda done, total, record: resumed.append((done, total)),
    )
    assert resumed == [(3, 6), (4, 6), (5, 6), (6, 6)]
    assert without_times(records) == without_times(whole)


def test_more_splits_keep_those_already_done(tmp_path):
    store = ResultStore(tmp_path / "results.jsonl")
    first = compare(problem(), two_methods(), n_splits=1, store=store)
    more = compare(problem(), two_methods(), n_splits=2, store=store)
    assert [r for r in more if r["split"] == 0] == first


def test_two_processes_give_the_same():
    one = compare(problem(), two_methods(), n_splits=2)
    two = compare(problem(), two_methods(), n_splits=2, n_jobs=2)
    assert without_times(one) == without_times(two)


def test_keys_tell_apart_whatever_changes_the_result():
    knn = get_method("knn")
    changed = Method(**{**vars(knn), "grid": {"n_neighbors": (1, 2)}})
    block, y = small_problem()
    csr = Pairwise(sparse.csr_array(block.values), "similarity")
    units = [
        Unit(problem(), knn, 0, 0),
        Unit(problem(seed=1), knn, 0, 0),
        Unit(problem(), get_method("affinity-knn"), 0, 0),
        Unit(problem(), changed, 0, 0),
        Unit(problem(), knn, 1, 0),
        Unit(problem(), knn, 0, 1),
        Unit(BlockProblem("small", block, np.roll(y, 1)), knn, 0, 0),
        Unit(BlockProblem("small", csr, y), knn, 0, 0),
    ]
    for one, other in itertools.combinations(units, 2):
        assert one.key != other.key
    assert Unit(problem(), knn, 0, 0).key == units[0].key


def refusing(kind):
    return NeighborsClassifier(1000, kind=kind)


def test_a_method_that_refuses_the_data_does_not_stop_the_others(tmp_path):
    method = Method("refusing", "", "", "", refusing)
    store = ResultStore(tmp_path / "results.jsonl")
    records = compare(problem(), [get_method("knn"), method], n_splits=1, store=store)
    assert "failure" not in records[0]
    assert "n_neighbors" in records[1]["failure"]
    again = []
    compare(
        problem(),
        [get_method("knn"), method],
        n_splits=1,
        store=store,
        progress=lambda done, total, record: again.append(record["method"]),
    )
    assert again == ["refusing"]  # tried again, since what it refuses may have been mended


def without_probabilities(kind):
    from sklearn.pipeline import make_pipeline

    return make_pipeline(PrototypeFeatures(), LinearSVC())


def test_methods_without_probabilities_have_no_log_loss():
    method = Method("svm", "", "", "", without_probabilities)
    (record,) = compare(problem(), [method], n_splits=1)
    assert record["log_loss"] is None
    assert 0 <= record["error"] < 0.5


def test_log_loss_is_scikit_learns():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), size=20)
    P[3] = [0, 0, 1]
    classes = np.array(["a", "b", "c"])
    y = classes[rng.integers(3, size=20)]
    y[3] = "a"
    assert mean_log_loss(P, classes, y) == pytest.approx(log_loss(y, P, labels=classes))


def test_small_classes_neither_warn_nor_fail():
    block, y = small_problem()
    y = y.astype(object)
    y[:3], y[3] = "rare", "single"
    (record,) = compare(BlockProblem("rare", block, y.astype(str)), [get_method("knn")], n_splits=1)
    assert record["warnings"] == []
    assert "failure" not in record


def test_votes_are_compared_by_training_labels_alone():
    votes = VotesProblem()
    split = votes.split(0, 0)
    train, test = random_split(votes.y, 0, 0)
    metric = ValueDifference().fit(votes.votes[train], votes.y[train])
    assert split.train.kind == split.test.kind == "dissimilarity"
    assert_allclose(split.test.values, metric.matrix(votes.votes[test], votes.votes[train]))
    assert not np.allclose(split.train.values, votes.whole()[0].values[np.ix_(train, train)])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "There are no labels. Name a file of labels with --labels"),
        (["a"] * 60, "The labels hold one class, a"),
        (["a", "b"] * 20, r"y has shape \(40,\), but X has 60 samples"),
    ],
)
def test_labels_are_checked(labels, message):
    block, _ = small_problem()
    with pytest.raises(InputError, match=message):
        BlockProblem("small", block, labels)


def test_too_few_samples_and_rectangles_are_refused():
    block, _ = small_problem()
    with pytest.raises(InputError, match="Only 6 samples"):
        BlockProblem("few", block[np.ix_(range(27, 33), range(27, 33))], ["a", "b"] * 3)
    with pytest.raises(InputError, match="square block"):
        BlockProblem("wide", block[np.ix_(range(30), range(60))], ["a", "b"] * 15)
