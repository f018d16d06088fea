"""The declared state of pipelines."""

from typing import Any

from sklearn.pipeline import Pipeline

from similearn.experiments.models.classes import TABLE, Stored
from similearn.experiments.models.declarations import Sizes
from similearn.experiments.models.declared_steps import PIPELINE, require_chained


def _chained(model: Any, sizes: Sizes) -> None:
    require_chained(model.steps)


TABLE.add(Stored(Pipeline, PIPELINE, {}, foreign=True, check=_chained))
