"""Which columns of a table of features beside matrices are ids and numbers."""

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from similearn.data.files.contents import ID_NAMES
from similearn.data.files.cut_lines import are_numbers, is_word
from similearn.data.files.joining import known_names
from similearn.data.objects.columns_of_files import NamedColumns
from similearn.errors import InputError


@dataclass(frozen=True)
class FeatureRows:
    """Rows of features of samples that matrices name.

    Attributes
    ----------
    samples : their ids, None if they have none
    """

    samples: NDArray[Any] | None

    def numbers(self, table: NamedColumns, chosen: list[str], id_name: str | None) -> list[str]:
        """Those columns that hold numbers, but for slips; if none does, all: it will be said."""
        found = [name for name in chosen if name != id_name and are_numbers(table.columns[name])]
        return found or chosen

    def id_column(
        self,
        path: Path,
        table: NamedColumns,
        label_name: str | None,
        called_so: str | None,
        features: Container[str],
    ) -> str | None:
        """The column that names most samples, whatever it is called; else the one called so."""
        if self.samples is None:
            return called_so
        known = known_names([str(one) for one in self.samples])
        others = [name for name in table.columns if name != label_name and name not in features]
        hits = {name: _hits(table.columns[name], known) for name in others}
        most = max(hits.values(), default=0)
        best = [name for name in others if most and hits[name] == most]
        if called_so is not None and (called_so in best or not best):
            return called_so
        if len(best) > 1:
            raise InputError(
                f"{path} names the samples in {len(best)} columns, {', '.join(best)}; expected ids "
                f"in one of them. Call that one '{ID_NAMES[0]}'."
            )
        if not best:
            self._refuse_other_names(path, table, others)
        return best[0] if best else None

    def _refuse_other_names(self, path: Path, table: NamedColumns, names: list[str]) -> None:
        """Refuse words that never repeat: they name samples, and other ones than the matrix."""
        for name in names:
            column = table.columns[name]
            if self.samples is None or not _has_words(column) or len(set(column)) < len(column):
                continue
            raise InputError(
                f"No column of {path} holds the ids of the matrix: it has words such as "
                f"{column[0]!r} (column {name!r}), where samples are called such as "
                f"{str(self.samples[0])!r}. Write the ids as the matrix has them; or leave that "
                "column out, if the rows are in the order of the matrix."
            )


def _has_words(column: list[Any]) -> bool:
    return any(is_word(str(cell)) for cell in column)


def _hits(column: list[Any], known: set[str]) -> int:
    """How many samples a column names; numbers name them only if they name all, once each."""
    cells = ["" if cell is None else str(cell) for cell in column]
    if not _has_words(cells) and not (known <= set(cells) and len(set(cells)) == len(cells)):
        return 0
    return sum(cell in known for cell in cells)
