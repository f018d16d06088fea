"""Fitted methods, and the files that hold them without being able to run anything."""

from similearn.experiments.models.model import Model, ObjectsTold, fit_model, queries_for
from similearn.experiments.models.model_files import load_model, save_model

__all__ = [
    "Model",
    "ObjectsTold",
    "fit_model",
    "load_model",
    "queries_for",
    "save_model",
]
