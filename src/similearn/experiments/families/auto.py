"""The default: methods of all families, chosen and combined."""

from similearn.experiments.registry import Method
from similearn.selection import SimilarityClassifier

METHODS = (
    Method(
        name="auto",
        summary="the default: tunes methods of all families and combines the best",
        source="Caruana et al. 2004; the portfolio is ours",
        family="the default",
        build=lambda kind: SimilarityClassifier(kind=None if kind == "features" else kind),
    ),
)
