"""Which registered method a model is, and the papers that its source names."""

from typing import Any

from sklearn.pipeline import Pipeline

from similearn.estimators import PairwiseSimilarity
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


_FREE = ("kind", "calibration")
"""Parameters in words that make no other method of a model."""


def papers_named(text: str) -> list[tuple[str, str]]:
    """Short names and papers, of those whose short name occurs in a text."""
    return [(name, paper) for name, paper in PAPERS.items() if name in text]


def registered_name(model: Any) -> str | None:
    """Name of the registered method that builds what is most like a model, or None."""
    model = getattr(model, "best_estimator_", model)
    last = _steps(model)[-1]
    if not hasattr(last, "get_params"):
        return None
    own, best, most = last.get_params(deep=False), None, -1
    for method in methods():
        built = method.build("similarity")
        if _types(built) != _types(model):
            continue
        other = _steps(built)[-1].get_params(deep=False)
        same = sum(_equal(own.get(name), value) for name, value in other.items())
        if same > most and all(_fits(name, own.get(name), other[name]) for name in other):
            best, most = method.name, same
    return best


def first_line(model: Any) -> str:
    """What the class of a model says of itself first."""
    told = (type(_steps(getattr(model, "best_estimator_", model))[-1]).__doc__ or "").strip()
    return told.partition("\n")[0].replace("`", "")


def _steps(model: Any) -> list[Any]:
    """The steps of a model, without that which compares objects."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    return [step for step in steps[:-1] if not isinstance(step, PairwiseSimilarity)] + steps[-1:]


def _types(model: Any) -> list[type]:
    return [type(step) for step in _steps(model)]


def _fits(name: str, own: Any, other: Any) -> bool:
    """Whether a parameter, if it is in words or holds other models, is that of the method."""
    if isinstance(other, list):
        return isinstance(own, list) and [type(o[1]) for o in own] == [type(o[1]) for o in other]
    return name in _FREE or not isinstance(other, str) or own == other


def _equal(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str | int | float | bool) and a == b)
