"""The commands. Heavy imports are inside them, so that --help is quick."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

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
    chosen_methods,
    read_block,
    read_queries,
    refuse_overwriting,
    require_folder,
)
from similearn.cli.output import (
    console,
    ends_as_sentences,
    kept_when_interrupted,
    print_done,
    print_findings,
    print_paths,
    print_table,
    print_text,
    progress_bar,
    warnings_as_sentences,
)
from similearn.cli.reproduction import reproduce
from similearn.version import __version__

app = typer.Typer(
    help="Class labels, with probabilities, from pairwise similarities and dissimilarities of "
    "any kind: non-metric, asymmetric, indefinite or sparse.",
    epilog="Start with `similearn demo`, then `similearn inspect FILE` and `similearn compare "
    "FILE` on your own data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong is one sentence.

    0 well, 2 for what the user can mend, 1 for faults of ours, 130 interrupted.
    """
    with ends_as_sentences() as end, warnings_as_sentences():
        app(args=None if arguments is None else list(arguments), prog_name="similearn")
    return end.code


def _version(asked: bool) -> None:
    if asked:
        console.print(f"similearn {__version__}")
        raise typer.Exit


@app.callback()
def _similearn(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command(
    epilog="Example: `similearn demo --all --splits 20 -o votes`. Interrupted, it goes on where it "
    "stopped when it is called again."
)
def demo(
    splits: Annotated[int, typer.Option(min=1, max=9999, help="How many random 80/20 splits.")] = 5,
    every: Annotated[
        bool,
        typer.Option("--all", help="Also the methods that take seconds to be tuned or compiled."),
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for results, tables and pictures.")
    ] = Path("similearn-demo"),
) -> None:
    """Compare the methods on the votes of the US House of 1984, and draw them.

    435 members and their 16 votes; the party is to be told. How different two members are is
    learned from the training members alone (value difference metric). About half a minute on
    two cores, and less once the methods have been compiled; with --all, which leaves out
    nothing, about a minute per split.
    """
    from similearn.experiments.comparisons.problems import VotesProblem

    problem = VotesProblem()
    methods = chosen_methods(None)
    chosen = [method for method in methods if every or not method.slow]
    _compare(problem, chosen, splits, seed, jobs, output, "similearn demo")
    if len(chosen) < len(methods):
        left_out = len(methods) - len(chosen)
        console.print(f"{left_out} slower methods were left out; `similearn demo --all` has them.")
    block, y = problem.whole()
    print_paths(_pictures(block, y, output, problem.name))


@app.command(
    epilog="Examples: `similearn inspect scores.npz`, "
    "`similearn inspect distances.csv --kind dissimilarity --labels labels.txt -o pictures`"
)
def inspect(
    file: File,
    labels: Labels = None,
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Folder for the pictures; by default similearn-NAME.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Look at a file: what its similarities are like, what to do about it, and two pictures.

    The pictures are the matrix ordered by class and its eigenvalues.
    """
    from similearn.data.diagnosis import diagnose
    from similearn.estimators.pairs.good_dissimilarity import goodness_findings

    data = read_block(file, labels, kind, part, missing)
    folder = output or Path(f"similearn-{data.name}")
    require_folder(folder)
    findings = diagnose(data.block, data.labels).findings
    print_findings(findings + goodness_findings(data.block, data.labels))
    print_paths(_pictures(data.block, data.labels, folder, data.name))
    if data.labels is not None:
        given = {"--labels": labels, "--kind": kind, "--part": part}
        words = [
            str(w) for name, value in given.items() if value is not None for w in (name, value)
        ]
        call = ["similearn", "fit", str(file), *words, "-o", f"{data.name}.model"]
        print_text(f"Next: {shlex.join(call)}")


@app.command(
    epilog="Examples: `similearn compare scores.npz`, "
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
    method and those not significantly worse (Wilcoxon) are marked.
    """
    from similearn.experiments.comparisons.problems import BlockProblem

    chosen = chosen_methods(methods)
    data = read_block(file, labels, kind, part, missing)
    problem = BlockProblem(data.name, data.block, data.labels)
    folder = output or Path(f"similearn-{data.name}")
    _compare(problem, chosen, splits, seed, jobs, folder, "the same command")


@app.command(name="methods")
def list_methods() -> None:
    """List the methods that `compare` and `fit` know, and where they come from."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("Name", "What it does", "Needs", "Source"):
        table.add_column(column, no_wrap=column == "Name")
    family = None
    for method in chosen_methods(None):
        if method.family != family:
            table.add_row(f"[bold]{escape(method.family)}[/]")
            family = method.family
        cells = (f"  {method.name}", method.summary, method.needs, method.source)
        table.add_row(*map(escape, cells))
    console.print(table)


@app.command(
    epilog="Example: `similearn fit scores.npz -o scores.model`, then "
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


@app.command(
    epilog="Example: `similearn predict scores.model new.csv -o labels.csv`. Row i, column j of "
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
    from similearn.experiments.models import load_model
    from similearn.experiments.predictions import write_predictions

    refuse_overwriting(output, force)
    loaded = load_model(model)
    block, _ = read_queries(file, kind, loaded.kind, part, missing)
    count = write_predictions(loaded, block, output)
    print_done(f"Labelled {count} samples by {loaded.method}", output)


app.command(
    epilog="Examples: `similearn reproduce --list --data DIR`, `similearn reproduce jmlr-3 --data "
    "DIR --jobs 2`, `similearn reproduce jmlr-3 --data DIR --shard 1/4`. Work that was "
    "interrupted, even killed, goes on where it stopped when the same command is given again."
)(reproduce)


def _compare(
    problem: Any,
    methods: Sequence[Any],
    splits: int,
    seed: int,
    jobs: int,
    folder: Path,
    again: str,
) -> None:
    """Run, print and write a comparison; Ctrl-C says how to go on."""
    from similearn.experiments.comparisons.comparison import compare as run_comparison
    from similearn.experiments.comparisons.store import ResultStore
    from similearn.experiments.comparisons.tables import summarize, write_tables

    require_folder(folder)
    store = ResultStore(folder / "results.jsonl")
    with kept_when_interrupted(store.path, again), progress_bar(problem.name) as progress:
        records = run_comparison(
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


def _pictures(block: Any, y: Any, folder: Path, name: str) -> list[Path]:
    from similearn.experiments.pictures import has_spectrum, heat_map, spectrum_picture

    paths = [heat_map(block, y, folder / "similarities.png", f"{name}: ordered by class")]
    if has_spectrum(block):
        paths.append(spectrum_picture(block, folder / "spectrum.png", f"{name}: eigenvalues"))
    return paths
