"""Similarities as kernels: global, local, robust and Kreĭn machines (JMLR §2)."""

from functools import partial

from sklearn.pipeline import Pipeline

from similearn.estimators import (
    IndefiniteFisherClassifier,
    LocalSVC,
    NormalClassifier,
    PseudoEuclideanEmbedding,
    RobustSVC,
    SimilaritySVC,
)
from similearn.experiments.registry import NEIGHBORS, Method

# JMLR Table 2.
COSTS = tuple(10.0**e for e in range(-3, 6))
RIDGES = (1e-3, 1e-2, 0.1, 1.0, 10.0)
SHRINKAGES = (0.01, 0.1, 0.5, 0.9)
_FAMILY = "similarities as kernels"


def _svc(kind: str, spectrum: str) -> SimilaritySVC:
    return SimilaritySVC(spectrum=spectrum)


def _local_svc(kind: str, spectrum: str) -> LocalSVC:
    return LocalSVC(spectrum=spectrum)


def _embedded_lda(kind: str) -> Pipeline:
    """The shrunk linear discriminant in the pseudo-Euclidean space of either kind."""
    steps = [
        ("embedding", PseudoEuclideanEmbedding(kind=kind)),
        ("lda", NormalClassifier("shared")),
    ]
    return Pipeline(steps)


def _global(name: str, spectrum: str, summary: str, source: str) -> Method:
    return Method(
        name=name,
        summary=summary,
        source=source,
        family=_FAMILY,
        build=partial(_svc, spectrum=spectrum),
        grid={"C": COSTS},
        needs="similarity",
        slow=spectrum != "shift",
    )


def _local(name: str, spectrum: str) -> Method:
    return Method(
        name=name,
        summary=f"SVM among each query's neighbours, spectrum {spectrum}",
        source="JMLR §2.1.4, Table 4" if spectrum != "clip" else "JMLR §2.1.4 and §7, SVM-KNN",
        family=_FAMILY,
        build=partial(_local_svc, spectrum=spectrum),
        grid={"n_neighbors": NEIGHBORS, "C": COSTS},
        needs="similarity",
        slow=True,
    )


METHODS = (
    _global("svm-clip", "clip", "SVM, negative eigenvalues set to zero", "JMLR §2.1.2"),
    _global("svm-flip", "flip", "SVM, negative eigenvalues made positive", "JMLR §2.1.3"),
    _global("svm-shift", "shift", "SVM, all eigenvalues shifted", "JMLR §2.1.4"),
    _global("svm-square", "square", "SVM, inner products of rows as kernel", "JMLR §2.1.5"),
    _global("krein-svm", "krein", "SVM in a Kreĭn space, stabilized", "JMLR §2.1.1"),
    _local("svm-knn", "clip"),
    _local("svm-knn-flip", "flip"),
    _local("svm-knn-shift", "shift"),
    Method(
        name="robust-svm",
        summary="SVM against the worst kernel near the similarities",
        source="JMLR §2.1.2, eq. 2",
        family=_FAMILY,
        build=lambda kind: RobustSVC(),
        grid={"rho": (0.1, 1.0, 10.0), "C": (0.01, 0.1, 1.0, 10.0)},
        needs="similarity",
        slow=True,
    ),
    Method(
        name="pseudo-euclidean-lda",
        summary="linear discriminant in the pseudo-Euclidean space",
        source="JMLR §2.1.3; the shrinkage is ours",
        family=_FAMILY,
        build=_embedded_lda,
        grid={"lda__shrinkage": SHRINKAGES},
        slow=True,
    ),
    Method(
        name="indefinite-fisher",
        summary="Fisher's discriminant with the scatter of indefinite rows",
        source="JMLR §2.1.3 and §3",
        family=_FAMILY,
        build=lambda kind: IndefiniteFisherClassifier(kind=kind),
        grid={"ridge": RIDGES},
    ),
)
