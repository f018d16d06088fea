"""Forests for expensive similarities: few comparisons, each with an exemplar."""

import numpy as np

from similearn.data.chunks import run_tasks
from similearn.data.pairwise import Pairwise
from similearn.errors import InputError, InputTypeError
from similearn.estimators.pairs.exemplar_keys import ExemplarKeys
from similearn.estimators.pairs.prototypes import PrototypeModel, farthest_known
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.parameters import require_integer
from similearn.estimators.shell.source_input import (
    BlockNeighbors,
    SourcesInput,
    column_ids,
    named_source,
)
from similearn.numerics.pairs.proximity_trees import Growth, grow, route

MOST_TOLD = 5
"""Exemplars of a query that `explain` names."""


class ProximityForestClassifier(SourcesInput, ScoreClassifier):
    """Forest of trees that compare samples with exemplars of the classes, for slow similarities.

    Each node of a tree holds one exemplar of each class; a sample goes to the nearest one. Trees
    look at n log n pairs instead of n², so that a similarity that takes a millisecond a pair can
    be used with many samples, and a query is compared with a few exemplars of each tree alone
    (Lucas et al., "Proximity Forest", 2019).

    Parameters
    ----------
    n_estimators : int, default=50
        Trees.
    n_candidates : int, default=5
        Splits that are drawn for each node, each of a source and of one exemplar of each class;
        the one of least weighted Gini impurity is taken.
    max_depth : int, optional
        Levels of a tree; by default it grows until all leaves are pure.
    min_samples_leaf : int, default=1
        A split that leaves fewer samples in a branch is not made.
    split_samples : int, default=1000
        Samples of a node on which candidates are judged; the others are compared with the
        exemplars of the best one alone.
    sources : list of names, optional
        Which of the `Sources` are drawn from; by default all.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}
        Processes, where the similarity does not release the interpreter lock.
    random_state : int, RandomState instance or None, default=None
        {random_state}

    Attributes
    ----------
    classes_ : (n_classes,)
    codes_ : (n,) positions in ``classes_`` of the training labels
    sources_ : list of the names of the sources
    trees_ : list of the trees: ``starts`` of the branches of each node, ``exemplars`` and
        ``children`` of the branches, ``sources`` and class ``counts`` of the nodes
    priors_ : (n_classes,) shares of the classes among the training samples
    prototypes_ : positions, among the training samples, of all exemplars
    doors_ : what checks each source, and its unit
    farthest_ : of each source the training value that is farthest, which unknown entries count
        as

    Notes
    -----
    X is a block, lazy or not, or `Sources` of blocks. Only order counts: a transformation of the
    values that keeps it leaves every answer as it is. Asymmetric data count by the mean of both
    directions; equally near exemplars are taken in the order of the training samples, where the
    paper draws. In a sparse dissimilarity, what is unknown counts as the farthest known value.

    A leaf that ``c`` of ``N`` training samples of a class came to gives it the share
    ``(c + prior) / (N + 1)``; scores are the mean over the trees.

    Comparisons: with G classes in a node and a tree of depth about log n, each tree compares a
    training sample with some G log n exemplars, and up to ``split_samples`` samples of a node with
    ``n_candidates`` times as many; a query costs G log n per tree. The calibration trains three
    more forests on two thirds of the samples each: with ``calibration="none"`` training takes a
    third.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import PairwiseSimilarity, ProximityForestClassifier
    >>> words = ["aabab", "abba", "baab", "bab", "xyyx", "xxy", "yyx", "yx"]
    >>> forest = ProximityForestClassifier(n_estimators=20, random_state=0)
    >>> model = make_pipeline(PairwiseSimilarity("levenshtein", lazy=True), forest)
    >>> model = model.fit(words, ["ab"] * 4 + ["xy"] * 4)
    >>> model.predict(["abab", "xyx"])
    array(['ab', 'xy'], dtype='<U2')
    """

    _asks_only = True
    _path = ("n_estimators",)

    def __init__(
        self,
        n_estimators=50,
        *,
        n_candidates=5,
        max_depth=None,
        min_samples_leaf=1,
        split_samples=1000,
        sources=None,
        kind=None,
        calibration="temperature",
        costs=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.n_candidates = n_candidates
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.split_samples = split_samples
        self.sources = sources
        self.kind = kind
        self.calibration = calibration
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_training(self, X, y):
        X, y = self._training_sources(X, y)
        self.sources_ = list(X) if self.sources is None else _names(self.sources)
        self.doors_ = [BlockNeighbors().fit(self._block(X, name)) for name in self.sources_]
        self.reference_ids_ = column_ids(X)
        return X, y

    def _check_queries(self, X):
        X = self._checked_sources(X)
        blocks = [
            door._query_block(self._block(X, name))
            for name, door in zip(self.sources_, self.doors_, strict=True)
        ]
        return ExemplarKeys(blocks, self.farthest_)

    def _block(self, X, name):
        source = named_source(X, name, type(self).__name__)
        if not isinstance(source, Pairwise):
            raise InputError(
                f"Source {name!r} is a table of features, but {type(self).__name__} needs blocks "
                "of similarities or dissimilarities. Compare the rows of the table with "
                "PairwiseSimilarity first."
            )
        return source

    def _fit_path(self, X, codes, candidates):
        growth = Growth(
            n_classes=len(self.classes_),
            n_sources=len(self.sources_),
            n_candidates=require_integer("n_candidates", self.n_candidates),
            max_depth=None
            if self.max_depth is None
            else require_integer("max_depth", self.max_depth),
            min_samples_leaf=require_integer("min_samples_leaf", self.min_samples_leaf),
            n_judged=require_integer("split_samples", self.split_samples),
        )
        n_trees = max(self._n_trees(candidates))
        blocks = [self._block(X, name).of_same_samples(True) for name in self.sources_]
        self.farthest_ = [farthest_known(block) for block in blocks]
        self.codes_, self.priors_ = codes, np.bincount(codes) / len(codes)
        keys = ExemplarKeys(blocks, self.farthest_)
        seeds = PrototypeModel._generator(self).integers(2**63, size=n_trees)
        tasks = ((codes, growth, int(seed)) for seed in seeds)
        self.trees_ = self._shared(grown, keys, tasks, n_trees)
        self.prototypes_ = np.unique(np.concatenate([tree.exemplars for tree in self.trees_]))

    def _n_trees(self, candidates):
        wanted = self._values_of("n_estimators", candidates)
        return [require_integer("n_estimators", value) for value in wanted]

    def _shared(self, function, keys, tasks, count):
        """What a function gives for each tree, in their order, whoever computes it."""
        found = [None] * count
        ending = run_tasks(function, keys, tasks, n_jobs=self.n_jobs, in_threads=keys.in_threads)
        for number, part in ending:
            found[number] = part
        return found

    def _all_scores(self, keys):
        # By trees rather than by rows: processes can share them.
        tasks = ((tree, np.arange(len(keys))) for tree in self.trees_)
        found = self._shared(routed, keys, tasks, len(self.trees_))
        return self._mean_shares(found, [len(self.trees_)])[0]

    def _path_scores(self, keys, rows, candidates, skip_self=False):
        rows = np.arange(len(keys))[rows]
        found = (routed(keys, tree, rows) for tree in self.trees_)
        return self._mean_shares(found, self._n_trees(candidates))

    def _mean_shares(self, found, sizes):
        """Means (r, m, n_classes) over the first so many trees of the shares in the leaves."""
        total, means = 0.0, {}
        for count, (tree, (leaves, *_)) in enumerate(zip(self.trees_, found, strict=True), 1):
            counts = tree.counts[leaves]
            total = total + (counts + self.priors_) / (counts.sum(axis=1, keepdims=True) + 1)
            if count in sizes:
                means[count] = total / count
        return np.stack([means[size] for size in sizes])

    def _explain(self, keys):
        tasks = ((tree, np.arange(len(keys))) for tree in self.trees_)
        found = self._shared(routed, keys, tasks, len(self.trees_))
        told = {"row_ids": keys.blocks[0].row_ids, "reference_ids": self.reference_ids_}
        last, values = (np.stack([one[part] for one in found], axis=1) for part in (1, 2))
        most = min([MOST_TOLD, *(len(np.unique(row[row >= 0])) for row in last)])
        if most == 0:  # a query that no tree compares with anything
            return told
        near, counts, first = _most_frequent(last, most)
        return told | {
            "neighbors": near,
            "values": np.take_along_axis(values, first, axis=1),
            "labels": self.classes_[self.codes_[near]],
            "weights": counts / len(self.trees_),
        }


def grown(keys, codes, growth, seed):
    """One tree: what one task does."""
    return grow(keys, codes, growth, np.random.default_rng(seed))


def routed(keys, tree, rows):
    """Leaves of one tree, the last exemplars, and the values to them: what one task does."""
    leaves, exemplars, nearness, sources = route(tree, keys, rows)
    near = np.array([block.large_is_near for block in keys.blocks])[sources]
    return leaves, exemplars, np.where(near, nearness, -nearness) + 0.0


def _most_frequent(last, most):
    """The exemplars (m, most) that most trees ended with, how many, and in which tree first."""
    near, counts, first = (np.empty((len(last), most), dtype=np.intp) for _ in range(3))
    for i, row in enumerate(last):
        trees = np.flatnonzero(row >= 0)
        own, places, sizes = np.unique(row[trees], return_index=True, return_counts=True)
        order = np.argsort(-sizes, kind="stable")[:most]
        near[i], counts[i], first[i] = own[order], sizes[order], trees[places[order]]
    return near, counts, first


def _names(sources):
    if not isinstance(sources, (list, tuple)):
        raise InputTypeError(f"sources={sources!r} must be a list of names of sources, or None.")
    if not sources:
        raise InputError("sources is empty; name at least one source, or leave it None.")
    return list(sources)
