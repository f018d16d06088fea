"""Options that several commands share, and how files are read and written."""

import os
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.errors import InputError


def _some_jobs(jobs: int) -> int:
    if jobs == 0:
        raise InputError("--jobs 0 means no process at all; say 1, or -1 for all cores.")
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
    """What to do with NaN."""

    error = "error"
    fill = "fill"
    zero = "zero"
    unknown = "unknown"


class ScoringChoice(StrEnum):
    """What parameters are chosen by."""

    error = "error"
    log_loss = "log-loss"
    balanced_error = "balanced-error"
    cost = "cost"


class ClassWeightChoice(StrEnum):
    """How much classes count."""

    balanced = "balanced"


class RepeatedChoice(StrEnum):
    """What to do with a pair that has several scores."""

    error = "error"
    mean = "mean"
    largest = "largest"


Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Objects (FASTA, FASTQ, a list, CSV, TSV, JSON lines, Parquet), or a matrix of "
        "similarities or dissimilarities, a list of pairs or a table of hits; compressed files are "
        "read too. You can give several matrices of the same samples.",
        show_default=False,
    ),
]
Features = Annotated[
    list[Path] | None,
    typer.Option(
        "--features",
        metavar="FILE",
        help="A table of numbers to use together with the matrices: a row for each sample, which "
        "is found by its id, in whichever column that is. You can give this option several times.",
        show_default=False,
    ),
]
Similarities = Annotated[
    list[str] | None,
    typer.Option(
        "--similarity",
        "-s",
        metavar="NAME[:p=v]",
        help="How to compare the objects: a name that `similearn similarities` lists; auto chooses "
        "one that suits them. You can give this option several times.",
        show_default=False,
    ),
]
Directed = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="For a list of pairs: directed means that the score of (a, b) says nothing about "
        "(b, a). By default a list is directed if it has any pair in both directions.",
        show_default=False,
    ),
]
Repeated = Annotated[
    RepeatedChoice,
    typer.Option(
        "--repeated",
        help="If a list has the same pair with different scores: stop with an error, or use the "
        "mean or the largest.",
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        "-l",
        metavar="FILE|COLUMN",
        help="A file with one label per line, alone or after an id; or a table and its column, as "
        "FILE:COLUMN; or the name of a column of FILE. Without this option, similearn looks for "
        "labels in FILE and in files beside it, such as NAME.labels.csv.",
        show_default=False,
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="NAME[,NAME]",
        help="For a table: the column that holds the objects, or several columns that describe "
        "each object together.",
        show_default=False,
    ),
]
What = Annotated[
    str | None,
    typer.Option(
        "--objects",
        metavar="WHAT",
        help="What the objects are: sequences, strings, smiles, sets, series, numbers or "
        "categories. Give it if similearn guesses wrongly.",
        show_default=False,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format of FILE. Give it if similearn guesses wrongly.",
        show_default=False,
    ),
]
Score = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="COLUMN",
        help="For a list of pairs or a table of hits: the column of the scores, by its name or "
        "number; or bits, evalue (-log10 of it) or identity. A model knows its own.",
        show_default=False,
    ),
]
Kind = Annotated[
    KindChoice | None,
    typer.Option(
        "--kind",
        help="Whether large values mean near (similarity) or far (dissimilarity). Give it if FILE "
        "does not say it.",
        show_default=False,
    ),
]
Missing = Annotated[
    MissingChoice,
    typer.Option(
        "--missing",
        help="What to do with NaN and blank cells. error: stop, and name the first one. The others "
        "take them from the other direction first, if it is known. fill: then from the means of "
        "row and column. zero: count them as similarity zero. unknown: count them as an unknown, "
        "far dissimilarity.",
    ),
]
ScoringOption = Annotated[
    ScoringChoice,
    typer.Option(
        "--scoring",
        help="The measure that chooses a method's parameters and orders tables; cost needs "
        "--costs.",
    ),
]
Costs = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        metavar="FILE",
        help="A file that says what mistakes cost. Each line has the decided label, the true "
        "label and the cost, separated by commas or tabs; all other mistakes cost 1. Each sample "
        "then gets the label of the least expected cost.",
        show_default=False,
    ),
]
ClassWeight = Annotated[
    ClassWeightChoice | None,
    typer.Option(
        "--class-weight",
        help="balanced: all classes count equally, however many samples they have, so that a rare "
        "class is not overlooked. Without this option every sample counts equally.",
        show_default=False,
    ),
]
Part = Annotated[
    str | None,
    typer.Option(
        "--part",
        help="Which block of an .npz or .mat file with several blocks: train, test, or the name of "
        "an array.",
        show_default=False,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, max=2**31, help="A number that decides which random splits are drawn."
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        callback=_some_jobs,
        help="Number of processes; -1 uses all cores. Results are the same.",
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
        help="The address of a Dask scheduler, such as tcp://10.0.0.1:8786, or N processes on this "
        "machine. Results are the same.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists.")]


