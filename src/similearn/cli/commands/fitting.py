"""``similearn fit``: from a file to a model."""

from pathlib import Path
from typing import Annotated

import typer

from similearn.cli.options import (
    EffortChoice,
    File,
    Force,
    Jobs,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    Seed,
    read_block,
    refuse_overwriting,
)
from similearn.cli.output import print_done, print_text

EPILOG = (
    "Example: `similearn fit scores.npz -o scores.model`, then "
    "`similearn predict scores.model new.csv -o labels.csv`"
)


def fit(
    file: File,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="The model's file; - is standard output.", show_default=False
        ),
    ],
    labels: Labels = None,
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    method: Annotated[
        str, typer.Option(help="A name of `similearn methods`; auto tries and combines them.")
    ] = "auto",
    effort: Annotated[
        EffortChoice, typer.Option(help="How many methods auto tries, on 3, 5 or 10 folds.")
    ] = EffortChoice.normal,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Seconds after which auto tries no further method.", show_default=False
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    force: Force = False,
) -> None:
    """Fit a classifier to all samples of a file.

    By default it tries methods of several families and combines the best; --method fits one, its
    parameters chosen by cross-validation. Loading the model's file runs no code, and everything
    in it is checked.
    """
    from similearn.experiments.models import fit_model, save_model
    from similearn.experiments.registry import get_method

    refuse_overwriting(output, force)
    chosen = get_method(method)
    block, y = read_block(file, labels, kind, part, missing)
    options = {"effort": effort.value, "time_limit": time_limit or None, "n_jobs": jobs}
    model = fit_model(chosen, block, y, seed, **(options if chosen.name == "auto" else {}))
    save_model(model, output)
    if chosen.name == "auto":
        print_text(model.estimator.leaderboard_, output)
    told = ", ".join(f"{name} = {value}" for name, value in model.parameters.items())
    done = f"Fitted {model.method} to {model.n_training} samples" + f", {told}" * bool(told)
    print_done(done, output)
