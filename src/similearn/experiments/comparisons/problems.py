"""Problems: what is compared on. Each gives the training and test block of any split."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data import Pairwise, Sources
from similearn.data.checks import as_labels, distinct_labels
from similearn.data.datasets.bundled import load_house_votes
from similearn.errors import InputError
from similearn.estimators import PairwiseSimilarity
from similearn.experiments.comparisons.splitting import Indices, random_split
from similearn.similarities import spelled
from similearn.similarities.shell.objects import taken


@dataclass(frozen=True)
class Split:
    """Blocks and labels of one split into training and test samples.

    Parameters
    ----------
    train, test : `Pairwise` blocks, `Sources`, or tables of features
    y_train, y_test : labels
    folds : (training, validation) positions for choosing parameters; None for the ten
        folds of `similearn.experiments.comparisons.splitting`
    """

    train: Any
    y_train: NDArray[Any]
    test: Any
    y_test: NDArray[Any]
    folds: list[tuple[Indices, Indices]] | None = None


class Problem(Protocol):
    """Something to compare methods on.

    Attributes
    ----------
    name : for tables and file names
    fingerprint : changes whenever the data do, so that stored results are never mixed up
    """

    name: str

    @property
    def fingerprint(self) -> str: ...  # noqa: D102

    def split(self, seed: int, number: int) -> Split:
        """Return one of the splits."""
        ...


class BlockProblem:
    """A block of samples with themselves, or several, as read from files.

    Parameters
    ----------
    name : for tables and file names
    block : (n, n) `Pairwise`, or `Sources` of them
    y : (n,) labels
    """

    def __init__(self, name: str, block: Pairwise | Sources, y: Any) -> None:
        self.name = name
        self.block = block
        self.y = checked_labels(y, len(block))
        if block.shape[0] != block.shape[1]:
            raise InputError(
                f"Comparing needs a square block of samples with themselves, got {block.shape}. "
                "A block of queries against training samples is for `similearn predict`."
            )

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the values, the kind, the labels, and whatever else a block may carry."""
        labels = self.y.astype(str)
        if isinstance(self.block, Sources):
            of_each = [(name, *_told_of(self.block[name])) for name in self.block]
            return fingerprint_of(labels, *(part for parts in of_each for part in parts))
        kind, *rest = _told_of(self.block)
        values = len(_arrays_of(self.block.values))
        return fingerprint_of(kind, *rest[:values], labels, *rest[values:])

    def split(self, seed: int, number: int) -> Split:
        """Cut the block by rows and columns."""
        train, test = random_split(self.y, seed, number)
        return Split(
            self.block[np.ix_(train, train)],
            self.y[train],
            self.block[np.ix_(test, train)],
            self.y[test],
        )


class ObjectsProblem:
    """Objects and a similarity that is learned from labels.

    Parameters
    ----------
    name : for tables and file names
    objects : n of them, the rows of an array, or a list
    y : (n,) labels
    similarity : unfitted, or its name

    Notes
    -----
    It is fitted to the training objects of each split alone; test objects are then compared
    with them.
    """

    def __init__(self, name: str, objects: Any, y: Any, similarity: Any) -> None:
        self.name, self.objects, self.similarity = name, objects, similarity
        self.y = checked_labels(y, len(objects))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the objects, the labels and the name of the similarity."""
        objects = np.array([repr(one) for one in self.objects])
        return fingerprint_of(spelled(self.similarity), objects, self.y.astype(str))

    def split(self, seed: int, number: int) -> Split:
        """Fit the similarity to the training objects and measure."""
        train, test = random_split(self.y, seed, number)
        metric = PairwiseSimilarity(self.similarity, progress=False)
        block = metric.fit_transform(taken(self.objects, train), self.y[train])
        queries = metric.transform(taken(self.objects, test))
        return Split(block, self.y[train], queries, self.y[test])

    def whole(self) -> tuple[Pairwise, NDArray[Any]]:
        """Block of all objects, for pictures; the similarity has seen every label."""
        metric = PairwiseSimilarity(self.similarity, progress=False)
        return metric.fit_transform(self.objects, self.y), self.y


class VotesProblem(ObjectsProblem):
    """Tell the party from the votes of the US House of Representatives of 1984.

    Notes
    -----
    Members are compared by the value difference metric, a dissimilarity learned from
    labels ("Voting" in the papers).
    """

    def __init__(self) -> None:
        self.votes, y = load_house_votes(return_X_y=True)
        super().__init__("House votes of 1984", self.votes, y, "value_difference")

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the votes and parties."""
        return fingerprint_of("value difference", self.votes.astype(str), self.y)


def checked_labels(y: Any, n: int) -> NDArray[Any]:
    """Return n labels of at least two classes, with enough samples to hold some out."""
    if y is None:
        raise InputError("There are no labels. Name a file of labels with --labels.")
    labels = as_labels(y)
    classes, _, counts = distinct_labels(labels, n)
    if labels.dtype.kind == "f":
        whole = np.isfinite(labels) & (labels == np.round(labels))
        if not whole.all():
            raise InputError(
                f"The labels hold {labels[~whole][0]:g}; expected classes: words or whole numbers. "
                "To learn numbers is regression, which this is not."
            )
    if len(classes) < 2:
        raise InputError(f"The labels hold one class, {classes[0]!s}; classifying needs two.")
    if len(labels) > 1 and counts.max() == 1:
        raise InputError(told_unique(labels))
    if (counts[counts > 1]).sum() < 10:
        raise InputError(
            f"Only {n} samples: to choose parameters and to compare methods, samples are held out, "
            "which needs at least 10 in classes of two or more."
        )
    return labels


def told_unique(labels: Any, name: str = "") -> str:
    """Say that labels, of a column of that name, are all different, and so name samples."""
    of = f" of `{name}`" if name else ""
    return (
        f"Every label{of} occurs once, such as {str(labels[0])!r} and {str(labels[1])!r}; expected "
        "classes, which several samples have in common. Was another column meant?"
    )


def _told_of(block: Any) -> list[Any]:
    """Kind and values, and what only some blocks have: a plain square block has nothing of it."""
    if not isinstance(block, Pairwise):
        return ["table", np.asarray(block)]
    parts: list[Any] = [block.kind, *_arrays_of(block.values)]
    parts += [] if block.same_samples else ["other samples"]
    for name in ("reverse", "self_values"):
        value = getattr(block, name)
        if value is not None:
            parts += [name, *_arrays_of(value)]
    return parts


def _arrays_of(values: Any) -> list[NDArray[Any]]:
    return [values.data, values.indices, values.indptr] if sparse.issparse(values) else [values]


def fingerprint_of(*parts: Any) -> str:
    """Hash texts and arrays with their shapes and types."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.shape}{part.dtype}".encode())
            digest.update(np.ascontiguousarray(part).view(np.uint8).data if part.size else b"")
        else:
            digest.update(str(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()