def label_source(given: str | None) -> Any:
    """What --labels means: a path, a path and a column of it, or a column of the file itself."""
    if given is None or os.path.exists(given):
        return given if given is None else Path(given)
    before, colon, column = given.rpartition(":")
    if colon and column and os.path.isfile(before):
        return Path(before), column
    looks_like_path = "/" in given or Path(given).suffix in (".csv", ".tsv", ".txt", ".npy", ".gz")
    return Path(given) if looks_like_path else given


def read_block(
    path: Path, labels: str | None, kind: Any, part: str | None, missing: Any, **more: Any
) -> Any:
    """Read a block and its labels (None if there are none)."""
    from similearn.data.files.reading import read_pairwise

    return read_pairwise(
        path, labels=label_source(labels), **block_options(kind, part, missing), **more
    )


def block_options(kind: Any, part: str | None, missing: Any, **more: Any) -> dict[str, Any]:
    """Options of the command line as `read_pairwise` takes them."""
    if "repeated" in more:
        more["repeated"] = more["repeated"].value
    known = {"kind": None if kind is None else kind.value, "part": part, "missing": missing.value}
    if more.get("score") is not None and str(more["score"]).isdecimal():
        more["score"] = int(more["score"])
    return known | more


def column_names(names: str | None) -> Any:
    """The column that --column names, or several."""
    listed = listed_names(names, "--column", "width,height")
    return listed if listed is None or len(listed) > 1 else listed[0]


def reading_words(missing: Any, directed: bool | None, repeated: Any) -> list[str]:
    """How files are read, in words to type, where it was not the usual way."""
    words = [] if missing == MissingChoice.error else ["--missing", missing.value]
    words += [] if directed is None else ["--directed" if directed else "--undirected"]
    return words + ([] if repeated == RepeatedChoice.error else ["--repeated", repeated.value])


def told_command(name: str, files: Any, given: dict[str, Any], *rest: str) -> str:
    """A command to type, from the options of another one."""
    words = [str(word) for option, value in given.items() if value is not None
             for one in (value if isinstance(value, list) else [value])
             for word in (option, one)]  # fmt: skip
    return shlex.join(["similearn", name, *map(str, files), *words, *rest])


def chosen_scoring(scoring: Any, costs: Path | None, labels: Any) -> Any:
    """What parameters are chosen by, with the costs of a file."""
    from similearn.data.edges.cost_files import read_costs
    from similearn.experiments.comparisons.scores import Scoring

    if scoring.value == "cost" and costs is None:
        raise InputError("--scoring cost needs --costs FILE; without it every mistake costs 1.")
    return Scoring(scoring.value, None if costs is None else read_costs(costs, labels))


def refuse_overwriting(path: Path, force: bool) -> None:
    """Raise unless the path can be written, and is free or may be overwritten."""
    from similearn.data.files.outputs import is_stdout, require_writable

    require_writable(path)
    if path.is_file() and not force and not is_stdout(path):
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
