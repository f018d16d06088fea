"""Blocks from files, with labels in the same file or beside it."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.checks import require_choice, require_finite, require_kind
from similearn.data.edges.completing import TREATED, refuse_zero, treated, treated_queries
from similearn.data.edges.pair_files import read_hits, read_pairs
from similearn.data.edges.query_blocks import against
from similearn.data.edges.repeated_pairs import REPEATED
from similearn.data.files.arrays import read_mat, read_numpy
from similearn.data.files.contents import (
    Contents,
    Wanted,
    as_path,
    own_columns,
    reading,
    unknown_kind,
)
from similearn.data.files.joining import Samples, has_label, joined_labels
from similearn.data.files.locating import existing, split_name
from similearn.data.files.text import read_table
from similearn.data.formats.array_trees import read_hdf5, read_zarr
from similearn.data.formats.matrix_market import read_mtx
from similearn.data.formats.qiime import read_qiime
from similearn.data.formats.r_files import read_r
from similearn.data.formats.recognizing import format_of
from similearn.data.formats.triangles import read_mega, read_phylip
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Kind, Values, kind_by_diagonal
from similearn.errors import FileError, InputError, InputTypeError

_READERS: dict[str, Callable[[Path, Wanted], Contents]] = {
    "numpy": lambda path, wanted: read_numpy(path, wanted.part, wanted.with_labels),
    "matlab": lambda path, wanted: read_mat(path, wanted.part, wanted.with_labels),
    "mtx": lambda path, wanted: read_mtx(path, wanted.part, wanted.with_labels),
    "table": lambda path, wanted: read_table(
        path,
        keep_missing=wanted.keeps_missing,
        with_labels=wanted.with_labels,
        label_column=wanted.label_column,
    ),
    "pairs": read_pairs,
    "hits": read_hits,
    "phylip": read_phylip,
    "mega": read_mega,
    "qiime": read_qiime,
    "r": read_r,
    "hdf5": read_hdf5,
    "zarr": read_zarr,
}
_OF_PARTS = ("numpy", "matlab", "hdf5", "zarr", "r")  # formats of several blocks
_MISSING = ("error", "zero", "unknown", "fill", "keep")


@dataclass(frozen=True, eq=False)
class LabelledPairwise:
    """What a file held: ``X, y = read_pairwise(path)``, or by name.

    Attributes
    ----------
    block : Pairwise
    labels : (m,) array, or None if there were none; where only some samples have a label, an
        array of objects with None for the others
    name : the file's name without its ending
    notes : sentences on what was decided without being asked
    of_pairs : whether the file is a list of pairs, which can tell both directions
    """

    block: Pairwise
    labels: NDArray[Any] | None
    name: str
    notes: tuple[str, ...] = ()
    of_pairs: bool = False

    def __repr__(self) -> str:
        told = (
            f"{int(self.labelled.sum())} with a label" if self.labels is not None else "no labels"
        )
        return f"<{type(self).__name__}: {self.block!r}, {told}>"

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """(m,) which samples have a label."""
        return has_label(self.labels, len(self.block))

    def __iter__(self) -> Iterator[Any]:
        yield self.block
        yield self.labels

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Refuse to be read as numbers: it is a block and labels."""
        raise InputTypeError(
            f"Got a {type(self).__name__}, what read_pairwise returned; expected the block in it. "
            "Pass its .block, and as labels its .labels: fit(data.block, data.labels)."
        )


