"""``similearn fit``: from files to a model."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    ClassWeight,
    Column,
    Costs,
    Directed,
    EffortChoice,
    Features,
    Files,
    Force,
    Format,
    Jobs,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    Repeated,
    RepeatedChoice,
    Score,
    ScoringChoice,
    Seed,
    Similarities,
    What,
    chosen_scoring,
    reading_words,
    refuse_overwriting,
    told_command,
)
from similearn.cli.output import print_done, print_notes, print_text
from similearn.cli.samples import read_labelled
from similearn.errors import InputError

EPILOG = (
    "Examples: `similearn fit scores.npz -o scores.model`, `similearn fit proteins.fasta --labels "
    "families.tsv --similarity smith-waterman -o families.model`, then `similearn predict "
    "families.model new.fasta -o predicted.csv`"
)


def fit(
    files: Files,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="The model's file; - is standard output.", show_default=False
        ),
    ],
    features: Features = None,
    similarity: Similarities = None,
    labels: Labels = None,
    column: Column = None,
    objects: What = None,
    format: Format = None,
    score: Score = None,
    directed: Directed = None,
    repeated: Repeated = RepeatedChoice.error,
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    method: Annotated[
        str, typer.Option(help="A name that `similearn methods` lists; auto combines several.")
    ] = "auto",
    effort: Annotated[
        EffortChoice | None,
        typer.Option(
            help="How many methods auto tries, on 3, 5 or 10 folds.", show_default="normal"
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds after which auto tries no further method.", show_default=False),
    ] = None,
    scoring: Annotated[
        ScoringChoice | None,
        typer.Option(
            help="With --method: the measure that chooses its parameters; cost needs --costs.",
            show_default="error",
        ),
    ] = None,
    costs: Costs = None,
    class_weight: ClassWeight = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a page that shows how good the model is, and why it decides as "
            "it does.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    force: Force = False,
) -> None:
    """Fit a classifier to all samples of a file: objects, or a matrix.

    By default it tries methods of several families and combines the best; --method fits one, and
    cross-validation chooses its parameters. A model of objects holds the objects and how they are
    compared, so that you need nothing else to label new ones. Loading a model's file runs no code,
    and everything in it is checked.
    """
    from similearn.data.files.outputs import is_stdout
    from similearn.experiments.models import ObjectsTold, fit_model, save_model
    from similearn.experiments.registry import get_method
    from similearn.experiments.tuning import balanced

    refuse_overwriting(output, force)
    if report is not None:
        refuse_overwriting(report, force)
        if os.path.realpath(report) == os.path.realpath(output):
            raise InputError(f"{report} cannot hold the model and the report; name two files.")
    chosen = get_method(method)
    _refuse_idle(chosen.name, effort, time_limit, scoring)
    chosen = chosen if class_weight is None else balanced(chosen)
    samples = read_labelled(
        files, similarity, labels, column, objects, features,
        kind=kind, part=part, missing=missing, format=format, score=score,
        directed=directed, repeated=repeated,
    )  # fmt: skip
    print_notes(samples.notes, output)
    minded = chosen_scoring(scoring or ScoringChoice.error, costs, samples.labels)
    tried = (effort or EffortChoice.normal).value
    options = {"effort": tried, "time_limit": time_limit, "n_jobs": jobs}
    told = (
        ObjectsTold(samples.compare, samples.what, samples.columns, samples.ids, samples.column)
        if samples.compare
        else None
    )
    model = fit_model(
        chosen, samples.to_be_fitted(), samples.labels, seed, objects=told, scoring=minded,
        tables=samples.tables, score=samples.score,
        **(options if chosen.name == "auto" else {}),
    )  # fmt: skip
    save_model(model, output)
    if chosen.name == "auto":
        default = model.estimator if hasattr(model.estimator, "notes_") else model.estimator[-1]
        print_text(default.leaderboard_, output)
        print_notes(default.notes_, output)
    elif model.validation:
        print_text(f"Validated: {model.validation}.", output)
    chosen_values = ", ".join(f"{name} = {value}" for name, value in model.parameters.items())
    done = f"Fitted {model.method} to {model.n_training} samples"
    print_done(done + f", {chosen_values}" * bool(chosen_values), output)
    if report is not None:
        from similearn.report import write_report

        known = {"X": samples.data, "y": samples.labels, "names": samples.ids}
        page = write_report(model, report, title=samples.name, random_state=seed, **known)
        print_done("Report on it", page)
    if not is_stdout(output):
        several = len(files) > 1 or bool(features)
        new = [_new_name(file, several=several) for file in files]
        tables = [_new_name(file, several=True) for file in features or ()]
        given = {"--features": tables, "--column": column, "--format": format}
        rest = [*reading_words(missing, directed, repeated), "-o", "predicted.csv"]
        print_text("Next: " + told_command("predict", [output, *new], given, *rest))


def _refuse_idle(method: str, effort: Any, time_limit: float | None, scoring: Any) -> None:
    """Refuse options that would do nothing."""
    if method == "auto" and scoring is not None:
        raise InputError(
            f"--scoring {scoring.value} goes with --method, whose parameters it chooses; the "
            "default combines methods by their log-loss. Leave it out, or name a --method."
        )
    for name, value in (("effort", effort), ("time-limit", time_limit)):
        if method != "auto" and value is not None:
            raise InputError(
                f"--{name} is for the default, which tries many methods, and {method} is one. "
                f"Leave out --{name} or --method."
            )
    if time_limit is not None and not time_limit > 0:
        raise InputError(
            f"--time-limit {time_limit:g} leaves no time; expected seconds above 0. Without "
            "--time-limit there is no limit."
        )


def _new_name(file: Path, *, several: bool) -> str:
    """What a file of new samples may be called: of several matrices, each has one of its own."""
    return f"new-{file.name}" if several else f"new{''.join(file.suffixes)}"
