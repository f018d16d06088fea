"""The last page: versions, seeds, commands, fingerprint, equation, and code that repeats it."""

import platform
from datetime import UTC, datetime
from typing import Any

import joblib
import numba
import numpy as np
import scipy
import sklearn

from similearn.data import Pairwise
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
    seed: int,
    seconds: float,
    command: str | None = None,
    python: str = "",
    fingerprint: str | None = None,
    further: dict[str, str] | None = None,
) -> Made:
    """Gather what must be known to make the report again."""
    equation, source = "", ""
    if method is not None:
        equation = equation_of(method)
        try:
            known = get_method(method)
            source = f"{known.summary} ({known.source})"
        except InputError:
            source = method
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
    return Made(rows, commands, python, equation, source, papers_named(source))


def data_fingerprint(X: Any, y: Any) -> str | None:
    """Hash of a stored block and its labels, equal exactly where the data are, or None."""
    if not isinstance(X, Pairwise) or X.is_lazy:
        return None
    values = X.values
    arrays = [values.data, values.indices, values.indptr] if X.is_sparse else [values]
    labels = [] if y is None else [np.asarray(y).astype(str)]
    return fingerprint_of(X.kind, *arrays, *labels)


def _libraries() -> str:
    known = (np, scipy, sklearn, joblib, numba)
    return ", ".join(f"{module.__name__} {module.__version__}" for module in known)
