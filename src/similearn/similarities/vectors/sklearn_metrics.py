"""Distances and kernels of scikit-learn, under the names that they have there."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from similearn.errors import InputError, InputTypeError
from similearn.similarities.shell.registering import registry
from similearn.similarities.shell.similarity import UNBOUNDED, Similarity

_INFINITE = (0.0, np.inf)
_UNIT = (0.0, 1.0)
_OF_BOOLEANS = {
    "dice": _UNIT,
    "jaccard": _UNIT,
    "rogerstanimoto": _UNIT,
    "russellrao": _UNIT,
    "sokalsneath": _UNIT,
    "yule": (0.0, 2.0),
}
_METRICS = {
    "braycurtis": UNBOUNDED,
    "canberra": _INFINITE,
    "chebyshev": _INFINITE,
    "cityblock": _INFINITE,
    "correlation": (0.0, 2.0),
    "cosine": (0.0, 2.0),
    "hamming": _UNIT,
    "haversine": (0.0, np.pi),
    "l1": _INFINITE,
    "l2": _INFINITE,
    "mahalanobis": _INFINITE,
    "manhattan": _INFINITE,
    "minkowski": _INFINITE,
    "nan_euclidean": _INFINITE,
    "seuclidean": _INFINITE,
    "sqeuclidean": _INFINITE,
    **_OF_BOOLEANS,
}
_OF_USEARCH = {"cosine": "cos", "cosine_similarity": "cos", "l2": "l2sq", "sqeuclidean": "l2sq"}
_KERNELS = {
    "additive_chi2": (-np.inf, 0.0),
    "chi2": _UNIT,
    "cosine_similarity": (-1.0, 1.0),
    "laplacian": _UNIT,
    "linear": UNBOUNDED,
    "polynomial": UNBOUNDED,
    "rbf": _UNIT,
    "sigmoid": (-1.0, 1.0),
}


class SklearnMetric(Similarity):
    """Any distance of ``sklearn.metrics.pairwise_distances``, by its name.

    Parameters
    ----------
    metric : str, default="manhattan"
        Such as "manhattan", "cosine" (a distance: one minus the cosine) or "canberra". Each
        is also registered under its own name, but for "euclidean", which is `Euclidean`.
    params : mapping, optional
        Further arguments of the metric, such as ``{"p": 3}`` for "minkowski".

    Attributes
    ----------
    variances_ : (d,), variances of the training columns; for "seuclidean" without V
    precision_ : (d, d), inverse of their covariance; for "mahalanobis" without VI

    Notes
    -----
    Metrics of binary rows take every number that is not zero for true. O(m n d), and
    O(m n d²) for "mahalanobis".

    Examples
    --------
    >>> from similearn.similarities import SklearnMetric
    >>> SklearnMetric("manhattan")([0.0, 1.0], [2.0, 4.0])
    5.0
    """

    kind = "dissimilarity"
    symmetric = True
    releases_lock = True

    def __init__(self, metric: str = "manhattan", *, params: Mapping[str, Any] | None = None):
        self.metric = metric
        self.params = params

    @property
    def name(self) -> str:  # type: ignore[override]
        """The metric's own name."""
        return str(self.metric)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Bounds of the metric."""
        return _METRICS.get(str(self.metric), UNBOUNDED)

    @property
    def index_metric(self) -> str | None:  # type: ignore[override]
        """What usearch calls the metric, or one of the same order."""
        return None if self.params else _OF_USEARCH.get(self.name)

    @property
    def needs_fit(self) -> bool:  # type: ignore[override]
        """Whether variances are to be learned from the training rows."""
        missing = {"seuclidean": "V", "mahalanobis": "VI"}.get(str(self.metric))
        given = self.params if isinstance(self.params, Mapping) else {}
        return missing is not None and missing not in given

    @property
    def accepts(self) -> str:  # type: ignore[override]
        """Rows of numbers; "nan_euclidean" may have gaps."""
        return "table" if self.name == "nan_euclidean" else "numbers"

    def fit(self, objects: Any, y: Any = None) -> "SklearnMetric":
        """Learn variances from the training rows, if the metric needs them."""
        self._check_name()
        if self.needs_fit and len(objects) < 2:
            raise InputError(f"{self.metric} learns variances; expected at least two rows.")
        if self.needs_fit:
            with np.errstate(over="ignore", invalid="ignore"):
                self._learn(np.asarray(objects, dtype=np.float64))
        return self

    def _learn(self, rows: np.ndarray) -> None:
        separate = self.metric == "seuclidean"
        learned = np.var(rows, axis=0, ddof=1) if separate else np.atleast_2d(np.cov(rows.T))
        if not np.isfinite(learned).all():
            raise InputError(
                f"{self.metric} learns variances, but those of these rows are beyond 1e308. Divide "
                "the columns by their largest values."
            )
        if not separate:
            self.precision_ = np.linalg.pinv(learned)
        elif not np.all(learned > 0):
            raise InputError("seuclidean divides by variances, but a column is constant.")
        else:
            self.variances_ = learned

    def matrix(self, A: Any, B: Any) -> np.ndarray:
        """Return the distances (m, n) of rows A (m, d) and B (n, d)."""
        from sklearn.metrics import pairwise_distances

        self._check_name()
        options = dict(self.params or {})
        if self.needs_fit:
            check_is_fitted(self)
            key = "V" if self.metric == "seuclidean" else "VI"
            options[key] = self.variances_ if key == "V" else self.precision_
        if self.metric == "nan_euclidean":
            options["ensure_all_finite"] = "allow-nan"
        a, b = (self._rows(objects) for objects in (A, B))
        with _refusals(self.metric):
            values = np.asarray(pairwise_distances(a, b, metric=self.metric, **options))
        return np.clip(values, *self.range)  # rounding

    def _rows(self, objects: Any) -> np.ndarray:
        rows = np.asarray(objects, dtype=np.float64)
        return rows != 0 if self.metric in _OF_BOOLEANS else rows

    def _check_name(self) -> None:
        _check("metric", self.metric, _METRICS, self.params)


class SklearnKernel(Similarity):
    """Any kernel of ``sklearn.metrics.pairwise.pairwise_kernels``, by its name.

    Parameters
    ----------
    kernel : str, default="rbf"
        "rbf", "laplacian", "polynomial", "sigmoid", "linear", "chi2", "additive_chi2" or
        "cosine_similarity" (scikit-learn's kernel "cosine", whose name its distance has).
        Each is also registered under its own name.
    params : mapping, optional
        Further arguments of the kernel, such as ``{"gamma": 0.1}``.

    Notes
    -----
    O(m n d).

    Examples
    --------
    >>> from similearn.similarities import SklearnKernel
    >>> SklearnKernel("polynomial", params={"degree": 2, "gamma": 1})([1.0, 2.0], [3.0, 0.5])
    25.0
    """

    kind = "similarity"
    symmetric = True
    accepts = "numbers"
    releases_lock = True

    def __init__(self, kernel: str = "rbf", *, params: Mapping[str, Any] | None = None):
        self.kernel = kernel
        self.params = params

    @property
    def name(self) -> str:  # type: ignore[override]
        """The kernel's own name."""
        return str(self.kernel)

    @property
    def index_metric(self) -> str | None:  # type: ignore[override]
        """What usearch calls the kernel, or a metric of the same order."""
        return None if self.params else _OF_USEARCH.get(self.name)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Bounds of the kernel."""
        return _KERNELS.get(str(self.kernel), UNBOUNDED)

    def matrix(self, A: Any, B: Any) -> np.ndarray:
        """Return the kernel's values (m, n) of rows A (m, d) and B (n, d)."""
        from sklearn.metrics.pairwise import pairwise_kernels

        _check("kernel", self.kernel, _KERNELS, self.params)
        name = "cosine" if self.kernel == "cosine_similarity" else self.kernel
        a, b = (np.asarray(objects, dtype=np.float64) for objects in (A, B))
        with _refusals(self.kernel):
            values = np.asarray(pairwise_kernels(a, b, metric=name, **(self.params or {})))
        return np.clip(values, *self.range)  # rounding


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Turn what scikit-learn says of rows that a metric does not take into a sentence of ours."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} cannot compare these rows: {error}") from error


def _check(what: str, name: Any, known: Mapping[str, Any], params: Any) -> None:
    if not isinstance(name, str) or name not in known:
        listed = ", ".join(sorted(known))
        raise InputError(f"{what}={name!r} is unknown; expected one of {listed}.")
    if params is not None and not isinstance(params, Mapping):
        raise InputTypeError(
            f"params={params!r} must be a mapping of names to values, or None, got "
            f"{type(params).__name__}."
        )


# One class serves many names, so these are entered without `register`.
for _name in _METRICS:
    registry[_name] = SklearnMetric(_name)
for _name in _KERNELS:
    registry[_name] = SklearnKernel(_name)
