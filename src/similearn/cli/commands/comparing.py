"""``similearn compare``: methods on a file, as the papers compare them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    ClassWeight,
    Cluster,
    Column,
    Costs,
    Directed,
    Features,
    Files,
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
    ScoringOption,
    Seed,
    Similarities,
    What,
    chosen_methods,
    chosen_scoring,
    require_folder,
)
from similearn.cli.output import (
    kept_when_interrupted,
    messages,
    print_notes,
    print_paths,
    print_table,
    progress_bar,
)
from similearn.cli.samples import read_labelled
from similearn.errors import InputError

EPILOG = (
    "Examples: `similearn compare scores.npz`, `similearn compare names.csv --labels language "
    "--similarity ngrams --similarity levenshtein --methods knn,auto`, "
    "`similearn compare scores.npz --methods knn,affinity-knn --splits 50 -o out`. The folder "
    "holds results.jsonl and table.txt, .csv, .json and .md, and with --report a page that shows "
    "them. If the work was interrupted, or even killed, give the same command again: it goes on "
    "where it stopped."
)


def compare(
    files: Files,
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
    scoring: ScoringOption = ScoringChoice.error,
    costs: Costs = None,
    class_weight: ClassWeight = None,
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
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Also write report.html into the folder: the data, which method wins, and whether "
            "that may be luck.",
        ),
    ] = False,
) -> None:
    """Compare methods on objects or on a matrix, as the papers do.

    Parameters are chosen by 10-fold cross-validation within each training part. The best
    method and those not significantly worse (Wilcoxon) are marked. The command says first how long
    it will take; slow methods come last.
    """
    from similearn.data import Sources
    from similearn.data.chunks import n_threads
    from similearn.experiments.comparisons.forecast import told_forecast
    from similearn.experiments.registry import on_each
    from similearn.experiments.things.comparing_samples import problem_of

    chosen = chosen_methods(methods)
    chosen = chosen if class_weight is None else _balanced(chosen)
    samples = read_labelled(
        files, similarity, labels, column, objects, features,
        kind=kind, part=part, missing=missing, format=format, score=score,
        directed=directed, repeated=repeated,
    )  # fmt: skip
    print_notes(samples.notes)
    problem = problem_of(samples)
    block = getattr(problem, "block", None)
    if isinstance(block, Sources):
        chosen = on_each(chosen, [name for name in block if name not in samples.tables])
    minded = chosen_scoring(scoring, costs, samples.labels)
    told = told_forecast(chosen, len(samples), splits, n_threads(jobs), minded)
    messages.print(told, soft_wrap=True)
    folder = output or Path(f"similearn-{samples.name}")
    run_comparison(problem, chosen, splits, seed, jobs, folder, "the same command", minded)
    if report:
        from similearn.report import write_report

        shown = {"objects": samples.data if samples.compare else None, "names": samples.ids}
        page = write_report(
            folder, folder / "report.html", X=block, y=samples.labels, title=samples.name,
            random_state=seed, **shown,
        )  # fmt: skip
        print_paths([page])


def _balanced(chosen: Sequence[Any]) -> list[Any]:
    """Methods in which classes count equally; those that have no class weights are told."""
    from similearn.experiments.tuning import balanced

    kept, left = [], {}
    for method in chosen:
        try:
            kept.append(balanced(method))
        except InputError as error:
            left[method.name] = error
    if not kept:
        raise next(iter(left.values()))
    if left:
        told = f"Left out, as they have no class weights: {', '.join(left)}."
        messages.print(told, soft_wrap=True)
    return kept


def run_comparison(
    problem: Any,
    methods: Sequence[Any],
    splits: int,
    seed: int,
    jobs: int,
    folder: Path,
    again: str,
    scoring: Any = None,
) -> None:
    """Run, print and write a comparison; Ctrl-C says how to go on."""
    from similearn.experiments.comparisons.comparison import compare as compare_methods
    from similearn.experiments.comparisons.scores import USUAL
    from similearn.experiments.comparisons.store import ResultStore
    from similearn.experiments.comparisons.tables import summarize, write_tables

    scoring = scoring or USUAL
    require_folder(folder)
    store = ResultStore(folder / "results.jsonl")
    with kept_when_interrupted(store.path, again), progress_bar(problem.name) as progress:
        records = compare_methods(
            problem,
            methods,
            n_splits=splits,
            seed=seed,
            scoring=scoring,
            store=store,
            n_jobs=jobs,
            progress=progress,
        )
    table = summarize(records, scoring.name)
    written = write_tables(table, folder)
    print_table(table, written[0])
    print_paths([store.path, *written])
