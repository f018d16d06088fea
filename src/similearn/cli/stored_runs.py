"""Results of a table or of a page of evidence: run what is not stored yet, return all that is."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from similearn.cli.output import kept_when_interrupted, progress_bar
from similearn.errors import InputError


def stored_after_running(
    name: str,
    units: Callable[[], Sequence[Any]] | None,
    *,
    output: Path,
    shard: str | None,
    jobs: int,
    again: bool,
    merged: Sequence[Path] = (),
) -> Any:
    """Records of `name` in the folder `output`, after those of `units` that were not there.

    Parameters
    ----------
    name : of the table or the page
    units : makes what is to be run; None where there are no data
    output : the folder of results
    shard : "i/n" to run the i-th of n parts
    jobs, again : as of `similearn.experiments.comparisons.runner.run_units`
    merged : results of other machines, taken over first
    """
    from similearn.experiments.comparisons.runner import run_units, shard_of
    from similearn.experiments.comparisons.store import ResultStore
    from similearn.experiments.reproduction.results import (
        merge,
        parts_of,
        results_path,
        stored_records,
    )

    path = results_path(output, name, shard)
    if shard is None and (merged or parts_of(output, name)):
        merge(output, name, list(merged))
    if units is not None:
        wanted = units() if shard is None else shard_of(units(), shard)
        if shard is not None:  # other shards, and packed results, have theirs
            known = {r["key"] for r in stored_records(output, name) if "failure" not in r}
            wanted = [unit for unit in wanted if unit.key not in known]
        with kept_when_interrupted(path, "the same command"), progress_bar(name) as progress:
            run_units(wanted, store=ResultStore(path), n_jobs=jobs, again=again, progress=progress)
    records = stored_records(output, name)
    if not records:
        raise InputError(
            f"No results of {name} are in {output}. Say where the data sets are with --data DIR."
        )
    return records


def require_folder(data: Path) -> None:
    """Refuse what is no folder of data sets."""
    if not data.is_dir():
        raise InputError(f"{data} is not a folder; --data names the folder of data sets.")
