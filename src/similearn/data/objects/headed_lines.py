"""The line of names above objects that come one by one: which cell of a line is what."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from similearn.data.files.contents import ID_NAMES, LABEL_NAMES
from similearn.data.files.cut_lines import cells_of, is_number
from similearn.errors import InputError

TEXTS = ("sequences", "strings", "smiles", "sets", "series")


@dataclass(frozen=True)
class Header:
    """Where the columns that a model knows stand on a line.

    Attributes
    ----------
    mark : what separates cells; None is blanks, or nothing where there is one column
    width : cells of a line
    places : of the columns, in the order of the model
    id_place : of the id, if there is one
    """

    mark: str | None
    width: int
    places: tuple[int, ...]
    id_place: int | None

    def cells(self, text: str, place: str) -> tuple[str | None, list[str]]:
        """The id of a line, None without one, and its cells in the order of the model."""
        cells = _cut(text, self.mark, place)
        name = None
        if len(cells) == self.width + 1:  # R names rows, and not their column
            name, *cells = cells
        if len(cells) != self.width:
            raise InputError(
                f"{place}: got {len(cells)} cells, expected {self.width} as in the header."
            )
        if name is None and self.id_place is not None:
            name = cells[self.id_place]
        return name or None, [cells[one] for one in self.places]


def header_of(text: str, columns: Sequence[str], what: str | None) -> Header | None:
    """The header that a first line is, if it holds the names of a model's columns; else None.

    Of texts (`what` says of which), there is one column.

    Raises
    ------
    InputError
        If it holds most of them, but not all.
    """
    if not columns or all(map(is_number, columns)):
        return None  # numbers may be data as well
    marks = "\t" if what in ("sets", "series") else "\t;,"
    mark = next((one for one in marks if one in text), None)
    if mark is None and what in TEXTS:
        cells = [text.strip()]
    else:
        cells = _cut(text, mark, "standard input, line 1,")
    missing = [name for name in columns if name not in cells]
    if 2 * len(missing) >= len(columns):
        return None
    if missing:
        raise InputError(
            f"standard input: the first line is a header without the column {missing[0]!r} "
            f"({len(missing)} of {len(columns)} are missing). The model was fitted to the columns "
            f"{', '.join(columns[:8])}{', ...' if len(columns) > 8 else ''}."
        )
    others = [i for i, name in enumerate(cells) if name not in columns]
    named = [i for i in others if cells[i].lower() in ID_NAMES]
    if not named and len(others) == 1 and (what not in TEXTS or mark == "\t"):
        named = [i for i in others if cells[i].lower() not in LABEL_NAMES]
    places = tuple(cells.index(name) for name in columns)
    return Header(mark, len(cells), places, named[0] if named else None)


def _cut(text: str, mark: str | None, place: str) -> list[str]:
    if mark is None:
        return cells_of(text)
    try:
        cells = next(csv.reader([text], delimiter=mark)) if '"' in text else text.split(mark)
    except csv.Error as error:
        raise InputError(f"{place} cannot be cut into cells: {error}.") from None
    return [cell.strip() for cell in cells]
