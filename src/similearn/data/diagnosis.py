"""`diagnose`: what kind of block this is, and what the papers found to work on such."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import blake2b
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.advice import Finding, advise
from similearn.data.checks import (
    distinct_labels,
    require_finite,
    require_generator,
    require_integer,
)
from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.lazy.sampled_diagnosis import of_a_sample
from similearn.data.pairwise import Pairwise
from similearn.data.stored.whole_searches import all_nearest
from similearn.data.values import Floats, Indices, Kind, Values
from similearn.errors import InputError
from similearn.numerics.linalg.diagnosis import (
    double_centered,
    entries_at,
    negative_spectrum,
    row_distances,
    triples,
    violates_triangle,
)
from similearn.numerics.linalg.units import divided, unit_of
from similearn.numerics.neighbors.topk import top_k
from similearn.upward import Shown

_ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Diagnosis(Shown):
    """What was found; `print` it, or ask for `findings` or `to_dict`.

    Attributes
    ----------
    kind : "similarity" or "dissimilarity"
    n : number of samples
    class_sizes : samples of each class, or None without labels
    minimum, maximum : of all entries
    sparsity : share of the pairs of different samples with zero similarity, or (in a
        sparse dissimilarity) of unknown ones
    asymmetry_max, asymmetry_mean : of |ψ(a, b) - ψ(b, a)|, in units of maximum - minimum
    negative_eigenvalues, negative_mass : share of the eigenvalues that are negative, and
        of the sum of magnitudes that is theirs; of the symmetrized similarity, or of
        -½JD²J for a dissimilarity. None where entries are unknown.
    spectrum_samples : how many samples the two, and `row_error`, are computed from
    not_nearest_to_itself : share of samples with a nearer sample than themselves
    violated_triangles : share of triples of samples that break the triangle inequality;
        a similarity is taken as maximum - S
    n_triples : how many triples were looked at
    duplicates : samples whose row repeats an earlier one that is as near as can be
    isolated : samples without any similarity, or any known dissimilarity, to another
    neighbor_error : leave-one-out error of the one nearest neighbour
    row_error : the same by the Euclidean distance of rows (similarities as features)
    """

    kind: Kind
    n: int
    class_sizes: dict[Any, int] | None
    minimum: float
    maximum: float
    sparsity: float
    asymmetry_max: float
    asymmetry_mean: float
    negative_eigenvalues: float | None
    negative_mass: float | None
    spectrum_samples: int
    not_nearest_to_itself: float | None
    violated_triangles: float | None
    n_triples: int
    duplicates: int
    isolated: int
    neighbor_error: float | None
    row_error: float | None

    @property
    def findings(self) -> list[Finding]:
        """(name, value, advice) of each finding, in words."""
        return advise(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        plain = asdict(self)
        if self.class_sizes is not None:
            plain["class_sizes"] = {str(label): size for label, size in self.class_sizes.items()}
        plain["findings"] = [finding._asdict() for finding in self.findings]
        return plain

    def __str__(self) -> str:
        told = [
            f"{finding.name}: {finding.value}\n"
            + fill(finding.advice, 88, initial_indent="    ", subsequent_indent="    ")
            for finding in self.findings
        ]
        return "\n".join(told)


def diagnose(
    X: Any,
    y: Any = None,
    *,
    kind: Kind | None = None,
    random_state: int | np.random.Generator | None = 0,
    n_triples: int = 200_000,
    n_spectrum: int = 3000,
) -> Diagnosis:
    """Examine a block of samples with themselves before choosing a method.

    Parameters
    ----------
    X : Pairwise, or an array (n, n) with `kind`
    y : (n,) labels, optional
    kind : {"similarity", "dissimilarity"}, needed where X is not a `Pairwise`
    random_state : seeds the choice of triples, and of samples if there are many
    n_triples, n_spectrum : triples for the triangle inequality and samples for the eigenvalues

    Returns
    -------
    Diagnosis

    Notes
    -----
    Time is O(n²) and O(n_spectrum³); memory beyond the block O(n_spectrum²). Eigenvalues,
    triangles and neighbours are those of the mean of both directions (JMLR §7.2).

    Of a lazy block beyond scikit-learn's ``working_memory`` 2048 samples are examined, and all for
    `neighbor_error` if their neighbours are known (`LazyPairwise.with_table`).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import diagnose
    >>> diagnose(np.eye(3), ["a", "a", "b"], kind="similarity").n
    3
    """
    require_integer("n_triples", n_triples)
    require_integer("n_spectrum", n_spectrum)
    rng = require_generator(random_state)
    if isinstance(X, LazyPairwise):
        options: Any = {"random_state": rng, "n_triples": n_triples, "n_spectrum": n_spectrum}
        codes, sizes = _encoded(y, len(X))
        return of_a_sample(X, y, codes, sizes, partial(diagnose, kind=kind, **options))
    block, unit = _in_units(_checked_block(X, kind))
    codes, sizes = _encoded(y, len(block))
    low, high = _range(block)
    columns, nearest = _nearest_others(block)
    n_links, isolated = _links(block)
    n_pairs = len(block) * (len(block) - 1)
    asymmetry = _asymmetry(block, high - low)
    some = _some_samples(block, n_spectrum, rng)
    spectrum = _spectrum(block, some)
    violated, looked_at = _triangles(block, n_triples, high - low, rng)
    several = codes is not None and len(block) > 1 and codes.max() > 0
    return Diagnosis(
        kind=block.kind,
        n=len(block),
        class_sizes=sizes,
        minimum=low * unit,
        maximum=high * unit,
        sparsity=1.0 - n_links / n_pairs if n_pairs else 0.0,
        asymmetry_max=asymmetry[0],
        asymmetry_mean=asymmetry[1],
        negative_eigenvalues=spectrum[0],
        negative_mass=spectrum[1],
        spectrum_samples=len(some),
        not_nearest_to_itself=_not_nearest_to_itself(block, nearest, high - low),
        violated_triangles=violated,
        n_triples=looked_at,
        duplicates=_duplicates(block, nearest),
        isolated=isolated,
        neighbor_error=float(np.mean(codes[columns] != codes)) if several else None,
        row_error=_row_error(block, some, codes[some]) if several else None,
    )


def _checked_block(X: Any, kind: Kind | None) -> Pairwise:
    if isinstance(X, Pairwise):
        if kind is not None and str(kind) != X.kind:
            raise InputError(f"diagnose got a block of kind {X.kind!r} and kind={kind!r}.")
        block = X
    elif kind is None:
        raise InputError(
            "diagnose got values whose kind is unknown; say kind='similarity' (large means near) "
            "or kind='dissimilarity', or pass a Pairwise."
        )
    else:
        block = Pairwise(X, kind)
    if not block.same_samples:
        m, n = block.shape
        raise InputError(
            f"diagnose got a block of {m} queries against {n} references; expected samples against "
            "themselves, a square block."
        )
    if len(block) == 0:
        raise InputError("diagnose got an empty block; expected at least one sample.")
    require_finite(block.values)
    return block


def _in_units(X: Pairwise) -> tuple[Pairwise, float]:
    """Return the block in units of its numbers, so that no sum or square overflows."""
    entries = X.values.data if X.is_sparse else X.values
    unit = unit_of(entries)
    if unit == 1.0:
        return X, unit
    parts = {"reverse": X.reverse, "self_values": X.self_values}
    known = {name: divided(part, unit) for name, part in parts.items() if part is not None}
    return X.with_values(divided(X.values, unit), **known), unit


def _encoded(y: Any, n: int) -> tuple[Any, dict[Any, int] | None]:
    if y is None:
        return None, None
    classes, codes, counts = distinct_labels(y, n)
    sizes = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    return codes, sizes


def _range(X: Pairwise) -> tuple[float, float]:
    values = X.values
    if not X.is_sparse:
        return float(values.min()), float(values.max())
    has_zeros = X.large_is_near and values.nnz < values.shape[0] * values.shape[1]
    entries = np.append(values.data, 0.0) if has_zeros or not values.nnz else values.data
    return float(entries.min()), float(entries.max())


def _nearest_others(X: Pairwise) -> tuple[Indices, Floats]:
    """Return each sample's nearest other sample, and how near it is."""
    n = len(X)
    if n < 2:
        return np.zeros(n, dtype=np.intp), np.full(n, np.nan)
    columns, nearest = all_nearest(X, 1, skip_self=True)
    return columns[:, 0], nearest[:, 0]


