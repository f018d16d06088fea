"""``similearn show``: what a model is and what it expects."""

from pathlib import Path
from typing import Annotated

import typer

from similearn.cli.output import console, print_text
from similearn.cli.quick_start import import_scikit_learn

EPILOG = "Example: `similearn show families.model`"


def show(
    model: Annotated[Path, typer.Argument(help="A file of `similearn fit`.", show_default=False)],
) -> None:
    """Tell what a model is: its method, classes and references, and how good it is."""
    import_scikit_learn()
    from similearn.experiments.models import load_model
    from similearn.experiments.things.model_told import told_model

    width = console.width if console.is_terminal else None  # lines of a pipe stay whole
    print_text(told_model(load_model(model), str(model), width))
