"""``similearn predict``: labels of new samples."""

from pathlib import Path
from typing import Annotated

import typer

from similearn.cli.options import (
    Column,
    Directed,
    Features,
    Force,
    Format,
    Kind,
    Missing,
    MissingChoice,
    Part,
    Repeated,
    RepeatedChoice,
    Score,
    block_options,
    column_names,
    refuse_overwriting,
)
from similearn.cli.output import print_done, print_notes, print_text
from similearn.cli.quick_start import import_scikit_learn
from similearn.errors import InputError

EPILOG = (
    "Examples: `similearn predict families.model new.fasta -o predicted.csv`, `similearn predict "
    "scores.model new.csv -o predicted.csv`, `echo korhonen | similearn predict names.model -`. "
    "In a matrix, row i and column j have the similarity of new sample i to training sample j. In "
    "a list of pairs, new samples are joined to training samples by id."
)


def predict(
    model: Annotated[Path, typer.Argument(help="A file of `similearn fit`.", show_default=False)],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="New samples: objects if the model was fitted to objects, else a matrix with a "
            "row for each new sample and a column for each training sample, or a list of pairs. "
            "Give as many files as the model was fitted to; their rows are joined by id. - reads "
            "objects from standard input, and answers each line at once.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="The file to write: CSV, or .tsv, .jsonl or .parquet; - is standard output.",
        ),
    ] = Path("-"),
    features: Features = None,
    column: Column = None,
    format: Format = None,
    score: Score = None,
    directed: Directed = None,
    repeated: Repeated = RepeatedChoice.error,
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    reverse: Annotated[
        Path | None,
        typer.Option(
            "--reverse",
            metavar="FILE",
            help="For asymmetric data: the values from the training samples to the new ones. A "
            "matrix may have the layout of FILE, or be transposed; for a list of pairs, this is a "
            "list too.",
            show_default=False,
        ),
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(
            "--coverage",
            metavar="SHARE",
            help="Also write a set of labels per sample: those that cannot be ruled out. 0.9 means "
            "that the set contains the true label in 90 % of cases.",
            show_default=False,
        ),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(
            "--why",
            metavar="ID|all",
            help="Also tell why this new sample, or each of them, got its label: what the methods "
            "say, and the training samples that support it.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Label new samples: write a table of ids (if any), labels and a probability per class.

    In CSV and TSV, a text that begins with =, +, - or @ gets a ' before it, because a spreadsheet
    would run it as a formula.
    """
    import_scikit_learn()
    from similearn.experiments.models import load_model
    from similearn.experiments.predictions import (
        never_ruled_out,
        told_reasons,
        write_predictions,
    )
    from similearn.experiments.things.queries_read import read_queries

    refuse_overwriting(output, force)
    loaded = load_model(model)
    if coverage is not None:
        print_notes(never_ruled_out(loaded, coverage), output)
    if [str(file) for file in files] == ["-"]:
        from similearn.cli.answering import answer_lines

        if why is not None:
            raise InputError("--why is for files of new samples, and - is standard input.")
        answer_lines(loaded, output, coverage)
        return
    options = block_options(
        kind, part, missing, format=format, score=score, directed=directed, repeated=repeated
    )
    queries = read_queries(
        loaded, files, column=column_names(column), reverse=reverse, features=features or (),
        **options,
    )  # fmt: skip
    print_notes(queries.notes, output)
    reasons = None if why is None else told_reasons(loaded, queries.X, queries.ids, why)
    count = write_predictions(loaded, queries.X, output, queries.ids, coverage)
    print_done(f"Labelled {count} sample{'s' * (count != 1)} by {loaded.method}", output)
    if reasons is not None:
        print_text(reasons, output)
