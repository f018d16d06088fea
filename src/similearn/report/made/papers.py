"""Which registered method a model is, and the papers that its source names."""

from typing import Any

from sklearn.pipeline import Pipeline

from similearn.experiments.registry import methods

PAPERS = {
    "JMLR": "Chen, Garcia, Gupta, Rahimi and Cazzanti: Similarity-based Classification: Concepts "
    "and Algorithms. Journal of Machine Learning Research 10, 2009.",
    "RegSDA": "Cazzanti and Gupta: Regularizing the Local Similarity Discriminant Analysis "
    "Classifier.",
    "Fusing": "Cazzanti, Gupta and Srivastava: Fusing Similarities and Euclidean Features with "
    "Generative Classifiers.",
    "CDNN": "Castle and Trosset: Learning from Heterogeneous Data Sources by Combining "
    "Dissimilarities.",
    "DBoost": "Wang, Yang and Feng: On Learning with Dissimilarity Functions.",
    "Caruana": "Caruana, Niculescu-Mizil, Crew and Ksikes: Ensemble Selection from Libraries of "
    "Models. ICML 2004.",
}


def papers_named(source: str) -> list[str]:
    """Papers whose short name occurs in the source of a method."""
    return [paper for name, paper in PAPERS.items() if name in source]


def registered_name(model: Any) -> str | None:
    """Name of the registered method that builds what is most like a model, or None."""
    model = _last(getattr(model, "best_estimator_", model))
    if not hasattr(model, "get_params"):
        return None
    best, most = None, -1
    for method in methods():
        built = _last(method.build("similarity"))
        if type(built) is not type(model):
            continue
        own, other = model.get_params(deep=False), built.get_params(deep=False)
        same = sum(name in own and _equal(own[name], value) for name, value in other.items())
        if same > most:
            best, most = method.name, same
    return best


def _last(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _equal(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str | int | float | bool) and a == b)
