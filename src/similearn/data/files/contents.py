"""What a file holds before it is a `Pairwise`, and how broken files are reported."""

import gzip
import lzma
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.archives import most_unpacked, refuse_documents
from similearn.data.files.outputs import as_path as as_path
from similearn.data.values import Floats, Kind, Values, as_array, as_values
from similearn.errors import FileError, InputError, SimilearnError

LABEL_NAMES = ("y", "label", "labels", "class", "classes", "target")
ID_NAMES = ("id", "ids", "name", "sample", "samples", "index",
            "", "unnamed: 0", "__index_level_0__")  # fmt: skip
"""Headings of ids, the likeliest first; the last three are what pandas calls an index."""
DAMAGE = (OSError, EOFError, BadZipFile, zlib.error, lzma.LZMAError)  # what `reading` explains
MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", "?")


@dataclass
class Contents:
    """A block as it was found in a file.

    `place` says where in the file, for messages; `kind` is what the file says, and
    `kind_is_certain` whether it says so in words or by the name of an array only.
    """

    values: Values
    place: str = ""
    labels: NDArray[Any] | None = None
    kind: str | None = None
    kind_is_certain: bool = False
    reverse: Values | None = None
    self_values: Floats | None = None
    row_ids: NDArray[Any] | None = None
    column_ids: NDArray[Any] | None = None
    same_samples: bool | None = None
    no_diagonal: bool = False  # whether the file leaves out what samples are to themselves
    notes: list[str] = field(default_factory=list)  # what was decided without being asked


@dataclass(frozen=True)
class Wanted:
    """What a caller of `read_pairwise` asked for; readers look at what concerns them."""

    kind: Kind | None = None
    part: str | None = None
    missing: str = "error"
    score: str | int | None = None
    directed: bool | None = None
    references: tuple[str, ...] | None = None
    with_labels: bool = True
    label_column: str | None = None
    repeated: str = "error"

    @property
    def keeps_missing(self) -> bool:
        """Whether NaN and blank cells are read, to be left out of a sparse block."""
        return self.missing != "error"


class UnknownKindError(FileError):
    """A file does not say what near means; `shape` is that of its block, if that is known."""

    shape: tuple[int, int] | None = None

    @property
    def is_table(self) -> bool:
        """Whether its rows are no samples against themselves."""
        return self.shape is not None and self.shape[0] != self.shape[1]


def unknown_kind(path: Path, shape: tuple[int, int] | None = None) -> UnknownKindError:
    """The question what near means."""
    error = UnknownKindError(
        f"{path} does not say whether large values mean near. Say it: kind='similarity' or "
        "kind='dissimilarity' (on the command line: --kind similarity)."
    )
    error.shape = shape
    return error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what broken files raise into a sentence that names the file."""
    try:
        yield
    except SimilearnError:
        raise
    except PermissionError as error:
        raise FileError(f"{path} may not be read: permission denied.") from error
    except (EOFError, BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise FileError(
            f"{path} is truncated or damaged ({one_line(error)}). Copy or write it again."
        ) from error
    except UnicodeDecodeError as error:
        refuse_documents(path)
        raise FileError(
            f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8 or UTF-16."
        ) from error
    except OSError as error:
        raise FileError(f"{path} cannot be read ({one_line(error)}).") from error
    except MemoryError as error:
        raise FileError(f"{path} needs more memory than there is.") from error
    except Exception as error:  # whatever else a damaged file makes a library raise
        raise FileError(
            f"{path} is truncated or damaged ({type(error).__name__}: {one_line(error)})."
        ) from error


def numbers(values: Any, path: Path, place: str) -> Values:
    """Checked two-dimensional numbers; a `FileError` says what else was found where."""
    try:
        checked = as_values(values, place or "the block")
    except InputError as error:
        raise FileError(f"{path}: {error}") from error
    if 0 in checked.shape:
        raise FileError(f"{path}: {place or 'the block'} is empty, its shape is {checked.shape}.")
    return checked


def own_columns(row_ids: Any, column_ids: Any) -> NDArray[np.intp] | None:
    """Where the columns are that name the rows' samples; None if one has no column."""
    place = {str(name): j for j, name in enumerate(column_ids)}
    if any(str(name) not in place for name in row_ids):
        return None
    return np.array([place[str(name)] for name in row_ids], dtype=np.intp)


