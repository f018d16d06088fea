"""The command that runs the papers' tables and sets them beside ours."""

from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.evidence_pages import PAGES, show_evidence
from similearn.cli.options import Cluster, Jobs, Seed, listed_names
from similearn.cli.output import console, messages, print_paths
from similearn.cli.stored_runs import require_folder, stored_after_running
from similearn.errors import InputError

EPILOG = (
    "Examples: `similearn reproduce --list --data DIR`, `similearn reproduce jmlr-3 --data "
    "DIR --jobs 2`, `similearn reproduce jmlr-3 --data DIR --shard 1/4`. If the work was "
    "interrupted, or even killed, give the same command again: it goes on where it stopped."
)
_RESULTS = Path("similearn-reproduction")


def reproduce(
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="TABLE",
            help="The name of a table, such as jmlr-3, or all; --list shows the names. Two more "
            "names are no tables of papers: auto compares the default with all methods and with "
            "scikit-learn's; probabilities shows how good the probabilities are.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of data sets: similarity/NAME.npz and features/NAME.csv.gz. Without it, "
            "stored results are reported and nothing is run.",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many partitions; by default as many as the paper.", show_default=False
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Names separated by commas; by default all.", show_default=False),
    ] = None,
    datasets: Annotated[
        str | None,
        typer.Option(help="Names separated by commas; by default all.", show_default=False),
    ] = None,
    printed: Annotated[
        bool,
        typer.Option(
            "--printed", help="Run only what the paper prints: no other readings or methods."
        ),
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    shard: Annotated[
        str | None,
        typer.Option(
            help="Run one of n equal parts: i/n runs part i, and writes a file for it.",
            show_default=False,
        ),
    ] = None,
    merge: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Add the results of this file. You can give this option several times.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of results.")] = _RESULTS,
    packed: Annotated[
        Path | None,
        typer.Option(
            "--pack",
            metavar="FOLDER",
            help="Also write all results of the table, compressed, into this folder.",
            show_default=False,
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Also run what is stored already, as after a change of the code."
        ),
    ] = False,
    show_list: Annotated[
        bool,
        typer.Option("--list", help="List the tables, and with --data the data that are missing."),
    ] = False,
    document: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.md",
            help="Write all tables, with pictures, from the results in --output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a table of the papers and show it beside the printed numbers.

    The unit of work is one partition of one method on one data set. Results are kept in
    OUTPUT/TABLE.jsonl, or in one file per shard; the next call reads them all.
    """
    rows = listed_names(methods, "--methods", "knn,sda")
    columns = listed_names(datasets, "--datasets", "voting,protein")
    if again and shard is not None:
        raise InputError("--again goes without --shard: the old results would count.")
    if table in PAGES:
        idle = [name for name, on in (("--printed", printed), ("--list", show_list)) if on]
        if idle:
            raise InputError(f"{idle[0]} goes with tables of papers, which {table} is not.")
        show_evidence(
            table,
            data,
            splits=splits,
            methods=rows,
            datasets=columns,
            seed=seed,
            jobs=jobs,
            shard=shard,
            again=again,
            merged=merge or [],
            output=output,
            packed=packed,
            document=document,
        )
        return
    from similearn.experiments.reproduction.plan import get_plan, plans

    chosen = plans() if table in (None, "all") else [get_plan(str(table))]
    if show_list:
        _list(chosen, data)
    elif document is not None:
        from similearn.experiments.reproduction.pages.whole_document import write_document

        print_paths(write_document(document, output))
    elif table is None:
        raise InputError("Say which table, as in `similearn reproduce jmlr-3`; --list has them.")
    else:
        if table == "all":
            chosen = _those_at_hand(chosen, data, output, rows or columns)
        for plan in chosen:
            run = plan.as_printed() if printed else plan
            _reproduce(
                run, data, splits, rows, columns, seed, jobs, shard, again, merge or [], output
            )
            if packed is not None:
                from similearn.experiments.reproduction.results import pack

                print_paths([pack(output, plan.name, packed)])


def _those_at_hand(every: Any, data: Path | None, output: Path, names: Any) -> Any:
    """The tables of which there are data, or without a folder of data, results."""
    from similearn.experiments.reproduction.columns.folder import DataFolder
    from similearn.experiments.reproduction.plan import loaded
    from similearn.experiments.reproduction.results import stored_records

    if names:
        raise InputError("--methods and --datasets go with one table, not with all.")
    if data is not None:
        return [plan for plan in every if loaded(plan, DataFolder(data))[0]]
    return [plan for plan in every if stored_records(output, plan.name)]


def _reproduce(
    plan: Any,
    data: Path | None,
    splits: int | None,
    methods: list[str] | None,
    datasets: list[str] | None,
    seed: int,
    jobs: int,
    shard: str | None,
    again: bool,
    merged: list[Path],
    output: Path,
) -> None:
    """Run what is not there yet, and report all that is."""
    from similearn.experiments.reproduction.pages.show import as_text
    from similearn.experiments.reproduction.pages.table_report import report
    from similearn.experiments.reproduction.plan import get_plan, units_of
    from similearn.experiments.reproduction.results import results_path

    def units() -> Any:
        problems = _loaded(plan, data, datasets)
        return units_of(plan, problems, n_splits=splits, methods=methods, seed=seed)

    name = plan.name
    records = stored_after_running(
        name,
        None if data is None else units,
        output=output,
        shard=shard,
        jobs=jobs,
        again=again,
        merged=merged,
    )
    console.print(as_text(report(get_plan(name), records)), markup=False, soft_wrap=True)
    path = results_path(output, name, shard)
    print_paths([path] if path.exists() else [])


def _loaded(plan: Any, data: Any, datasets: list[str] | None) -> Any:
    """Load what is in the folder, and say what is not."""
    from similearn.experiments.reproduction.columns.folder import DataFolder
    from similearn.experiments.reproduction.plan import loaded

    require_folder(data)
    problems, missing = loaded(plan, DataFolder(data), datasets)
    for key, sentence in missing.items():
        messages.print(f"Missing: {key}. {sentence}", markup=False, soft_wrap=True)
    if not problems:
        raise InputError(f"None of the data sets of {plan.name} is in {data}.")
    return problems


def _list(chosen: Any, data: Path | None) -> None:
    """Print the tables, what they are, and which of their data sets are not there."""
    from rich.markup import escape

    from similearn.experiments.reproduction.columns.folder import DataFolder
    from similearn.experiments.reproduction.plan import loaded

    for plan in chosen:
        table = plan.table
        console.print(f"[bold]{table.name}[/]  {escape(table.source)}: {escape(table.title)}")
        methods = ", ".join(row.method.name for row in plan.rows)
        console.print(f"    methods: {escape(methods)}", soft_wrap=True)
        there, missing = (
            ([column.key for column in plan.columns], {})
            if data is None
            else loaded(plan, DataFolder(data))
        )
        console.print(f"    data sets: {escape(', '.join(there))}", soft_wrap=True)
        if missing:
            console.print(f"    [yellow]missing:[/] {escape(', '.join(missing))}", soft_wrap=True)
