"""``similearn inspect``: what a file is like, and two pictures."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    Column,
    Directed,
    Features,
    Files,
    Format,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    Repeated,
    RepeatedChoice,
    Score,
    Similarities,
    What,
    reading_words,
    require_folder,
    told_command,
)
from similearn.cli.output import print_findings, print_notes, print_paths, print_text
from similearn.cli.samples import no_labels, read_given

_JUDGED_BY_ALL = 500
EPILOG = (
    "Examples: `similearn inspect scores.npz`, `similearn inspect proteins.fasta`, "
    "`similearn inspect distances.csv --kind dissimilarity --labels labels.txt -o pictures`"
)

_MOST_COLUMNS = 12


def inspect(
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

    The pictures are the matrix ordered by class and its eigenvalues. Objects are compared first.
    Labels that do not fit the labels of similar samples are suspicious: the ten most suspicious
    are printed, and all of them are written to suspicious.csv.
    """
    samples = read_given(
        files, similarity, labels, column, objects, features,
        kind=kind, part=part, missing=missing, format=format, score=score,
        directed=directed, repeated=repeated,
    )  # fmt: skip
    folder = output or Path(f"similearn-{samples.name}")
    require_folder(folder)
    print_notes(samples.notes)
    if samples.learns:
        samples = samples.labelled()
    from similearn.data.objects.found import names_of

    made = samples.compared()
    blocks = {"": made} if hasattr(made, "kind") else dict(made.items())
    for name, block in blocks.items():
        if name in samples.tables:
            shown = samples.tables[name][:_MOST_COLUMNS]
            more = " ..." if len(samples.tables[name]) > len(shown) else ""
            print_text(f"{name}: a table of features, {', '.join(shown)}{more}\n")
            continue
        if name:
            print_text(f"{name}\n")
        place = folder / _file_name(name) if name else folder
        names = names_of(samples.data, samples.ids)
        _inspect_one(block, samples.labels, place, f"{samples.name} {name}".strip(), names)
    if samples.labels is None:
        print_text(no_labels(files[0], samples))
        labels = "labels.txt"
    elif fault := _fault_for_fit(samples):
        print_text(f"Nothing to fit yet: {fault}")
        return
    given = {"--features": features, "--labels": labels, "--similarity": similarity,
             "--column": column, "--objects": objects, "--format": format, "--score": score,
             "--kind": kind, "--part": part}  # fmt: skip
    rest = reading_words(missing, directed, repeated)
    call = told_command("fit", files, given, *rest, "-o", f"{samples.name}.model")
    print_text(f"Next: {call}")


def _fault_for_fit(samples: Any) -> str:
    """What `similearn fit` would say of the labels; "" if it takes them."""
    from similearn.errors import InputError
    from similearn.experiments.comparisons.problems import checked_labels

    try:
        known = samples.labelled()
        checked_labels(known.labels, len(known))
    except InputError as error:
        return str(error)
    return ""


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)


def _inspect_one(block: Any, y: Any, folder: Path, name: str, names: Any) -> None:
    from similearn.data.diagnosis import diagnose
    from similearn.data.files.joining import has_label
    from similearn.estimators.pairs.good_dissimilarity import goodness_findings

    where = None
    if y is not None and not has_label(y, len(block)).all():
        import numpy as np

        where = np.flatnonzero(has_label(y, len(block)))
        block, y = block[np.ix_(where, where)], np.array(y[where].tolist())
        names = None if names is None else names[where]
    findings = diagnose(block, y).findings
    print_findings(findings + goodness_findings(block, y))
    print_paths(draw_pictures(block, y, folder, name))
    told = None if y is None else suspects(block, y)
    if told is None:
        return
    if told.ids is None:
        told = replace(told, ids=names) if names is not None else _as_in_file(told, where)
    print_text(told)
    if len(told):
        from similearn.data.formats.table_outputs import write_columns

        path = folder / "suspicious.csv"
        write_columns(path, _columns(told.table()))
        print_paths([path])


def _as_in_file(told: Any, where: Any) -> Any:
    """Number samples as in the file, where `where` are those that have a label, or None for all."""
    if where is None:
        return told
    against = None if told.against is None else [where[some] for some in told.against]
    return replace(told, samples=where[told.samples], against=against)


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns of plain values; what is a list becomes words."""

    def plain(value: Any) -> Any:
        value = value.item() if hasattr(value, "item") else value
        return " ".join(map(str, value)) if isinstance(value, list) else value

    return {name: [plain(row[name]) for row in rows] for name in rows[0]}


def draw_pictures(block: Any, y: Any, folder: Path, name: str) -> list[Path]:
    """Draw the block ordered by class and, where it has one, its spectrum."""
    from similearn.experiments.pictures import has_spectrum, heat_map, spectrum_picture

    picture = "similarities.png" if block.large_is_near else "dissimilarities.png"
    ordered = "ordered by class" if y is not None else "in the order of the file"
    paths = [heat_map(block, y, folder / picture, f"{name}: {ordered}")]
    if has_spectrum(block):
        paths.append(spectrum_picture(block, folder / "spectrum.png", f"{name}: eigenvalues"))
    return paths


def suspects(block: Any, y: Any) -> Any:
    """Which labels may be wrong, as `SuspiciousLabels`; None where nothing can be said of it.

    The default judges up to 500 samples, nearest neighbours more.
    """
    import numpy as np

    from similearn.errors import SimilearnError, gathered_warnings
    from similearn.estimators import NeighborsClassifier
    from similearn.selection import SimilarityClassifier, suspicious_labels

    if not block.same_samples:
        return None
    known = np.flatnonzero([label is not None for label in y])
    block, y = block[np.ix_(known, known)], np.array(y)[known].astype(str)
    few = len(y) <= _JUDGED_BY_ALL
    try:
        with gathered_warnings([]):
            judge = NeighborsClassifier(10)
            if few:
                judge = SimilarityClassifier(effort="quick", progress=False).fit(block, y)
            return suspicious_labels(judge, block, y)
    except SimilearnError:  # one class, or classes of one sample each
        return None
