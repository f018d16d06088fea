"""Whether a file holds objects or a matrix, where nobody said it."""

import io
from pathlib import Path

from similearn.data.files.cut_lines import is_word, table_lines
from similearn.data.formats.recognizing import FORMATS, format_of, head_lines
from similearn.data.objects.object_files import OF_OBJECTS, object_format
from similearn.errors import SimilearnError

_ONLY_OBJECTS = ("fasta", "fastq", "json", "parquet")


def holds_objects(path: Path, format: str | None = None) -> bool:
    """Whether a file can hold nothing but objects: sequences, records, words.

    Notes
    -----
    Tables of numbers are matrices, unless somebody says otherwise. Of the columns of a matrix two
    at most hold words, the ids and the labels, and two at least numbers.
    """
    if format is not None:
        return format in OF_OBJECTS and format not in FORMATS
    if not path.is_file() or path.stat().st_size == 0:
        return False  # whoever reads it has a sentence for that
    try:
        if object_format(path) in _ONLY_OBJECTS:
            return True
        known = format_of(path)
    except SimilearnError:
        known = "table"
    except (OSError, EOFError, ValueError):
        return False
    return known == "table" and _of_words(path)


def _of_words(path: Path) -> bool:
    try:
        lines = table_lines(path, io.StringIO("\n".join(head_lines(path))), blanks=True)
    except (SimilearnError, OSError, EOFError, ValueError):
        return False
    rows = [line.cells for line in lines[1:] or lines]
    width = min(map(len, rows))
    words = [any(is_word(row[c]) for row in rows) for c in range(width)]
    return sum(words) > 2 or (any(words) and width - sum(words) < 2)
