"""``similearn inspect``: what a file is like, and two pictures."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from similearn.cli.options import (
    File,
    Kind,
    Labels,
    Missing,
    MissingChoice,
    Part,
    read_block,
    require_folder,
)
from similearn.cli.output import print_findings, print_paths, print_text

EPILOG = (
    "Examples: `similearn inspect scores.npz`, "
    "`similearn inspect distances.csv --kind dissimilarity --labels labels.txt -o pictures`"
)


def inspect(
    file: File,
    labels: Labels = None,
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

    The pictures are the matrix ordered by class and its eigenvalues.
    """
    from similearn.data.diagnosis import diagnose
    from similearn.estimators.pairs.good_dissimilarity import goodness_findings

    data = read_block(file, labels, kind, part, missing)
    folder = output or Path(f"similearn-{data.name}")
    require_folder(folder)
    findings = diagnose(data.block, data.labels).findings
    print_findings(findings + goodness_findings(data.block, data.labels))
    print_paths(draw_pictures(data.block, data.labels, folder, data.name))
    if data.labels is not None:
        given = {"--labels": labels, "--kind": kind, "--part": part}
        words = [
            str(w) for name, value in given.items() if value is not None for w in (name, value)
        ]
        call = ["similearn", "fit", str(file), *words, "-o", f"{data.name}.model"]
        print_text(f"Next: {shlex.join(call)}")


def draw_pictures(block: Any, y: Any, folder: Path, name: str) -> list[Path]:
    """Draw the block ordered by class and, where it has one, its spectrum."""
    from similearn.experiments.pictures import has_spectrum, heat_map, spectrum_picture

    paths = [heat_map(block, y, folder / "similarities.png", f"{name}: ordered by class")]
    if has_spectrum(block):
        paths.append(spectrum_picture(block, folder / "spectrum.png", f"{name}: eigenvalues"))
    return paths
