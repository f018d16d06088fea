"""The last page: versions, seeds, commands, fingerprint, equation, and code that repeats it."""

import platform
from datetime import UTC, datetime
from typing import Any

import joblib
import numba
import numpy as np
import scipy
import sklearn
from scipy import sparse

from similearn.data import Pairwise, Sources
from similearn.errors import InputError
from similearn.experiments.comparisons.problems import fingerprint_of
from similearn.experiments.registry import get_method
from similearn.report.contents.sheets import Made
from similearn.report.made.equations import equation_of
from similearn.report.made.papers import papers_named
from similearn.version import __version__


def made_by(
    *,
    method: str | None,
    summary: str = "",
    seed: int,
    seconds: float,
    command: str | None = None,
    python: str = "",
    fingerprint: str | None = None,
    further: dict[str, str] | None = None,
    told: str = "",
) -> Made:
    """Gather what must be known to make the report again.

    `summary` says what a method is that is not registered; `told` is what else the page says, whose
    papers are then named.
    """
    equation, source = "", ""
    if method is not None:
        equation = equation_of(method)
        try:
            known = get_method(method)
            source = f"{known.name}: {known.summary} ({known.source})"
        except InputError:
            source = f"{method}: {summary}" if summary else method
    rows = [
        ("Made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("similearn", __version__),
        ("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        ("Libraries", _libraries()),
        ("Seed", str(seed)),
        ("Time to compute", f"{seconds:.1f} s" if seconds >= 0.1 else "under 0.1 s"),
    ]
    if fingerprint is not None:
        rows.append(("Fingerprint of the data", f"sha256:{fingerprint[:32]}"))
    rows += list((further or {}).items())
    commands = [command] if command else []
    return Made(rows, commands, python, equation, source, papers_named(f"{source} {told}"))


def data_fingerprint(X: Any, y: Any) -> str | None:
    """Hash of the data and their labels, equal exactly where these are; None without data."""
    parts = _hashed(X)
    labels = [] if y is None else [np.asarray(y).astype(str)]
    return None if parts is None else fingerprint_of(*parts, *labels)


def _hashed(X: Any) -> list[Any] | None:
    """Texts and arrays that tell all of the data: of a block, of several, of objects."""
    if X is None or (isinstance(X, Pairwise) and X.is_lazy):
        return None
    if isinstance(X, Pairwise):
        return [X.kind, *(_hashed(X.values) or ())]
    if sparse.issparse(X):
        rows = sparse.csr_array(X)
        return [rows.data, rows.indices, rows.indptr]
    if isinstance(X, Sources):
        found = [(name, _hashed(X[name])) for name in X]
        return [told for name, part in found for told in (name, *(part or ()))]
    numbers = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
    return [X] if numbers else [np.array([repr(one) for one in np.asarray(X, dtype=object)])]


def _libraries() -> str:
    known = (np, scipy, sklearn, joblib, numba)
    return ", ".join(f"{module.__name__} {module.__version__}" for module in known)
