"""``similearn compare``: methods on a file, as the papers compare them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    Cluster,
    File,
    Jobs,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    Seed,
    chosen_methods,
    read_block,
    require_folder,
)
from similearn.cli.output import (
    kept_when_interrupted,
    messages,
    print_paths,
    print_table,
    progress_bar,
)

EPILOG = (
    "Examples: `similearn compare scores.npz`, "
    "`similearn compare scores.npz --methods knn,affinity-knn --splits 50 -o out`. The folder "
    "holds results.jsonl and table.txt, .csv, .json and .md. Work that was interrupted, even "
    "killed, goes on where it stopped when the same command is given again."
)


def compare(
    file: File,
    labels: Labels = None,
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Names separated by commas, see `similearn methods`; by default all.",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        int, typer.Option(min=1, max=9999, help="How many random 80/20 splits.")
    ] = 20,
    seed: Seed = 0,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Folder for results and tables; by default similearn-NAME.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare methods on a file, as the papers do.

    Parameters are chosen by 10-fold cross-validation within each training part. The best
    method and those not significantly worse (Wilcoxon) are marked. How long it will take is said
    beforehand; slow methods come last.
    """
    from similearn.data.chunks import n_threads
    from similearn.experiments.comparisons.forecast import told_forecast
    from similearn.experiments.comparisons.problems import BlockProblem

    chosen = chosen_methods(methods)
    data = read_block(file, labels, kind, part, missing)
    problem = BlockProblem(data.name, data.block, data.labels)
    messages.print(told_forecast(chosen, len(data.block), splits, n_threads(jobs)), soft_wrap=True)
    folder = output or Path(f"similearn-{data.name}")
    run_comparison(problem, chosen, splits, seed, jobs, folder, "the same command")


def run_comparison(
    problem: Any,
    methods: Sequence[Any],
    splits: int,
    seed: int,
    jobs: int,
    folder: Path,
    again: str,
) -> None:
    """Run, print and write a comparison; Ctrl-C says how to go on."""
    from similearn.experiments.comparisons.comparison import compare as compare_methods
    from similearn.experiments.comparisons.store import ResultStore
    from similearn.experiments.comparisons.tables import summarize, write_tables

    require_folder(folder)
    store = ResultStore(folder / "results.jsonl")
    with kept_when_interrupted(store.path, again), progress_bar(problem.name) as progress:
        records = compare_methods(
            problem,
            methods,
            n_splits=splits,
            seed=seed,
            store=store,
            n_jobs=jobs,
            progress=progress,
        )
    table = summarize(records)
    print_table(table)
    print_paths([store.path, *write_tables(table, folder)])
