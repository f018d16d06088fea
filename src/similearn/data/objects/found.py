"""What a file of objects holds before its labels are joined."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.joining import has_label

_LONGEST_NAME = 60


@dataclass
class FoundObjects:
    """Objects of a file, in its order.

    Attributes
    ----------
    what : what they are: "sequences", "strings", "sets", "categories", "numbers", "series" or
        "smiles"
    objects : list, or an array whose rows are the objects
    ids : one for each, empty if there are none
    labels : of a column of the file, None if there is none
    descriptions : what stands after the id in FASTA
    line_of : where each id stands
    columns : names of the columns of a table
    headings : names of the columns of a table, but for those of labels and ids
    column : the one column that objects were read from, if it has a name
    first_line : its cells, where it was taken as a sample and not as a header
    notes : sentences on what was decided without being asked
    """

    what: str
    objects: Any
    ids: list[str] = field(default_factory=list)
    labels: NDArray[Any] | None = None
    descriptions: list[str] = field(default_factory=list)
    line_of: dict[str, int] = field(default_factory=dict)
    columns: list[str] | None = None
    headings: list[str] = field(default_factory=list)
    column: str | None = None
    first_line: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class LabelledObjects:
    """What a file of objects held: ``objects, y = read_objects(path)``, or by name.

    Attributes
    ----------
    objects : list of n objects, or an array whose n rows are the objects
    ids : (n,) words, or None if there are none
    labels : (n,) array, or None if there are none; where only some objects have a label, an
        array of objects with None for the others
    what : "sequences (protein)", "sequences (dna)", "sequences (rna)", "strings", "smiles",
        "sets" (of words), "series" (of numbers, of any length), "numbers" (a table of features)
        or "categories" (a table of words, or of words and numbers)
    name : the file's name without its ending
    columns : names of the columns, where the objects are rows of a table
    notes : sentences on what was decided without being asked
    headings : names of the columns of a table, but for those of labels and ids
    column : the column that objects were read from, where each is one cell of a table
    """

    objects: Any
    ids: NDArray[np.str_] | None
    labels: NDArray[Any] | None
    what: str
    name: str
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    column: str | None = None

    def __repr__(self) -> str:
        told = (
            f"{int(self.labelled.sum())} with a label" if self.labels is not None else "no labels"
        )
        return f"<{type(self).__name__}: {len(self)} {self.what}, {told}>"

    def __iter__(self) -> Any:
        yield self.objects
        yield self.labels

    def __len__(self) -> int:
        return len(self.objects)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """(n,) which objects have a label."""
        return has_label(self.labels, len(self))


def names_of(objects: Any, ids: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the ids; short texts without any are their own names, so that tables have some."""
    if ids is not None or not isinstance(objects, list):
        return ids
    short = all(isinstance(one, str) and len(one) <= _LONGEST_NAME for one in objects)
    return np.array(objects) if short else None
