"""What a report tells, as plain numbers and words: one class for each of its pages."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.advice import Finding

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Glance:
    """The first page.

    Parameters
    ----------
    n, kind : samples, and what near means
    class_sizes : samples of each class, by name, or None without labels
    findings : (level, finding), the most consequential first; levels are "act", "consider", "fine"
    recommendation : sentences
    model : what was judged, or None
    error, log_loss : of the model
    majority_error, chance_error, prior_log_loss : of knowing no more than the class sizes
    """

    n: int
    kind: str | None
    class_sizes: dict[str, int] | None = None
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    recommendation: list[str] = field(default_factory=list)
    model: str | None = None
    how: str | None = None
    error: Estimate | None = None
    log_loss: Estimate | None = None
    majority_error: float | None = None
    chance_error: float | None = None
    prior_log_loss: float | None = None


@dataclass(frozen=True, eq=False)
class Plane:
    """Samples drawn in the plane.

    Parameters
    ----------
    name, told : of the picture, and what it keeps
    points : (n, 2)
    trust : trustworthiness of neighbourhoods, 1 if no false neighbour was drawn
    stress : Kruskal's stress-1, 0 if dissimilarities are kept
    """

    name: str
    told: str
    points: Floats
    trust: float | None
    stress: float


@dataclass(frozen=True, eq=False)
class MatrixPicture:
    """The block, ordered by class and by similarity within, in at most some hundred cells a side.

    Parameters
    ----------
    cells : (p, p) means of `step` × `step` values
    points, shares : (p,) values, and how far along the colours each lies
    order : (n_drawn,) samples, in the order of rows
    edges : where each class ends, in samples; empty without labels
    class_means : (n_classes, n_classes) means of pairs of different samples, or None
    """

    cells: Floats
    step: int
    points: Floats
    shares: Floats
    order: Indices
    edges: list[int]
    class_means: Floats | None = None


@dataclass(frozen=True, eq=False)
class BlockPictures:
    """Pages two and three.

    Parameters
    ----------
    planes : pictures of all samples; the first is shown first
    landmarks : how many samples were drawn by their own dissimilarities; the others lie between
    spectrum : eigenvalues, largest first, or None where entries are unknown
    """

    planes: list[Plane]
    landmarks: int
    matrix: MatrixPicture
    spectrum: Floats | None
    large_is_near: bool


@dataclass(frozen=True)
class Curve:
    """Held-out error of one method along one parameter, the others as chosen."""

    method: str
    parameter: str
    values: list[Any]
    errors: list[float]
    chosen: Any


@dataclass(frozen=True)
class MethodLine:
    """One method of page four; what is not known is None. `summary` says what it is."""

    name: str
    error: Estimate | None
    log_loss: float | None = None
    seconds: float | None = None
    weight: float | None = None
    parameters: str = ""
    mark: str = ""
    failure: str | None = None
    summary: str = ""
    splits: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Methods:
    """Page four.

    Parameters
    ----------
    lines : best first
    told : sentences on how they were compared
    p_values : of "the row errs more than the column", between methods by position, or None
    test : which test they are of
    """

    lines: list[MethodLine]
    told: list[str]
    p_values: list[list[float | None]] | None = None
    test: str = ""
    curves: list[Curve] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Reasons:
    """Neighbours and terms of every sample's decision.

    Parameters
    ----------
    neighbors : (n, k) positions among the references, -1 where there are fewer
    values, weights : (n, k)
    terms : names to (n, n_classes)
    parts : names of blocks to (n, k), what each adds to the dissimilarity to a neighbour
    member_weights : of the terms, where these are probabilities of members of a combination; else
        terms are added up to scores
    """

    neighbors: Indices | None
    values: Floats | None
    weights: Floats | None
    terms: dict[str, Floats]
    parts: dict[str, Floats] = field(default_factory=dict)
    member_weights: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model says of labelled samples, and why.

    Parameters
    ----------
    classes : (n_classes,)
    truth, decided : (n,) positions in `classes`; -1 is a class that the model does not know
    probabilities : (n, n_classes), or None
    how : the sentence on what the model had seen
    reference_names, reference_codes : of the samples that neighbours are taken from
    reference_places : their places among the judged samples, -1 where they are none of them
    """

    classes: NDArray[Any]
    truth: Indices
    decided: Indices
    probabilities: Floats | None
    how: str
    reasons: Reasons | None = None
    reference_names: list[str] = field(default_factory=list)
    reference_codes: Indices | None = None
    reference_places: Indices | None = None

    @property
    def right(self) -> NDArray[np.bool_]:
        """(n,) whether each decision is right."""
        return self.decided == self.truth

    @property
    def confidence(self) -> Floats | None:
        """(n,) probability of the decided class."""
        if self.probabilities is None:
            return None
        return self.probabilities[np.arange(len(self.decided)), self.decided]


@dataclass(frozen=True)
class Made:
    """The last page: how the report, and what it tells, was made."""

    rows: list[tuple[str, str]]
    commands: list[str]
    python: str
    equation: str = ""
    source: str = ""
    papers: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Contents:
    """A whole report. Pages whose numbers are not there are left out, and the page says so.

    `class_order` is the order in which people read the classes: numbers in names count as numbers.
    `objects` are the samples themselves by place, `reference_objects` those of a model that judges
    new ones: {"text": ...} or {"image": ...}. `notes` say how the data were read.
    """

    title: str
    glance: Glance
    made: Made
    names: list[str] = field(default_factory=list)
    class_names: list[str] = field(default_factory=list)
    codes: Indices | None = None
    pictures: BlockPictures | None = None
    methods: Methods | None = None
    judged: Judged | None = None
    nearest: Reasons | None = None
    suspicious: list[dict[str, Any]] = field(default_factory=list)
    objects: dict[int, dict[str, str]] = field(default_factory=dict)
    reference_objects: dict[int, dict[str, str]] = field(default_factory=dict)
    class_order: list[int] = field(default_factory=list)
    groups: dict[int, list[int]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
