"""Distance matrices in QIIME 2 artifacts, .qza: a zip archive around scikit-bio's lsmat."""

import io
from pathlib import Path

from similearn.data.files.archives import opened_archive
from similearn.data.files.contents import Contents, Wanted
from similearn.data.files.text import read_table
from similearn.errors import FileError

_MATRIX = "/data/distance-matrix.tsv"


def read_qiime(path: Path, wanted: Wanted) -> Contents:
    """Read the one distance matrix of an artifact."""
    with opened_archive(path) as archive:
        names = [name for name in archive.names if name.endswith(_MATRIX)]
        if len(names) != 1:
            raise FileError(
                f"{path} is a QIIME 2 artifact without a distance matrix; expected a member "
                f"'...{_MATRIX}'."
            )
        text = io.TextIOWrapper(io.BytesIO(archive.read(names[0])), encoding="utf-8-sig")
    contents = read_table(
        path, keep_missing=wanted.keeps_missing, with_labels=wanted.with_labels, file=text
    )
    contents.kind = "dissimilarity"
    return contents
