"""Objects that come one by one, as lines of text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from similearn.data.files.cut_lines import cells_of
from similearn.data.objects.object_files import interpreted
from similearn.errors import InputError

_TEXTS = ("sequences", "strings", "smiles", "sets", "series")


class LineReader:
    """Makes objects of lines.

    Parameters
    ----------
    what : what the objects are, as `LabelledObjects.what`; None for rows of a matrix
    columns : names of the columns, where they are rows of a table
    width : numbers of a row of a matrix
    """

    def __init__(self, what: str | None, columns: Sequence[str] | None, width: int) -> None:
        self.what = None if what is None else what.partition(" ")[0]
        self.width = len(columns) if columns is not None else width

    def objects(self, lines: Iterable[str]) -> Iterator[tuple[str | None, Any]]:
        """Give the id, None without one, and the object of each line that is not blank."""
        name: str | None = None
        parts: list[str] = []
        for number, line in enumerate(lines, start=1):
            text = line.strip("\r\n")
            if self.what == "sequences" and text.startswith(">"):
                if parts:
                    yield name, interpreted(str(name), "sequences", "".join(parts))
                name, parts = (text[1:].split() or [str(number)])[0], []
            elif name is not None and self.what == "sequences":
                parts.append(text.strip())
            elif text.strip():
                yield self._one(text, number)
        if parts:
            yield name, interpreted(str(name), "sequences", "".join(parts))

    def _one(self, text: str, number: int) -> tuple[str | None, Any]:
        place = f"standard input, line {number}"
        if self.what in _TEXTS:
            name, tab, rest = text.partition("\t")
            name, rest = (name.strip(), rest.strip()) if tab else ("", text.strip())
            if not rest:
                raise InputError(f"{place}: there is an id, but no object after it.")
            return name or None, interpreted(place, self.what, rest)
        return self._row(text, place)

    def _row(self, text: str, place: str) -> tuple[str | None, Any]:
        cells = cells_of(text)
        name = None
        if len(cells) == self.width + 1:
            name, *cells = cells
        if len(cells) != self.width:
            raise InputError(
                f"{place}: got {len(cells)} cells, expected {self.width}, with or without an id "
                "before them."
            )
        if self.what == "categories":
            return name, np.array(cells, dtype=object)
        try:
            row = np.array([float(cell) for cell in cells])
        except ValueError:
            row = np.array([np.nan])
        if not np.isfinite(row).all():
            raise InputError(f"{place}: expected {self.width} finite numbers, got {text[:40]!r}.")
        return name, row