def label_vector(labels: Any, path: Path, place: str) -> NDArray[Any]:
    """Labels as a vector of integers or words; None for a sample that has none (NaN, NA, blank)."""
    array = as_array(labels, place)
    if array.dtype == object:  # MATLAB's cell array of words
        words = [_word(cell, path, place) for cell in array.ravel()]
        array = word_array(words, f"{path}: the words of {place}")
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1:
        raise FileError(
            f"{path}: {place} has shape {array.shape}; expected one label for each sample."
        )
    if array.dtype.kind == "S":
        array = _decoded(array, path, place)
    if array.dtype.kind not in "buifU":
        raise FileError(f"{path}: {place} holds values of type {array.dtype}; expected labels.")
    if array.dtype.kind == "U":
        array = np.char.strip(array)
        return _known(array, np.isin(np.char.lower(array), MISSING_WORDS), path, place)
    without = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)
    return _known(_whole(array, path, place), without, path, place)


def _known(
    labels: NDArray[Any], without: NDArray[np.bool_], path: Path, place: str
) -> NDArray[Any]:
    """The labels, as objects with None where there is none; one at least is needed."""
    if not without.any():
        return labels
    if without.all():
        raise FileError(f"{path}: {place} has no label for any sample; expected at least one.")
    found = labels.astype(object)
    known = labels[~without]
    found[~without], found[without] = _as_integers(known).tolist(), None
    return found


def word_array(words: Sequence[str], what: str) -> NDArray[np.str_]:
    """Words as an array, in which each takes as much room as the longest."""
    longest = max(map(len, words), default=0)
    if 4 * longest * len(words) > most_unpacked(sum(map(len, words))):
        raise FileError(
            f"{what} hold a word of {longest:,} characters among {len(words):,}; such an "
            "array would need too much memory. Shorten it."
        )
    return np.array(words, dtype=str)


def known_labels(words: Sequence[str | None], notes: list[str]) -> list[str | None]:
    """Put None for words that stand for no label; but for blanks they are noted.

    'NA' may mean Namibia.
    """
    found = {word for word in words if word and word.lower() in MISSING_WORDS}
    if found:
        told = " and ".join(repr(word) for word in sorted(found))
        notes.append(f"{told} among the labels stands for no label.")
    return [None if word is None or word.lower() in MISSING_WORDS else word for word in words]


def labels_from_words(words: Sequence[str | None]) -> NDArray[Any]:
    """Integers where every word is one, else the words; None stays where there is no label."""
    known = [word for word in words if word is not None]
    integers = all(map(_is_integer, known))
    labels = [int(word) for word in known] if integers else known
    if len(known) == len(words):
        return np.array(labels) if integers else word_array(known, "The labels")
    each = iter(labels)
    partly = np.empty(len(words), dtype=object)
    partly[:] = [None if word is None else next(each) for word in words]
    return partly


def _is_integer(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isdecimal() and len(digits) <= 18 and str(int(word)) == word


def _whole(array: NDArray[Any], path: Path, place: str) -> NDArray[Any]:
    if array.dtype.kind != "f":
        return array
    bad = np.flatnonzero(np.isinf(array))
    if bad.size:
        raise FileError(
            f"{path}: {place} has {array[bad[0]]} for sample {bad[0]} (counting from 0); expected "
            "labels, or NaN where there is none."
        )
    return _as_integers(array)


def _as_integers(array: NDArray[Any]) -> NDArray[Any]:
    """Floats that are all whole as integers, as far as floats tell integers apart."""
    if array.dtype.kind != "f" or float(np.abs(array).max(initial=0)) > 2**53:
        return array
    return array.astype(np.int64) if np.array_equal(array, np.round(array)) else array


def _decoded(array: NDArray[Any], path: Path, place: str) -> NDArray[Any]:
    try:
        return np.char.decode(array, "utf-8")
    except UnicodeDecodeError:
        raise FileError(
            f"{path}: {place} holds words that are not UTF-8. Save them as text, y.astype(str)."
        ) from None


def _word(cell: Any, path: Path, place: str) -> str:
    if cell is None:
        return ""
    word = np.asarray(cell)
    if word.size != 1 or word.dtype.kind not in "Uuif":
        raise FileError(f"{path}: {place} holds cells that are not single words or numbers.")
    return str(word.item())


def is_count(word: str) -> bool:
    """Whether a word is a whole number from zero, of a size that can be meant."""
    return word.strip().isdecimal() and len(word.strip()) <= 18


def one_line(error: BaseException) -> str:
    """The first line of what an exception says."""
    text = str(error).strip().splitlines()
    return text[0].rstrip(".") if text else type(error).__name__
