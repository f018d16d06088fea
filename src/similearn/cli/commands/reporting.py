"""``similearn report``: one page that shows data, a model or a comparison."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    Column,
    Directed,
    EffortChoice,
    Features,
    Force,
    Format,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    Repeated,
    RepeatedChoice,
    Score,
    Seed,
    Similarities,
    What,
    refuse_overwriting,
    told_command,
)
from similearn.cli.output import print_done, print_notes
from similearn.cli.report_reading import Reading, report_code

EPILOG = (
    "Examples: `similearn report scores.npz -o report.html`, `similearn report proteins.fasta "
    "--labels families.tsv -o report.html`, `similearn report scores.model --data scores.npz -o "
    "report.html`, `similearn report similearn-scores -o report.html` after `similearn compare`."
)


def report(
    what: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...|MODEL|FOLDER",
            help="A file of objects, similarities or dissimilarities (several matrices of the same "
            "samples may be given), a model of `similearn fit`, or the folder of `similearn "
            "compare`.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The HTML file to write.", show_default=False),
    ],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            metavar="FILE",
            help="Labelled samples to judge a model on: those that it was fitted to, or new ones, "
            "in files as `similearn predict` takes them. For a FOLDER, the file that was compared. "
            "Give it once for each of several matrices.",
            show_default=False,
        ),
    ] = None,
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
    title: Annotated[
        str | None, typer.Option(help="The title of the page; by default the file's name.")
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

    For a FILE, it shows what the data are like and, with labels, how good the default classifier
    is on them. For a MODEL with --data, it shows how good the model is, and why it decides as it
    does. For a FOLDER, it shows which method wins, and whether that may be luck. The page is
    smaller than 2 MB, however many samples there are.
    """
    refuse_overwriting(output, force)
    reading = Reading(
        labels=labels, kind=kind, part=part, missing=missing, column=column, objects=objects,
        format=format, score=score, directed=directed, repeated=repeated, similarity=similarity,
        features=features,
    )  # fmt: skip
    given = {"--data": data, **reading.words(), "--title": title, "--seed": seed}
    usual = effort is EffortChoice.quick
    given |= {"--effort": None if usual else effort.value, "--time-limit": time_limit}
    options: dict[str, Any] = {
        "random_state": seed,
        "effort": effort.value,
        "time_limit": time_limit or None,
        "title": title or what[0].stem,
        "command": told_command("report", what, given, "-o", str(output)),
    }
    if what[0].is_dir() and (what[0] / "results.jsonl").exists():
        report_on_folder(what[0], data, reading, output, options)
    elif _is_model(what[0]):
        report_on_model(what[0], data, reading, output, options)
    else:
        _report_on_files(what, reading, output, options)
    print_done(f"Report on {what[0].name}", output)


def report_on_folder(
    folder: Path,
    data: Sequence[Path] | None,
    reading: Reading,
    output: Path,
    options: dict[str, Any],
) -> None:
    """Write the report of a comparison, with its data if they are given."""
    from similearn.report import write_report

    samples = reading.read(data) if data else None
    python = report_code(reading, output, options, samples, data, repr(str(folder)))
    given = {} if samples is None else _told(samples)
    write_report(folder, output, python=python, **given, **options)


def report_on_model(
    path: Path, data: Sequence[Path] | None, reading: Reading, output: Path, options: dict[str, Any]
) -> None:
    """Write the report of a model's file, judged on labelled samples if they are given."""
    from similearn.errors import InputError
    from similearn.experiments.models import load_model
    from similearn.report import write_report

    model = load_model(path)
    what = f"load({str(path)!r})"
    if not data:
        python = report_code(reading, output, options, None, None, what)
        write_report(model, output, python=python, **options)
        return
    reading = reading.with_score_of(model, data)
    found = reading.read_for(model, data)
    print_notes(found.notes)
    options["notes"] = found.notes
    if found.labels is None:
        raise InputError(f"{data[0]} has no labels to judge the model by. Give them by --labels.")
    python = report_code(reading, output, options, found, data, what)
    write_report(model, output, X=found.data, y=found.labels, names=found.ids, python=python,
                 **options)  # fmt: skip


def _report_on_files(
    files: Sequence[Path], reading: Reading, output: Path, options: dict[str, Any]
) -> None:
    from similearn.report import write_report

    samples = reading.read(files)
    print_notes(samples.notes)
    options["notes"] = [note.partition(" Another: ")[0] for note in samples.notes]
    python = report_code(reading, output, options, samples, files)
    if samples.learns and samples.labels is not None:
        from similearn.selection import SimilarityClassifier

        (one,) = samples.compare.values()
        chosen = {name: options[name] for name in ("effort", "time_limit", "random_state")}
        model = SimilarityClassifier(similarity=one, **chosen).fit(samples.data, samples.labels)
        write_report(model, output, X=samples.data, y=samples.labels, names=samples.ids,
                     python=python, **options)  # fmt: skip
        return
    given = _told(samples)
    write_report(given.pop("X"), output, python=python, **given, **options)


def _told(samples: Any) -> dict[str, Any]:
    """Samples as `write_report` takes them: blocks, labels, names, and the objects themselves."""
    shown = samples.data if samples.compare else None
    return {
        "X": samples.compared(),
        "y": samples.labels,
        "names": samples.ids,
        "objects": shown,
    }


def _is_model(path: Path) -> bool:
    """Whether a file is a zip archive with a model's document in it."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "model.json" in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False