def read_pairwise(
    path: str | Path,
    *,
    labels: Any = None,
    kind: Kind | None = None,
    part: str | None = None,
    missing: Literal["error", "zero", "unknown", "fill", "keep"] = "error",
    format: str | None = None,
    score: str | int | None = None,
    directed: bool | None = None,
    repeated: Literal["error", "mean", "largest"] = "error",
    references: Sequence[Any] | None = None,
) -> LabelledPairwise:
    r"""Read a block of similarities or dissimilarities, and its labels if there are any.

    Parameters
    ----------
    path : a file of a format below, packed (.gz, .bz2, .xz, .zst) or not
    labels : path, pair (path, name of its column) or sequence of length m, optional
        A column of a file of labels is ``labels=("labels.tsv", "species")``.
        By default those in the file, else those in a file beside it:
        ``<name>.labels.csv``, ``<name>-labels.txt``, ``<name>_labels.npy`` and the like,
        one label per line, alone or after an id. Where both have ids they are joined by id; a
        sample without a label has None, and is for prediction. Of AnnData, the name of a column
        of the observations will do, of a table that of one of its columns.
    kind : {"similarity", "dissimilarity"}, needed where the file does not say
    part : optional
        Of a file with several blocks, which one: "train" (S_train with y_train, the
        default there), "test", or the name of an array.
    missing : {"error", "zero", "unknown", "fill", "keep"}
        What becomes of NaN and blank cells. All but "error" and "keep" take them from the other
        direction first, where it is known, and say in the notes how many there were. "zero" then
        leaves them out of a sparse similarity, as zeros; "unknown" leaves them out of a sparse
        dissimilarity, where they are unknown and far (of a similarity it is the same as "zero");
        "fill" makes them of the means of row and column, as `similearn.convert.fill_missing` does.
        New samples against others are filled from their own rows alone. "keep" leaves NaN in the
        block, for whoever fills it later: of new samples, ``fill_missing(values, like=S_train)``.
    format : optional; by default the content of the file tells, then its name
        "numpy" (.npz, .npy), "matlab", "mtx", "table" (.csv, .tsv, lsmat), "phylip", "mega",
        "qiime" (.qza), "r" (.rds, .rda), "hdf5" (.h5, .h5ad), "zarr", "pairs" (an edge list: two
        ids and a score per line) or "hits" (tabular output of BLAST, DIAMOND, MMseqs2, Foldseek).
    score : optional
        Of pairs and hits, which column: a name in the header, a number from 1, or of hits
        "bits" (default), "evalue" (-log10 of it) or "identity" (a share).
    directed : bool, optional
        Of pairs and hits, whether (a, b) says nothing of (b, a); by default, whether any
        pair is listed in both directions.
    repeated : {"error", "mean", "largest"}
        What becomes of a pair that is listed several times with different scores; of hits,
        the largest counts in any case.
    references : sequence of ids, optional
        Return a block of new samples against these, in this order, as a model needs it.

    Returns
    -------
    LabelledPairwise, which unpacks into block and labels

    Notes
    -----
    .npz and .mat: the block is the array S, D or values (or the only table there is),
    labels are y, kind is a word; `scipy.sparse.save_npz` files are read too. Tables: header,
    ids in the first column and a column "label" are noticed. Pairs that are not listed are
    left out of a sparse block: unknown, and as far as can be. What a sample is to itself, where
    it is not listed, is zero as a dissimilarity, and as a similarity the largest score that the
    sample has with any other, which it reaches at least.

    Nothing in a file is executed: ``allow_pickle=False`` always. A `FileError` names
    file and line (text) or array.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from similearn import read_pairwise
    >>> file = Path(tempfile.mkdtemp(), "far.csv")
    >>> _ = file.write_text("0,2,3\n2,0,1\n3,1,0\n")
    >>> D, y = read_pairwise(file, labels=["a", "b", "b"], kind="dissimilarity")
    >>> D
    <Pairwise: dissimilarity, 3 × 3>
    """
    wanted = _wanted(labels, kind, part, missing, score, directed, references)
    wanted = replace(wanted, repeated=require_choice("repeated", repeated, REPEATED))
    file = as_path(path)
    with reading(file):
        file = existing(file, folders=True)
        form = format_of(file, format)
    if form == "table" and format is None and score is not None:
        form = "pairs"  # matrices have no column of scores
    if part is not None and (form not in _OF_PARTS or split_name(file)[1] == ".npy"):
        raise InputError(
            f"part={part!r} is for .npz and .mat files, and others of several arrays; {file} "
            "holds one block."
        )
    if isinstance(labels, str) and not os.path.exists(labels):
        wanted = replace(wanted, label_column=labels)
    with reading(file):
        contents = _READERS[form](file, wanted)
    if wanted.label_column is not None and contents.labels is not None:
        labels = None
    _mirror_triangle(contents)
    known = _decided_kind(file, contents, kind)
    _add_diagonal(contents, known)
    refuse_zero(file, known, missing)
    of_pairs = form in ("pairs", "hits")
    of_queries = references is not None and not of_pairs
    _require_finite(file, contents, keeps=missing != "error")
    if missing in TREATED and not of_queries:
        _treat(contents, known, missing)
    block, own = _block(file, contents, known), contents.labels
    if references is not None and of_queries:
        rows, block = against(block, references, str(file))
        own = None if own is None else own[rows]
        block, told = treated_queries(block, missing)
        contents.notes += told
    name = split_name(file)[0]
    samples = Samples(file, name, len(block), block.row_ids, own, contents.notes, block.shape[1])
    found = joined_labels(labels, samples)
    return LabelledPairwise(block, found, name, tuple(contents.notes), of_pairs)


