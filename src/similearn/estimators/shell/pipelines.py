"""Whether something is a Pipeline, without importing scikit-learn's pipelines to ask."""

import sys
from typing import Any


def is_pipeline(value: Any) -> bool:
    """Whether this is a scikit-learn Pipeline; there is none before its module is imported."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(value, module.Pipeline)
