"""Similarity discriminant analysis: global, local, regularized, mixtures (JMLR §6, RegSDA)."""

from functools import partial

from similearn.estimators import LocalSDAClassifier, MixtureSDAClassifier, SDAClassifier
from similearn.experiments.registry import NEIGHBORS, Method

# RegSDA §V.
ALPHAS = (1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9)
_FAMILY = "similarity discriminant analysis"


def _local(kind: str, regularization: str | None = None) -> LocalSDAClassifier:
    return LocalSDAClassifier(regularization=regularization, kind=kind)


def _regularized(name: str, summary: str, source: str) -> Method:
    """Local SDA with one of its regularizations."""
    return Method(
        name=f"local-sda-{name}",
        summary=summary,
        source=source,
        family=_FAMILY,
        build=partial(_local, regularization=name),
        grid={"n_neighbors": NEIGHBORS, "alpha": ALPHAS},
        slow=True,
    )


METHODS = (
    Method(
        name="sda",
        summary="exponential pmfs of the similarities to class centroids",
        source="JMLR §6, eq. 17-20",
        family=_FAMILY,
        build=lambda kind: SDAClassifier(kind=kind),
    ),
    Method(
        name="local-sda",
        summary="SDA of each query's neighbourhood; nearest centroid where a class is scarce",
        source="JMLR §6.1",
        family=_FAMILY,
        build=_local,
        grid={"n_neighbors": NEIGHBORS},
    ),
    _regularized("joint", "local SDA, joint pmfs mixed with average ones", "RegSDA eq. 10"),
    _regularized("marginal", "local SDA, every pmf mixed with its average", "RegSDA eq. 8-9"),
    _regularized("global-rate", "local SDA, rates drawn to those of global SDA", "RegSDA eq. 4"),
    _regularized("average-rate", "local SDA, rates drawn to their mean", "RegSDA eq. 4"),
    _regularized("mean", "local SDA, means drawn to those of global SDA", "RegSDA §IV-B"),
    _regularized("histogram", "local SDA mixed with a pmf of pooled similarities", "RegSDA §VI"),
    _regularized("adaptive", "local SDA mixed with the pmfs of near samples", "RegSDA §VI"),
    _regularized("dirichlet", "local SDA with Bayesian multinomial pmfs", "RegSDA §VI"),
    Method(
        name="mixture-sda",
        summary="SDA with several centroids for each class",
        source="JMLR §6.1",
        family=_FAMILY,
        build=lambda kind: MixtureSDAClassifier(kind=kind),
        grid={"n_components": (1, 2, 3, 4)},
        slow=True,
    ),
)
