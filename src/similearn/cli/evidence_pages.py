"""`similearn reproduce auto` and `probabilities`: evidence that is in no paper, and its page."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from similearn.cli.output import console, messages, print_paths
from similearn.cli.stored_runs import require_folder, stored_after_running
from similearn.errors import InputError, MissingDataError

SPLITS = 20
PAGES = {
    "auto": ("evidence.results_by_set", "evidence.auto_page"),
    "probabilities": ("honesty.trials", "honesty.probability_page"),
}
"""Of each body of evidence the module of its units, and that of its page."""


def show_evidence(
    name: str,
    data: Path | None,
    *,
    splits: int | None,
    methods: list[str] | None,
    datasets: list[str] | None,
    seed: int,
    jobs: int,
    shard: str | None,
    again: bool,
    merged: Sequence[Path],
    output: Path,
    packed: Path | None,
    document: Path | None,
) -> None:
    """Run what is not stored yet, say what holds, and write the page."""
    from similearn.experiments.reproduction.results import pack, stored_records

    trials, page = (import_module(f"similearn.experiments.{module}") for module in PAGES[name])

    def units() -> Any:
        return trials.units_of(_loaded(data, datasets), splits or SPLITS, methods, seed)

    records = stored_after_running(
        name,
        None if data is None else units,
        output=output,
        shard=shard,
        jobs=jobs,
        again=again,
        merged=merged,
    )
    if name == "probabilities":  # methods as they are were run for the page of the default
        from similearn.experiments.honesty.before_after import told_after

        records = [*told_after(stored_records(output, "auto")), *records]
    console.print(page.told_claims(records), markup=False, soft_wrap=True)
    written = [pack(output, name, packed)] if packed is not None else []
    print_paths([*written, *(page.write_page(document, records) if document is not None else [])])


def _loaded(data: Any, keys: Sequence[str] | None) -> list[Any]:
    """Problems whose data are in the folder; the others are said."""
    from similearn.experiments.evidence.sets import SETS
    from similearn.experiments.reproduction.columns.folder import DataFolder

    require_folder(data)
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
