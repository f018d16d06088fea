"""What is said of a first line that was taken as a sample, and may be a header."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from similearn.data.files.cut_lines import is_word
from similearn.data.objects.columns_of_files import HEADINGS
from similearn.data.objects.found import FoundObjects

_MOST_CELLS = 6
_LONGEST_CELL = 40


def told_line(cells: Sequence[str]) -> str:
    """The cells of a line, as messages show them."""
    shown = [c if len(c) <= _LONGEST_CELL else f"{c[:37]}..." for c in cells[:_MOST_CELLS]]
    more = f" and {len(cells) - _MOST_CELLS} more" if len(cells) > _MOST_CELLS else ""
    return ", ".join(f"`{cell}`" for cell in shown) + more


def first_line_notes(
    file: Path, found: FoundObjects, headless: Path | None, y: NDArray[Any] | None
) -> list[str]:
    """Say that the first line was taken as a sample, where it looks like a header.

    Parameters
    ----------
    headless : the file that labels came from, line by line, if no header was found in it
    y : (n,) the labels that were found
    """
    line = found.first_line
    if not line:
        return []
    taken = f"{file}: its first line ({told_line(line)}) was taken as a sample"
    is_object = isinstance(found.objects[0], str) and found.objects[0] in line
    column = f"column='{found.objects[0]}'" if is_object else ""
    if y is None:
        usual = len(line) == 1 and line[0].lower() in HEADINGS and column
        return [f"{taken}. If it is a header, name the column: {column}."] if usual else []
    label = str(y[0])
    if not _stands_alone(y) or not (label in line or (headless and not found.ids)):
        return []
    where = f"labels='{label}'"
    if label not in line:
        where = f"labels=(Path('{headless}'), '{label}')"
    named = " ".join(name for name in (column, where) if name)
    return [
        f"{taken}; its label, `{label}`, occurs nowhere else. If it is a header, name its "
        f"columns: {named}."
    ]


def _stands_alone(y: NDArray[Any]) -> bool:
    """Whether the first label is a word that no other sample has, where others repeat."""
    counts = Counter(str(one) for one in y if one is not None)
    first = y[0]
    return (
        first is not None
        and is_word(str(first))
        and counts[str(first)] == 1
        and max(counts.values()) > 1
    )
