"""Objects from standard input, line by line, each answered at once."""

import csv
import io
import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from similearn.data.files.outputs import is_stdout, safe_cell
from similearn.data.objects.single_objects import LineReader
from similearn.errors import InputError

_LONGEST_LINE = 1 << 26  # a row of a matrix of some millions of columns


def answer_lines(model: Any, output: Path, coverage: float | None = None) -> None:
    """Read objects from standard input and write a line for each as soon as it is complete.

    A model of texts takes one on each line, alone or after an id and a tab, or FASTA records; one
    of tables, cells with tabs or commas between them; one of a matrix, its numbers likewise. Short
    texts without an id are their own, as in files. A first line that names the columns of the
    model is no object: it tells their order.
    """
    if not is_stdout(output) and output.suffix not in (".csv", ".tsv", ".jsonl", ".ndjson", ""):
        raise InputError(f"Answers line by line are CSV, TSV or JSON lines; got {output}.")
    _require_utf8(sys.stdin)
    answers = _answers(model, _lines(sys.stdin), coverage)
    if is_stdout(output):
        _write(answers, sys.stdout, output.suffix)
        return
    first = list(itertools.islice(answers, 1))  # no file is made if nothing can be answered
    with open(output, "w", encoding="utf-8", newline="") as out:
        _write(itertools.chain(first, answers), out, output.suffix)


def _require_utf8(stream: Any) -> None:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="strict")


def _lines(stream: TextIO) -> Iterator[str]:
    """Yield the lines of a stream: text in UTF-8, and none of them endless."""
    for number in itertools.count(1):
        try:
            line = stream.readline(_LONGEST_LINE + 1)
        except UnicodeDecodeError:
            raise InputError(
                f"standard input, near line {number}, is not UTF-8 text. Convert it first, for "
                "instance with iconv."
            ) from None
        if len(line) > _LONGEST_LINE:
            raise InputError(
                f"standard input, line {number}, has more than {_LONGEST_LINE} characters; "
                "expected one object per line."
            )
        if not line:
            return
        yield line


def _answers(model: Any, lines: Iterable[str], coverage: float | None) -> Iterator[dict[str, Any]]:
    """One table of one row for each object."""
    from similearn.data.objects.found import names_of
    from similearn.experiments.predictions import predicted_columns
    from similearn.experiments.things.queries_read import one_row

    names = [model.column] if model.column is not None else model.columns
    if model.what is None:
        names = model.training_ids
    reader = LineReader(model.what, model.columns, model.n_training, names)
    for number, (name, thing) in enumerate(reader.objects(lines), start=1):
        X = one_row(model, thing)
        columns = predicted_columns(model, X, None, coverage)
        own = names_of([thing], None)
        row = {"id": name if name is not None else number if own is None else str(own[0])}
        yield row | {key: column[0] for key, column in columns.items()}


def _write(answers: Iterable[dict[str, Any]], out: TextIO, ending: str) -> None:
    writer = None
    for row in answers:
        if ending in (".jsonl", ".ndjson"):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            if writer is None:
                delimiter = "\t" if ending == ".tsv" else ","
                writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
                writer.writerow(_safe(row))
            writer.writerow(_safe(row.values()))
        out.flush()


def _safe(cells: Iterable[Any]) -> Sequence[Any]:
    return [safe_cell(cell) for cell in cells]
