"""Published tables as data: what the papers print, and how they came to it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from similearn.errors import InputError


@dataclass(frozen=True)
class Cell:
    """One printed number.

    Parameters
    ----------
    mean : as printed, in percent or as a fraction, see `PublishedTable.measure`
    sd : standard deviation over partitions; None where it is not printed
    bold : whether it is marked as best or not significantly worse; None where the source at
        hand does not tell
    """

    mean: float
    sd: float | None = None
    bold: bool | None = None


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper.

    Parameters
    ----------
    name : what is typed, such as "jmlr-3"
    source : such as "JMLR Table 3"
    title : what it shows
    protocol : how its numbers were measured, in the paper's terms
    splits : how many partitions its means are over
    measure : "error" (percent of the test samples) or "accuracy" (a fraction of them)
    columns, rows : names as printed, in the order of the paper
    cells : by (column, row); those not printed are absent
    claims : what the text says of a figure whose numbers are not printed
    """

    name: str
    source: str
    title: str
    protocol: str
    splits: int
    measure: Literal["error", "accuracy"]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    claims: tuple[str, ...] = ()


def published_names() -> list[str]:
    """Names of all tables, in alphabetical order."""
    folder = files("similearn.experiments.reproduction.published")
    return sorted(
        file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")
    )


@cache
def published(name: str) -> PublishedTable:
    """Read a table.

    Notes
    -----
    The file has the fields of `PublishedTable`; its ``[cells."Column"]`` hold
    ``"Row" = [mean, sd, bold]``, of which the last one or two may be left out.
    """
    if name not in published_names():
        raise InputError(
            f"No published table is named {name!r}. There are {', '.join(published_names())}."
        )
    file = files("similearn.experiments.reproduction.published").joinpath(f"{name}.toml")
    content: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    cells = {
        (column, row): Cell(*printed)
        for column, numbers in content.pop("cells", {}).items()
        for row, printed in numbers.items()
    }
    content |= {field: tuple(content.get(field, ())) for field in ("columns", "rows", "claims")}
    return PublishedTable(name=name, cells=cells, **content)
