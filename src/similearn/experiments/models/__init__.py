"""Fitted methods, and the files that hold them without being able to run anything."""

from similearn.lazily import names_of

__getattr__, __dir__, __all__ = names_of(
    __name__,
    {
        "model": ["Model", "queries_for"],
        "model_files": ["load_model", "save_model"],
        "model_fitting": ["ObjectsTold", "fit_model"],
    },
)