def _links(X: Pairwise) -> tuple[int, int]:
    """Pairs of different samples that say something, and samples without any such pair."""
    values, n = X.values, len(X)
    if not X.is_sparse and not X.large_is_near:
        return n * (n - 1), 0
    if X.is_sparse:
        places = values.tocoo()
        told = places.row != places.col
        if X.large_is_near:
            told &= places.data != 0
        degrees = np.bincount(places.row[told], minlength=n)
        degrees += np.bincount(places.col[told], minlength=n)
    else:
        degrees = -2 * (values.diagonal() != 0).astype(np.intp)
        for start in range(0, n, _ROWS_AT_ONCE):
            told = values[start : start + _ROWS_AT_ONCE] != 0
            degrees[start : start + _ROWS_AT_ONCE] += told.sum(axis=1)
            degrees += told.sum(axis=0)
    return int(degrees.sum() // 2), int(np.count_nonzero(degrees == 0)) if n > 1 else 0


def _asymmetry(X: Pairwise, spread: float) -> tuple[float, float]:
    """Largest and mean difference of both directions, over pairs of different samples."""
    n = len(X)
    if n < 2 or spread == 0 or X.is_symmetric:
        return 0.0, 0.0
    if X.is_sparse:
        return _sparse_asymmetry(X, spread)
    largest, total = 0.0, 0.0
    for start in range(0, n, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        difference = np.abs(X.values[rows] - X.values[:, rows].T)
        largest, total = max(largest, float(difference.max())), total + float(difference.sum())
    return largest / spread, total / (n * (n - 1)) / spread


def _sparse_asymmetry(X: Pairwise, spread: float) -> tuple[float, float]:
    n = len(X)
    if X.large_is_near:
        difference, n_pairs = abs(X.values - X.values.T).data, n * (n - 1)
    else:  # only pairs that are known in both directions can be compared
        places = X.values.tocoo()
        back = entries_at(X.values, places.col, places.row, np.nan)
        known = ~np.isnan(back) & (places.row != places.col)
        difference, n_pairs = np.abs(places.data - back)[known], max(int(known.sum()), 1)
    return (
        float(difference.max(initial=0.0)) / spread,
        float(difference.sum()) / n_pairs / spread,
    )


def _some_samples(X: Pairwise, most: int, rng: np.random.Generator) -> Indices:
    n = len(X)
    return np.arange(n) if n <= most else np.sort(rng.choice(n, size=most, replace=False))


def _spectrum(X: Pairwise, some: Indices) -> tuple[float | None, float | None]:
    part = X if len(some) == len(X) else X[np.ix_(some, some)]
    if not part.is_complete:
        return None, None
    values = part.rows(both=True)
    if X.large_is_near:
        return negative_spectrum(values)
    return negative_spectrum(double_centered(values / (np.abs(values).max() or 1.0)))


def _row_error(X: Pairwise, some: Indices, codes: Indices) -> float | None:
    part = X if len(some) == len(X) else X[np.ix_(some, some)]
    if len(some) < 2 or not part.is_complete:
        return None
    rows = part.rows()
    distances = row_distances(rows / (np.abs(rows).max() or 1.0))
    columns, _ = top_k(distances, 1, largest=False, skip=np.arange(len(some)))
    return float(np.mean(codes[columns[:, 0]] != codes))


def _not_nearest_to_itself(X: Pairwise, nearest: Floats, spread: float) -> float | None:
    everyone = np.arange(len(X))
    itself = entries_at(X.values, everyone, everyone, X.absent)
    known = np.isfinite(itself)
    if len(X) < 2 or not known.any():
        return None
    excess = nearest - itself if X.large_is_near else itself - nearest
    return float(np.mean(excess[known] > 1e-12 * spread))


def _triangles(
    X: Pairwise, most: int, spread: float, rng: np.random.Generator
) -> tuple[float | None, int]:
    """Share of violated triples, and how many triples were known and looked at."""
    if len(X) < 3:
        return None, 0
    corners = triples(len(X), most, rng)
    side = _sides(X)
    sides = [side(corners[:, a], corners[:, b]) for a, b in ((0, 1), (1, 2), (0, 2))]
    known = np.isfinite(sides).all(axis=0)
    if not known.any():
        return None, 0
    a, b, c = (s[known] for s in sides)
    violated = violates_triangle(a, b, c, slack=1e-6 * spread)  # files hold rounded numbers
    return float(violated.mean()), int(known.sum())


def _sides(X: Pairwise) -> Callable[[Indices, Indices], Floats]:
    """Dissimilarity of pairs, both directions averaged; infinite where unknown."""
    absent = X.absent
    top = _range(X)[1]

    def side(i: Indices, j: Indices) -> Floats:
        forward = entries_at(X.values, i, j, absent)
        backward = entries_at(X.values, j, i, absent)
        if X.large_is_near:
            return top - (forward + backward) / 2
        either = np.minimum(forward, backward)  # where one direction is unknown, the other
        both = np.isfinite(forward) & np.isfinite(backward)
        return np.where(both, (forward + backward) / 2, either)

    return side


def _duplicates(X: Pairwise, nearest: Floats) -> int:
    """Count rows that repeat an earlier row at the nearest place there is."""
    first_with: dict[bytes, int] = {}
    pairs = []
    for i in range(len(X)):
        first = first_with.setdefault(_fingerprint(X.values, i), i)
        if first != i:
            pairs.append((first, i))
    if not pairs:
        return 0
    one, other = np.array(pairs, dtype=np.intp).T
    between = entries_at(X.values, one, other, X.absent)
    itself = entries_at(X.values, other, other, X.absent)
    if X.large_is_near:
        alike = (between >= nearest[other]) & (between >= itself) & (between != 0)
    else:
        alike = (between <= nearest[other]) & (between <= itself) & np.isfinite(between)
    return int(np.count_nonzero(alike))


def _fingerprint(values: Values, i: int) -> bytes:
    """Return 16 bytes that are the same for equal rows."""
    if not sparse.issparse(values):
        return blake2b(values[i] + 0.0, digest_size=16).digest()  # -0.0 equals 0.0
    stored = slice(values.indptr[i], values.indptr[i + 1])
    entries: list[NDArray[Any]] = [
        values.indices[stored].astype(np.int64),
        values.data[stored] + 0.0,
    ]
    return blake2b(b"".join(part.tobytes() for part in entries), digest_size=16).digest()
