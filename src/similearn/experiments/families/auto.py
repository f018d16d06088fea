"""The default: methods of all families, chosen and combined."""

import similearn.selection as selection
from similearn.experiments.registry import Method

METHODS = (
    Method(
        name="auto",
        summary="the default: tunes methods of all families and combines the best",
        source="portfolio and rule are ours, after Caruana et al. 2004",
        family="the default",
        build=lambda kind: selection.SimilarityClassifier(
            kind=None if kind == "features" else kind
        ),
    ),
)
