"""Objects that come one by one, as lines of text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from similearn.data.files.cut_lines import cells_of
from similearn.data.objects.headed_lines import TEXTS, Header, header_of
from similearn.data.objects.object_files import interpreted
from similearn.errors import InputError


class LineReader:
    """Makes objects of lines.

    Parameters
    ----------
    what : what the objects are, as `LabelledObjects.what`; None for rows of a matrix
    columns : names of the columns, where they are rows of a table
    width : numbers of a row of a matrix
    names : of what stands on a line, which a header may have in another order: of the columns, of
        the one column of texts, or of the samples that a row of a matrix is against
    """

    def __init__(
        self,
        what: str | None,
        columns: Sequence[str] | None,
        width: int,
        names: Sequence[str] | None = None,
    ) -> None:
        self.what = None if what is None else what.partition(" ")[0]
        self.width = len(columns) if columns is not None else width
        self.names = [str(one) for one in (columns if names is None else names) or ()]
        self._header: Header | None = None

    def objects(self, lines: Iterable[str]) -> Iterator[tuple[str | None, Any]]:
        """Give the id, None without one, and the object of each line that is not blank."""
        name: str | None = None
        parts: list[str] = []
        first = True
        for number, line in enumerate(lines, start=1):
            text = line.strip("\r\n")
            if self.what == "sequences" and text.startswith(">"):
                if parts:
                    yield name, interpreted(str(name), "sequences", "".join(parts))
                name, parts = (text[1:].split() or [str(number)])[0], []
            elif name is not None and self.what == "sequences":
                parts.append(text.strip())
            elif text.strip():
                if first:
                    text = text.removeprefix("\ufeff")  # as Excel begins a file
                    self._header = header_of(text, self.names, self.what)
                if not first or self._header is None:
                    yield self._one(text, number)
                first = False
        if parts:
            yield name, interpreted(str(name), "sequences", "".join(parts))

    def _one(self, text: str, number: int) -> tuple[str | None, Any]:
        place = f"standard input, line {number}"
        if self.what in TEXTS:
            name: str | None
            if self._header is None or self._header.mark is None:
                name, tab, rest = text.partition("\t")
                name, rest = (name.strip(), rest.strip()) if tab else ("", text.strip())
            else:
                name, (rest,) = self._header.cells(text, place)
            if not rest:
                raise InputError(f"{place}: there is an id, but no object after it.")
            return name or None, interpreted(place, self.what, rest)
        return self._row(text, place)

    def _row(self, text: str, place: str) -> tuple[str | None, Any]:
        name = None
        if self._header is not None:
            name, cells = self._header.cells(text, place)
        else:
            cells = cells_of(text)
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
