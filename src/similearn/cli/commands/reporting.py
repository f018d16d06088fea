"""``similearn report``: one page that shows data, a model or a comparison."""

import shlex
import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    EffortChoice,
    Force,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    Seed,
    read_block,
    refuse_overwriting,
)
from similearn.cli.output import print_done

EPILOG = (
    "Examples: `similearn report scores.npz -o report.html`, "
    "`similearn report scores.model --data scores.npz -o report.html`, "
    "`similearn report similearn-scores -o report.html` after `similearn compare`."
)


def report(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|MODEL|FOLDER",
            help="A file of similarities or dissimilarities, a model of `similearn fit`, or the "
            "folder of `similearn compare`.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The HTML file to write.", show_default=False),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FILE",
            help="Labelled samples to judge a model on: those that it was fitted to, or new ones; "
            "or the file that was compared.",
            show_default=False,
        ),
    ] = None,
    labels: Labels = None,
    kind: Kind = None,
    part: Part = None,
    missing: Missing = MissingChoice.error,
    title: Annotated[
        str | None, typer.Option(help="Above the page; by default the file's name.")
    ] = None,
    effort: Annotated[
        EffortChoice, typer.Option(help="How many methods are tried on a FILE with labels.")
    ] = EffortChoice.quick,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Seconds after which no further method is tried.", show_default=False
        ),
    ] = None,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Write one page that shows data, a model or a comparison, and works without a network.

    Of a FILE it shows what the data are like and, with labels, what the default classifier makes
    of them; of a MODEL with --data, how good it is, and why it decides as it does; of a FOLDER,
    who wins, and whether it is luck. The page is smaller than 2 MB, however many samples there are.
    """
    from similearn.report import write_report

    refuse_overwriting(output, force)
    options: dict[str, Any] = {"random_state": seed, "effort": effort.value}
    options |= {"time_limit": time_limit or None, "title": title or what.stem}
    given = {"--data": data, "--labels": labels, "--kind": kind, "--part": part}
    words = [str(w) for name, value in given.items() if value is not None for w in (name, value)]
    call = ["similearn", "report", str(what), *words, "--seed", str(seed), "-o", str(output)]
    options["command"] = shlex.join(call)
    reading = (labels, kind, part, missing)
    if what.is_dir() and (what / "results.jsonl").exists():
        options["python"] = _python(data, repr(str(what)), output, seed, reading)
        if data is not None:
            X, y = _labelled(read_block(data, *reading))
            options |= {"X": X, "y": y}
        write_report(what, output, **options)
    elif _is_model(what):
        told = f"load_model({str(what)!r})"
        options["python"] = _python(data, told, output, seed, reading)
        _of_model(what, data, reading, output, options)
    else:
        options["python"] = _python(what, None, output, seed, reading)
        X, y = _labelled(read_block(what, *reading))
        write_report(X, output, y=y, **options)
    print_done(f"Report on {what.name}", output)


def _of_model(
    what: Path, data: Path | None, reading: tuple[Any, ...], output: Path, options: dict[str, Any]
) -> None:
    from similearn.errors import InputError
    from similearn.experiments.models import load_model
    from similearn.report import write_report

    model = load_model(what)
    if data is None:
        write_report(model, output, **options)
        return
    found = read_block(data, *reading)
    if found.labels is None:
        raise InputError(f"{data} has no labels to judge the model by. Give them by --labels.")
    X, y = _labelled(found)
    write_report(model, output, X=X, y=y, **options)


def _labelled(found: Any) -> tuple[Any, Any]:
    """The block and its labels, without the samples that have none."""
    import numpy as np

    if found.labels is None or found.labelled.all():
        return found.block, found.labels
    kept = np.flatnonzero(found.labelled)
    columns = kept if found.block.same_samples else np.arange(found.block.shape[1])
    return found.block[np.ix_(kept, columns)], np.array(found.labels[kept].tolist())


def _python(
    data: Path | None, what: str | None, output: Path, seed: int, reading: tuple[Any, ...]
) -> str:
    """Python code that writes the same report."""
    labels, kind, part, _ = reading
    given = {"labels": labels and str(labels), "kind": kind and kind.value, "part": part}
    words = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    imports = ["write_report"] + ["read_pairwise"] * (data is not None)
    lines = [f"from similearn import {', '.join(sorted(imports))}"]
    if what is not None and what.startswith("load_model"):
        lines.append("from similearn.experiments.models import load_model")
    lines.append("")
    if data is not None:
        lines.append(f"data = read_pairwise({str(data)!r}{words})")
    own = what or "data.block"
    samples = (
        ""
        if data is None
        else ", y=data.labels"
        if what is None
        else ", X=data.block, y=data.labels"
    )
    lines.append(f"write_report({own}, {str(output)!r}{samples}, random_state={seed})")
    return "\n".join(lines) + "\n"


def _is_model(path: Path) -> bool:
    """Whether a file is a zip archive with a model's document in it."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "model.json" in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False
