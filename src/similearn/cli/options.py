"""Options that several commands share, and how files are read and written."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.errors import FileError, InputError


def _some_jobs(jobs: int) -> int:
    if jobs == 0:
        raise InputError("--jobs 0 leaves nobody to work; say 1, or -1 for all cores.")
    return jobs


class KindChoice(StrEnum):
    """What near means."""

    similarity = "similarity"
    dissimilarity = "dissimilarity"


class EffortChoice(StrEnum):
    """How much the default classifier tries."""

    quick = "quick"
    normal = "normal"
    thorough = "thorough"


class MissingChoice(StrEnum):
    """What becomes of NaN."""

    error = "error"
    zero = "zero"


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Pairwise similarities or dissimilarities: .npz, .npy, .mat, .csv, .tsv (.gz) or "
        ".mtx. Rows are samples, columns are reference samples.",
        show_default=False,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="A file with one label per line, alone or after an id. Without it, labels are looked "
        "for in FILE itself and beside it, in NAME.labels.csv and the like.",
        show_default=False,
    ),
]
Kind = Annotated[
    KindChoice | None,
    typer.Option(
        "--kind",
        help="Whether large values mean near (similarity) or far, if FILE does not say it.",
        show_default=False,
    ),
]
Missing = Annotated[
    MissingChoice,
    typer.Option(
        "--missing",
        help="What NaN entries are: an error that names the first one, or zero similarity.",
    ),
]
Part = Annotated[
    str | None,
    typer.Option(
        "--part",
        help="Of an .npz or .mat file with several blocks, which one: train, test, or the name of "
        "an array.",
        show_default=False,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**31, help="Which random splits are drawn.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        callback=_some_jobs,
        help="Processes at work; -1 uses all cores. Results are the same.",
    ),
]


def _on_cluster(context: typer.Context, address: str | None) -> str | None:
    """Send the work of the command to a cluster, until it ends."""
    if address is not None:
        from similearn.data.spread.clusters import on

        context.with_resource(on(address))
    return address


Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS|local:N",
        callback=_on_cluster,
        help="A Dask scheduler, such as tcp://10.0.0.1:8786, or N processes here. Results are the "
        "same.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists.")]


def read_block(path: Path, labels: Path | None, kind: Any, part: str | None, missing: Any) -> Any:
    """Read a block and its labels (None if there are none)."""
    from similearn.data.files.reading import read_pairwise

    return read_pairwise(
        path,
        labels=labels,
        kind=None if kind is None else kind.value,
        part=part,
        missing=missing.value,
    )


def read_queries(path: Path, kind: Any, model_kind: str, part: str | None, missing: Any) -> Any:
    """Read a block of queries: of the kind that the file says, else of the model's."""
    if kind is not None:
        return read_block(path, None, kind, part, missing)
    try:
        return read_block(path, None, KindChoice(model_kind), part, missing)
    except FileError as error:
        try:  # if it holds the other kind, the model has the better sentence for that
            return read_block(path, None, None, part, missing)
        except FileError:
            raise error from None


def refuse_overwriting(path: Path, force: bool) -> None:
    """Raise unless the path can be written, and is free or may be overwritten."""
    from similearn.data.files.outputs import require_writable

    require_writable(path)
    if path.is_file() and not force:
        raise InputError(f"{path} exists already. Choose another name, or say --force.")


def require_folder(path: Path) -> None:
    """Raise unless files can be written into the folder, which need not exist."""
    from similearn.data.files import outputs

    outputs.require_folder(path)


def chosen_methods(names: str | None) -> list[Any]:
    """Return the methods named by a comma-separated list; all without one."""
    from similearn.experiments.registry import get_method, methods

    listed = listed_names(names, "--methods", "knn,affinity-knn")
    return methods() if listed is None else [get_method(name) for name in listed]


def listed_names(names: str | None, option: str, example: str) -> list[str] | None:
    """Return the names of a comma-separated list, each once; None without a list."""
    if names is None:
        return None
    listed = [name.strip() for name in names.split(",") if name.strip()]
    if not listed:
        raise InputError(f"{option} is empty; give names as in {option} {example}.")
    return list(dict.fromkeys(listed))
