"""Which columns of a table are ids, labels and objects, and what the objects are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.contents import (
    ID_NAMES,
    LABEL_NAMES,
    known_labels,
    labels_from_words,
)
from similearn.data.files.cut_lines import are_numbers, is_word
from similearn.data.objects.columns_of_files import OBJECT_NAMES, NamedColumns
from similearn.data.objects.feature_roles import FeatureRows
from similearn.data.objects.first_lines import told_line
from similearn.data.objects.found import FoundObjects
from similearn.errors import FileError, InputError, MissingColumnError

_WHAT_OF_NAME = {
    "sequence": "sequences", "seq": "sequences", "smiles": "smiles", "set": "sets",
    "series": "series",
}  # fmt: skip
_MOST_NAMED = 6
_FEW = 20  # different numbers, which may well be categories


def from_columns(
    path: Path,
    table: NamedColumns,
    labels: str | None,
    column: str | Sequence[str] | None,
    beside: FeatureRows | None = None,
    what: str | None = None,
) -> FoundObjects:
    """Tell ids, labels and objects apart.

    Parameters
    ----------
    labels : the name of the column of labels; by default one called "label", "class" or the like
    column : the name of the column of objects, or names of several that make up rows; by default
        one called "object", "sequence", "text" or the like, else all that are left
    beside : where rows are features of samples that are known already
    what : what the objects are, where it is said
    """
    numbered = {labels, *([column] if isinstance(column, str) else column or ())}
    if not table.named and not numbered & table.columns.keys():
        _name_by_place(table)
    names = list(table.columns)
    lower = {name.lower(): name for name in reversed(names)}
    label_name = labels or next((lower[one] for one in LABEL_NAMES if one in lower), None)
    chosen = _chosen(path, table, lower, column, label_name)
    id_name = next(
        (lower[one] for one in ID_NAMES if one in lower and lower[one] not in chosen), None
    )
    if id_name == label_name:
        id_name = None
    if column is None and len(chosen) > 1 and id_name in chosen:
        chosen = [name for name in chosen if name != id_name]
    if beside is not None:
        id_name = beside.id_column(path, table, label_name, id_name, column or ())
        chosen = chosen if column is not None else beside.numbers(table, chosen, id_name)
        what = "numbers"
    found = _objects(path, table, chosen, what)
    if table.named:
        found.headings = [name for name in names if name not in (label_name, id_name)]
    found.first_line = table.first_line
    found.column = chosen[0] if table.named and found.columns is None else None
    read = "features" if beside is not None else "objects" if len(chosen) == 1 else "rows"
    told = _told_roles(path, table, chosen, label_name, id_name, read)
    more = len(chosen) < len(found.headings) or (id_name or "").lower() == "name"
    guessed = column is None and beside is None and table.named and more
    found.notes.append(f"{told} Another: column='NAME'." if guessed else told)
    if id_name is not None:
        found.ids = _unique(path, table, id_name)
        found.line_of = dict(zip(found.ids, table.lines, strict=True))
    if label_name is not None:
        found.labels = _labels(path, table, label_name, found.notes)
    return found


def told_columns(table: NamedColumns) -> str:
    """What columns there are; without a header, the first line, which may be meant as one."""
    if not table.first_line:
        return ", ".join(list(table.columns)[:20])
    numbers = [str(c) for c in range(1, len(table.first_line) + 1)]
    line = told_line(table.first_line)
    return f"{', '.join(numbers[:20])}, without a header: its first line is {line}"


def _told_roles(
    path: Path,
    table: NamedColumns,
    chosen: list[str],
    label_name: str | None,
    id_name: str | None,
    read: str,
) -> str:
    """One line that says which columns were taken for what, so that nobody has to guess."""

    def called(names: list[str]) -> str:
        place = {one: f"column {c}" for c, one in enumerate(table.columns, start=1)}
        words = [f"`{one or ' '}`" if table.named else place[one] for one in names]
        more = f" and {len(words) - _MOST_NAMED} more" if len(words) > _MOST_NAMED else ""
        return ", ".join(words[:_MOST_NAMED]) + more

    used = {*chosen, label_name, id_name}
    roles = [f"{read} from {called(chosen)}"]
    roles += [] if label_name is None else [f"labels from {called([label_name])}"]
    roles += [] if id_name is None else [f"ids from {called([id_name])}"]
    unused = [name for name in table.columns if name not in used]
    told = "; ".join(roles) + (f"; not used: {called(unused)}" if unused else "")
    return f"{path}{'' if table.named else ', without a header'}: {told}."


def _name_by_place(table: NamedColumns) -> None:
    """Without a header: objects or numbers, labels that repeat, ids that do not."""
    values = list(table.columns.values())
    words = [all(is_word(cell) for cell in column[:1000]) for column in values]
    repeats = [len(set(column)) <= len(column) / 2 for column in values]
    if len(values) == 1:
        table.columns = {"object": values[0]}
    elif len(values) == 2 and all(words):
        if repeats[1]:
            names = ["object", "label"]
        else:
            names = ["label", "object"] if repeats[0] else ["id", "object"]
        table.columns = dict(zip(names, values, strict=True))
    elif len(values) == 3 and not repeats[0] and words[2] and repeats[1]:
        table.columns = dict(zip(["id", "label", "object"], values, strict=True))
    elif len(values) == 3 and not repeats[0] and words[1] and repeats[2]:
        table.columns = dict(zip(["id", "object", "label"], values, strict=True))
    elif words[-1] and repeats[-1] and not any(words[:-1]):
        features = {f"x{c}": column for c, column in enumerate(values[:-1], 1)}
        table.columns = {**features, "label": values[-1]}
    elif words[0] and not repeats[0] and not any(words[1:]):
        table.columns = {"id": values[0], **{f"x{c}": v for c, v in enumerate(values[1:], 1)}}


def _chosen(
    path: Path,
    table: NamedColumns,
    lower: dict[str, str],
    column: str | Sequence[str] | None,
    label_name: str | None,
) -> list[str]:
    names = list(table.columns)
    if column is not None:
        asked = [column] if isinstance(column, str) else list(column)
        for name in asked:
            if name not in names:
                raise MissingColumnError(
                    f"{path} has no column {name!r}; it has {told_columns(table)}."
                )
        return asked
    known = next((lower[one] for one in OBJECT_NAMES if one in lower), None)
    if known is not None and known != label_name:
        return [known]
    left = [name for name in names if name != label_name]
    without_ids = [name for name in left if name.lower() not in ID_NAMES]
    if not left:
        raise FileError(f"{path} holds labels alone; expected a column of objects too.")
    if without_ids:  # else names are compared, and ids tell samples apart
        return without_ids
    return [name for name in left if name.lower() == "name"] or left[:1]


def _objects(path: Path, table: NamedColumns, chosen: list[str], said: str | None) -> FoundObjects:
    if len(chosen) > 1:
        return _rows(path, table, chosen, said)
    column = table.columns[chosen[0]]
    what = _WHAT_OF_NAME.get(chosen[0].lower(), "strings")
    for line, cell in zip(table.lines, column, strict=True):
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            raise FileError(f"{path}, line {line}: the object is empty (column {chosen[0]!r}).")
    if all(isinstance(cell, str) for cell in column):
        slips = said in (None, "numbers") and chosen[0].lower() not in OBJECT_NAMES
        if what == "strings" and (are_numbers(column) if slips else not any(map(is_word, column))):
            return _rows(path, table, chosen, said)
        return FoundObjects(what, column)
    if all(isinstance(cell, list) for cell in column):
        return _lists(path, table, column, what)
    if all(isinstance(cell, int | float) for cell in column):
        return _rows(path, table, chosen, said)
    raise FileError(
        f"{path}: the column {chosen[0]!r} mixes types; expected strings, lists or numbers alone."
    )


def _lists(path: Path, table: NamedColumns, column: list[Any], what: str) -> FoundObjects:
    """Lists of words are sets, lists of numbers series, or rows if all are equally long."""
    if all(isinstance(item, str) for cell in column for item in cell):
        return FoundObjects("sets", [frozenset(cell) for cell in column])
    objects = []
    for line, cell in zip(table.lines, column, strict=True):
        try:
            objects.append(np.array(cell, dtype=np.float64))
        except (TypeError, ValueError):
            raise FileError(f"{path}, line {line}: expected a list of numbers.") from None
        if objects[-1].ndim != 1 or not np.isfinite(objects[-1]).all() or not objects[-1].size:
            raise FileError(f"{path}, line {line}: expected a list of finite numbers.")
    if what != "series" and len({len(one) for one in objects}) == 1:
        return FoundObjects("numbers", np.array(objects))
    return FoundObjects("series", objects)


def _rows(path: Path, table: NamedColumns, chosen: list[str], said: str | None) -> FoundObjects:
    """A table of features: numbers if all are, else categories."""
    columns = [table.columns[name] for name in chosen]
    numeric = [are_numbers(column) for column in columns]
    if not all(numeric) or said == "categories":
        objects: NDArray[Any] = np.empty((len(table), len(chosen)), dtype=object)
        for c, column in enumerate(columns):
            objects[:, c] = column
        pairs = zip(chosen, columns, numeric, strict=True)
        many = [
            f"`{name}`" for name, column, is_numeric in pairs
            if is_numeric and len(set(column)) > max(_FEW, len(column) / 2)
        ]  # fmt: skip
        found = FoundObjects("categories", objects, columns=chosen)
        if many and not all(numeric):
            found.notes.append(
                f"Numbers of {', '.join(many[:_MOST_NAMED])} stand beside words, and so count as "
                "categories: equal or not. Leave them out, or make few groups of them."
            )
        return found
    numbers = np.empty((len(table), len(chosen)))
    for c, (name, column) in enumerate(zip(chosen, columns, strict=True)):
        for i, cell in enumerate(column):
            numbers[i, c] = _number(cell)
        bad = np.flatnonzero(~np.isfinite(numbers[:, c]))
        if bad.size:
            cell = column[bad[0]]
            other = "strings" if len(chosen) == 1 else "categories"
            may_be = said is None and is_word(str(cell))
            hint = f" If they are no numbers, say what='{other}'." if may_be else ""
            raise FileError(
                f"{path}, line {table.lines[bad[0]]}, column {name!r}: {cell!r} is not a finite "
                f"number; fill in such cells before, or leave the column out.{hint}"
            )
    return FoundObjects("numbers", numbers, columns=chosen)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return np.nan


def _unique(path: Path, table: NamedColumns, name: str) -> list[str]:
    seen: dict[str, int] = {}
    for line, cell in zip(table.lines, table.columns[name], strict=True):
        word = "" if cell is None else str(cell)
        if not word:
            raise FileError(f"{path}, line {line}: the id is blank (column {name!r}).")
        if word in seen:
            raise InputError(
                f"{path}, line {line}: the id {word!r} was on line {seen[word]} already; ids must "
                "be unique. Rename the objects or drop the repeated ones."
            )
        seen[word] = line
    return list(seen)


def _labels(path: Path, table: NamedColumns, name: str, notes: list[str]) -> NDArray[Any]:
    column = table.columns[name]
    for line, cell in zip(table.lines, column, strict=True):
        if isinstance(cell, dict | list):
            raise FileError(
                f"{path}, line {line}: the label (column {name!r}) is a {type(cell).__name__}; "
                "expected a word or a number."
            )
    words = [None if cell is None else str(cell).strip() for cell in column]
    return labels_from_words(known_labels(words, notes))
