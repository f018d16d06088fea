"""``similearn predict``: labels of new samples."""

from pathlib import Path
from typing import Annotated

import typer

from similearn.cli.options import (
    File,
    Force,
    Kind,
    Missing,
    MissingChoice,
    Part,
    read_queries,
    refuse_overwriting,
)
from similearn.cli.output import print_done

EPILOG = (
    "Example: `similearn predict scores.model new.csv -o labels.csv`. Row i, column j of "
    "the file is the similarity of new sample i to training sample j."
)


def predict(
    model: Annotated[Path, typer.Argument(help="Made by `similearn fit`.", show_default=False)],
    file: File,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="The CSV file to write; - is standard output.",
            show_default=False,
        ),
    ],
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    force: Force = False,
) -> None:
    """Label new samples: a CSV with id (if there are any), label and a probability per class.

    A text that a spreadsheet would run, as it begins with =, +, - or @, gets a ' before it.
    """
    from similearn.errors import InputError
    from similearn.experiments.models import load_model
    from similearn.experiments.predictions import write_predictions

    refuse_overwriting(output, force)
    loaded = load_model(model)
    if loaded.kind is None:
        raise InputError(
            f"{model} was fitted to several sources, and one file holds one: predict in Python, by "
            "load_model(...).estimator.predict(Sources({...}))."
        )
    block, _ = read_queries(file, kind, loaded.kind, part, missing)
    count = write_predictions(loaded, block, output)
    print_done(f"Labelled {count} samples by {loaded.method}", output)
