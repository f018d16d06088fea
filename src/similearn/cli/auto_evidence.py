"""`similearn reproduce auto`: the default against all methods and against scikit-learn's own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similearn.cli.output import console, kept_when_interrupted, messages, print_paths, progress_bar
from similearn.errors import InputError, MissingDataError

SPLITS = 20


def show_default(
    data: Path | None,
    *,
    splits: int | None,
    methods: list[str] | None,
    datasets: list[str] | None,
    seed: int,
    jobs: int,
    shard: str | None,
    again: bool,
    output: Path,
    packed: Path | None,
    document: Path | None,
) -> None:
    """Run what is not stored yet, say what holds, and write the page."""
    from similearn.experiments.comparisons.runner import run_units, shard_of
    from similearn.experiments.comparisons.store import ResultStore
    from similearn.experiments.evidence.auto_page import told_claims, write_page
    from similearn.experiments.evidence.results_by_set import RESULTS, units_of
    from similearn.experiments.reproduction.results import (
        merge,
        pack,
        parts_of,
        results_path,
        stored_records,
    )

    path = results_path(output, RESULTS, shard)
    if shard is None and parts_of(output, RESULTS):
        merge(output, RESULTS)
    if data is not None:
        units = units_of(_loaded(data, datasets), splits or SPLITS, methods, seed)
        units = units if shard is None else shard_of(units, shard)
        with kept_when_interrupted(path, "the same command"), progress_bar(RESULTS) as progress:
            run_units(units, store=ResultStore(path), n_jobs=jobs, again=again, progress=progress)
    records = stored_records(output, RESULTS)
    if not records:
        raise InputError(
            f"No results of {RESULTS} are in {output}. Say where the data sets are with --data DIR."
        )
    console.print(told_claims(records), markup=False, soft_wrap=True)
    written = [pack(output, RESULTS, packed)] if packed is not None else []
    print_paths([*written, *(write_page(document, records) if document is not None else [])])


def _loaded(data: Path, keys: Sequence[str] | None) -> list[Any]:
    """Problems whose data are in the folder; the others are said."""
    from similearn.experiments.evidence.sets import SETS
    from similearn.experiments.reproduction.columns.folder import DataFolder

    if not data.is_dir():
        raise InputError(f"{data} is not a folder; --data names the folder of data sets.")
    known = {one.key: one for one in SETS}
    unknown = [key for key in keys or () if key not in known]
    if unknown:
        raise InputError(f"There is no data set {unknown[0]!r}. There are {', '.join(known)}.")
    problems = []
    for key in keys or known:
        try:
            problems.append(known[key].load(DataFolder(data)))
        except MissingDataError as error:
            messages.print(f"Missing: {key}. {error}", markup=False, soft_wrap=True)
    if not problems:
        raise InputError(f"None of the data sets is in {data}.")
    return problems
