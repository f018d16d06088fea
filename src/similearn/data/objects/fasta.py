"""Sequences in FASTA and FASTQ files."""

from pathlib import Path

from similearn.data.files.compressed_text import open_text
from similearn.data.files.contents import reading
from similearn.data.objects.found import FoundObjects
from similearn.errors import FileError, InputError

_MOST_SEQUENCES = 50_000_000


def read_fasta(path: Path) -> FoundObjects:
    """Read sequences; the id is the first word after ">", the rest of that line describes.

    Notes
    -----
    Lines are joined, blanks dropped, letters kept as they are; `read_objects` makes capitals of
    them. Lines that begin with ";" are remarks. Time and memory are linear in the size of the text.
    """
    found = FoundObjects("sequences", [], [])
    parts: list[str] = []
    with reading(path), open_text(path) as file:
        for number, line in enumerate(file, start=1):
            text = line.strip()
            if text.startswith(">"):
                _finish(path, found, parts)
                _begin(path, found, text[1:], number)
                parts = []
            elif text and not text.startswith(";"):
                if not found.ids:
                    raise FileError(
                        f"{path}, line {number}: expected '>' and an id before the first sequence."
                    )
                parts.append(text)
    if not found.ids:
        raise FileError(f"{path} holds no sequences: no line begins with '>'.")
    _finish(path, found, parts)
    return found


def read_fastq(path: Path) -> FoundObjects:
    """Read sequences of four lines each, without their qualities."""
    found = FoundObjects("sequences", [], [])
    with reading(path), open_text(path) as file:
        lines = ((number, line.strip()) for number, line in enumerate(file, start=1))
        for number, head in lines:
            if not head:
                continue
            if not head.startswith("@"):
                raise FileError(
                    f"{path}, line {number}: expected '@' and an id, got {head[:30]!r}."
                )
            _begin(path, found, head[1:], number)
            (_, sequence), (at, plus), (_, quality) = (next(lines, (number, "")) for _ in range(3))
            if not plus.startswith("+") or len(quality) != len(sequence):
                raise FileError(
                    f"{path}, line {at}: the record that begins on line {number} is truncated or "
                    "damaged; expected a line of '+' and as many qualities as letters."
                )
            _finish(path, found, [sequence])
    return found


def _begin(path: Path, found: FoundObjects, head: str, number: int) -> None:
    name, _, description = head.strip().partition(" ")
    name, tab, rest = name.partition("\t")
    if not name:
        raise FileError(f"{path}, line {number}: there is no id after {'>'!r}.")
    if name in found.line_of:
        raise InputError(
            f"{path}, line {number}: the id {name!r} was on line {found.line_of[name]} already; "
            "ids must be unique. Rename the sequences or drop the repeated ones."
        )
    if len(found.ids) >= _MOST_SEQUENCES:
        raise FileError(f"{path} holds more than {_MOST_SEQUENCES:,} sequences.")
    found.line_of[name] = number
    found.ids.append(name)
    found.descriptions.append((rest + description) if tab else description)


def _finish(path: Path, found: FoundObjects, parts: list[str]) -> None:
    """Join the lines of the sequence that was begun last."""
    if not found.ids:
        return
    sequence = "".join(parts).replace(" ", "").replace("\t", "")
    if not sequence:
        name = found.ids[-1]
        raise FileError(f"{path}, line {found.line_of[name]}: the sequence {name!r} is empty.")
    found.objects.append(sequence)