def _wanted(
    labels: Any, kind: Any, part: Any, missing: str, score: Any, directed: Any, references: Any
) -> Wanted:
    """Refuse parameters that are wrong before anything is read."""
    if kind is not None:
        require_kind(kind)
    if str(missing) not in _MISSING:
        raise InputError(
            f"missing={missing!r} is unknown; expected 'error', 'zero', 'unknown', 'fill' or "
            "'keep'."
        )
    if str(directed) not in ("None", "True", "False"):
        raise InputError(f"directed={directed!r} must be True, False or None.")
    if references is not None and not np.iterable(references):
        raise InputTypeError(f"references={references!r} must be a list of ids, or None.")
    known = None if references is None else tuple(str(one) for one in references)
    if known is not None and not known:
        raise InputError("references is empty; expected the ids of the samples of a model.")
    if known is not None and len(set(known)) < len(known):
        raise InputError("references repeats an id; ids must be unique.")
    return Wanted(kind, part, missing, score, directed, known, with_labels=labels is None)


def _decided_kind(path: Path, contents: Contents, kind: Kind | None) -> Kind:
    if kind is None and contents.kind is None:
        own = _with_themselves(contents)
        contents.kind = None if own is None else kind_by_diagonal(own)
        if contents.kind is None:
            raise unknown_kind(path, contents.values.shape)
        contents.notes.append(
            f"Taken as a {contents.kind}, by its diagonal; if it is none, say kind='...'."
        )
    if kind is not None and contents.kind_is_certain and contents.kind != kind:
        raise FileError(
            f"{path} says that it holds a {contents.kind}, but kind={kind!r} was given. Leave kind "
            "out; to convert, see similearn.convert."
        )
    return kind if kind is not None else contents.kind  # type: ignore[return-value]


def _with_themselves(contents: Contents) -> Values | None:
    """The samples against themselves: a square block, or those columns that the rows name."""
    m, n = contents.values.shape
    if m == n:
        return None if contents.same_samples is False else contents.values
    if contents.row_ids is None or contents.column_ids is None or m > n:
        return None
    own = own_columns(contents.row_ids, contents.column_ids)
    return None if own is None else contents.values[:, own]


def _mirror_triangle(contents: Contents) -> None:
    """Complete a square with zeros on one side of its diagonal, and none on the other.

    It ends at the first value that speaks against a triangle, of most blocks in the first row.
    """
    values, n = contents.values, contents.values.shape[0]
    if sparse.issparse(values) or values.shape != (n, n) or n < 3:
        return
    if contents.same_samples is False or contents.reverse is not None:
        return
    for side, half in (("above", values), ("below", values.T)):
        if any(half[i, i + 1 :].any() for i in range(n)):
            continue
        if not all(half[i, :i].all() for i in range(n)):
            return
        for i in range(n):
            half[i, i + 1 :] = half[i + 1 :, i]
        contents.notes.append(
            f"All values {side} the diagonal are zero, none on the other side: read as a triangle, "
            "and mirrored."
        )
        return


def _add_diagonal(contents: Contents, kind: Kind) -> None:
    """Fill in what samples are to themselves, where the file leaves it out."""
    if not contents.no_diagonal:
        return
    values: Floats = contents.values
    np.fill_diagonal(values, 0.0 if kind == "dissimilarity" else np.nan)
    if kind == "similarity":
        with np.errstate(invalid="ignore"):
            largest = np.fmax(np.fmax.reduce(values, axis=1), np.fmax.reduce(values, axis=0))
        np.fill_diagonal(values, largest)
        contents.notes.append(
            "The file leaves out what samples are to themselves; it was taken as the largest "
            "similarity that each has with any other."
        )


def _treat(contents: Contents, kind: Kind, missing: str) -> None:
    """Treat what is not known as it was asked, and note how many entries that were."""
    shape = contents.values.shape
    square = shape[0] == shape[1] and contents.same_samples is not False
    queries = not square and _with_themselves(contents) is None
    means = (None, None) if queries else None
    found = treated(contents.values, contents.reverse, kind, missing, square=square, means=means)
    contents.values, contents.reverse = found.values, found.reverse
    contents.notes += found.notes


def _require_finite(path: Path, contents: Contents, *, keeps: bool) -> None:
    blocks = {contents.place or "the block": contents.values, "array 'reverse'": contents.reverse}
    for place, values in blocks.items():
        if values is None:
            continue
        try:
            require_finite(_nan_as_zero(values) if keeps else values, place)
        except InputError as error:
            raise FileError(f"{path}: {error}") from error


def _nan_as_zero(values: Values) -> Values:
    if not sparse.issparse(values):
        return np.where(np.isnan(values), 0.0, values)
    known = values.copy()
    known.data = np.where(np.isnan(known.data), 0.0, known.data)
    return known


def _block(path: Path, contents: Contents, kind: Kind) -> Pairwise:
    if 0 in contents.values.shape:
        raise FileError(f"{path} holds no samples, or none that have a value.")
    try:
        return Pairwise(
            contents.values,
            kind,
            reverse=contents.reverse,
            self_values=contents.self_values,
            row_ids=contents.row_ids,
            column_ids=contents.column_ids,
            same_samples=contents.same_samples,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
