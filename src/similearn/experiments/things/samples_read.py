"""Labelled samples from files: objects and how they are compared, a block, or several blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import LabelledObjects, Pairwise, Sources, read_objects, read_pairwise
from similearn.data.files.contents import UnknownKindError, own_columns
from similearn.data.files.joining import has_label
from similearn.data.files.reading import LabelledPairwise
from similearn.data.objects.object_files import has_column, object_format, read_features
from similearn.data.objects.objects_or_block import holds_objects
from similearn.errors import FileError, InputError, NoNumbersError
from similearn.experiments.things.feature_files import features_of
from similearn.experiments.things.scores_of_pairs import score_read
from similearn.similarities import Similarity, choose_similarity, parse_similarity, spelled
from similearn.similarities.shell.choosing import AUTO, Choice, told_choice
from similearn.similarities.shell.objects import taken

_MAYBE_A_MATRIX = (
    " If it is a matrix, its numbers may be written in a way that is not read, such as with "
    "thousands separators: say format='table' to see which."
)


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples as files give them.

    Attributes
    ----------
    data : n objects (a list, or the rows of an array), a `Pairwise` block, or `Sources` of blocks
        and tables of features
    labels : (n,), None where there are none; None in the place of a sample that has none
    ids : (n,) or None
    name : of the file, without its ending
    compare : names of similarities and these, where data are objects; else empty
    what : what the objects are, None where data are blocks
    columns : names of the columns, where objects are rows of a table
    notes : sentences on what was decided without being asked
    tables : names of the sources that are tables of features, and of their columns
    column : the column that objects were read from, where each is one cell of a table
    headings : names of the columns of a file, but for those of labels and ids
    score : of lists of pairs, which one was read, where it was asked for or they are hits
    one_way : whether new samples are likely to come as rows of a matrix, without what the known
        ones are to them; lists of pairs, and files that hold the new samples, too, tell both
    """

    data: Any
    labels: NDArray[Any] | None
    ids: NDArray[Any] | None
    name: str
    compare: Mapping[str, Similarity] = field(default_factory=dict)
    what: str | None = None
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    headings: tuple[str, ...] = ()
    column: str | None = None
    score: str | None = None
    one_way: bool = False

    def __len__(self) -> int:
        return len(self.data)

    @property
    def learns(self) -> bool:
        """Whether a similarity is learned from labels."""
        return any(one.learned for one in self.compare.values())

    def labelled(self) -> "Samples":
        """Those samples that have a label; the others are for prediction."""
        known = has_label(self.labels, len(self))
        if self.labels is None or known.all():
            return self
        where = np.flatnonzero(known)
        if not where.size:
            raise InputError(f"No sample of {self.name} has a label.")
        data = taken(self.data, where) if self.compare else self.data[np.ix_(where, where)]
        labels = np.array(self.labels[where].tolist())
        ids = None if self.ids is None else self.ids[where]
        notes = self.notes
        if not self.compare and ids is None:  # with ids, `predict` finds the columns that it needs
            notes = (*notes, _told_left_out(np.flatnonzero(~known), len(where)))
        return replace(self, data=data, labels=labels, ids=ids, notes=notes, one_way=False)

    def to_be_fitted(self) -> Any:
        """The data, held out by cross-validation as new samples are likely to come."""
        if not self.one_way:
            return self.data
        if isinstance(self.data, Pairwise):
            return replace(self.data, one_way=True)
        parts = {name: self.data[name] for name in self.data}
        blocks = {n: replace(p, one_way=True) for n, p in parts.items() if isinstance(p, Pairwise)}
        return Sources(parts | blocks)

    def compared(self) -> Any:
        """The block, or blocks, of the samples with themselves."""
        if not self.compare:
            return self.data
        from similearn.experiments.things.comparing_objects import comparison_of

        made = comparison_of(self.compare).fit_transform(self.data, self.labels)
        blocks = (
            {name: _with_ids(made[name], self.ids) for name in made}
            if (isinstance(made, Sources))
            else _with_ids(made, self.ids)
        )
        return Sources(blocks) if isinstance(blocks, dict) else blocks


def _told_left_out(others: NDArray[np.intp], n_kept: int) -> str:
    """Say which columns a matrix of new samples must not have."""
    told = ", ".join(map(str, others[:8].tolist())) + ", ..." * (len(others) > 8)
    return (
        f"Without a label, and left out: {told} (samples are numbered from 0). For a model, a "
        f"matrix of new samples needs the columns of the other {n_kept} alone, in their order."
    )


def read_samples(
    paths: Sequence[Path],
    similarities: Sequence[str] = (),
    *,
    labels: Any = None,
    column: Any = None,
    what: str | None = None,
    features: Sequence[Path] = (),
    **block_options: Any,
) -> Samples:
    """Read one file of objects, or one or several files of blocks.

    Parameters
    ----------
    paths : one file of objects; one file, or several, of blocks of the same samples
    similarities : words as `parse_similarity` reads them, "auto" for the one that suits the
        objects. Without any, a file that can hold nothing but objects gets "auto".
    labels, column, what : as `read_objects` takes them; a name may be that of a column of
        `features`
    features : files of tables of the same samples, beside blocks
    **block_options : of `read_pairwise`: kind, part, missing, format, score
    """
    if similarities or (len(paths) == 1 and holds_objects(paths[0], block_options.get("format"))):
        _refuse_for_objects(paths, similarities, block_options, features)
        form = block_options.get("format")
        return _read_things(paths[0], similarities, labels, column, what, form)
    if column is not None or what is not None:
        raise InputError(
            "column and what say how objects are read, and without a similarity "
            f"{paths[0]} is read as a matrix; name a similarity, or 'auto'."
        )
    return _read_blocks(paths, labels, block_options, features)


def _refuse_for_objects(
    paths: Sequence[Path],
    similarities: Sequence[str],
    options: Mapping[str, Any],
    features: Sequence[Path],
) -> None:
    if features:
        raise InputError(
            f"{features[0]} would be a table of features beside matrices, and {paths[0]} is read "
            "as objects. Give the matrix of their similarities, or the table alone."
        )
    if len(paths) > 1:
        raise InputError(
            f"There are {len(paths)} files, and objects are read from one; several files are for "
            "several matrices of the same samples."
        )
    if options.get("missing") not in (None, "error"):
        raise InputError(
            f"missing={str(options['missing'])!r} is for matrices, and {paths[0]} is read as "
            "objects: fill in their blank cells before, or leave those columns out."
        )
    unused = [name for name in ("kind", "part", "score") if options.get(name) is not None]
    if unused:
        hint = "" if similarities or object_format(paths[0]) != "table" else _MAYBE_A_MATRIX
        raise InputError(
            f"{unused[0]}={str(options[unused[0]])!r} is for matrices, and {paths[0]} is read as "
            f"objects, whose similarity says it.{hint}"
        )


def _read_things(
    path: Path, similarities: Sequence[str], labels: Any, column: Any, what: Any, form: Any
) -> Samples:
    found = read_objects(path, labels=labels, column=column, what=what, format=form)
    compare: dict[str, Similarity] = {}
    notes = list(found.notes)
    for word in similarities or (AUTO,):
        if word == AUTO:
            choice = _choice(found)
            name, one = spelled(choice.similarity), choice.similarity
            told = told_choice(len(found), found.what, choice)
            notes.append(f"{told} Another: --similarity NAME, see `similearn similarities`.")
        else:
            one = parse_similarity(word)
            name = spelled(one)
        if name in compare:
            raise InputError(f"The similarity {name} is named twice; once is enough.")
        compare[name] = one
    if len(compare) > 1 and any(one.learned for one in compare.values()):
        learned = next(name for name, one in compare.items() if one.learned)
        raise InputError(
            f"{learned} is learned from labels, and so cannot be judged beside others on held-out "
            "samples; name it alone."
        )
    return Samples(
        found.objects, found.labels, found.ids, found.name, compare, found.what, found.columns,
        tuple(notes), headings=found.headings, column=found.column,
    )  # fmt: skip


def _choice(found: LabelledObjects) -> Choice:
    """The similarity that suits objects; where none does, the columns that were read are told."""
    try:
        return choose_similarity(found.what, found.objects)
    except InputError as error:
        if found.columns is None:
            raise
        raise InputError(f"Rows of {', '.join(found.columns[:8])}: {error}") from error


def _read_blocks(
    paths: Sequence[Path], labels: Any, options: Mapping[str, Any], features: Sequence[Path]
) -> Samples:
    says = [isinstance(labels, str) and has_column(path, labels) for path in features]
    named, labels = labels, None if any(says) else labels
    several = len(paths) + len(features) > 1
    found = [_read_block(path, labels, options, several=several) for path in paths]
    notes = [note for one in found for note in one.notes]
    first = found[0]
    ids, count = first.block.row_ids, len(first.block)
    score = score_read(paths, options)
    one_way = not any(one.of_pairs for one in found)
    if not several:
        return Samples(
            first.block, first.labels, ids, first.name, notes=tuple(notes), score=score,
            one_way=one_way,
        )  # fmt: skip
    blocks = [_aligned(first, one, path) for one, path in zip(found, paths, strict=True)]
    given = zip(features, says, strict=True)
    beside = [read_features(path, ids, labels=named if one else None) for path, one in given]
    rows = zip(beside, features, strict=True)
    tables = [features_of(one, path, ids, count) for one, path in rows]
    names = [*(one.name for one in found), *(one.name for one in beside)]
    if len(set(names)) < len(names):
        names = [f"{name} {i}" for i, name in enumerate(names, 1)]
    data = Sources(dict(zip(names, [*blocks, *(one.table for one in tables)], strict=True)))
    known = [one.labels for one, named in zip(tables, says, strict=True) if named]
    known += [one.labels for one in found]
    y = next((y for y in (*known, *(one.labels for one in tables)) if y is not None), None)
    notes += [note for one in tables for note in one.notes]
    columns = dict(zip(names[len(found) :], (one.columns for one in tables), strict=True))
    return Samples(
        data, y, ids, "+".join(names), notes=tuple(notes), tables=columns, score=score,
        one_way=one_way,
    )  # fmt: skip


def _read_block(
    path: Path, labels: Any, options: Mapping[str, Any], *, several: bool
) -> LabelledPairwise:
    """A block; of several, each is one of the samples with themselves."""
    try:
        found = _squared(read_pairwise(path, labels=labels, **options))
    except NoNumbersError as error:
        hint = "a table of features goes beside matrices by --features FILE"
        hint = hint if several else "if its rows are objects to compare, say --similarity auto"
        raise FileError(f"{error} {path} is read as a matrix; {hint}.") from None
    except UnknownKindError as error:
        raise (_no_square(path, error.shape, several) if error.is_table else error) from None
    if several and found.block.shape[0] != found.block.shape[1]:
        raise _no_square(path, found.block.shape, several)
    return found


def _no_square(path: Path, shape: tuple[int, int] | None, several: bool) -> InputError:
    told = " × ".join(map(str, shape or ()))
    if not several:
        return InputError(
            f"{path} has the shape {told}, so that it is no matrix of samples with themselves. If "
            "its rows are objects and its columns features, say --similarity auto; if it is a "
            "matrix nevertheless, whether large values mean near: --kind similarity|dissimilarity."
        )
    return InputError(
        f"{path} has the shape {told}; of several matrices each holds the samples against "
        "themselves. A table of features goes beside matrices by --features FILE."
    )


def _squared(found: LabelledPairwise) -> LabelledPairwise:
    """The samples against themselves, where there are more columns than their own."""
    block = found.block
    if block.row_ids is None or block.column_ids is None or block.shape[0] >= block.shape[1]:
        return found
    own = own_columns(block.row_ids, block.column_ids)
    if own is None:
        return found
    others = np.setdiff1d(np.arange(block.shape[1]), own)
    told = ", ".join(str(name) for name in block.column_ids[others[:8]])
    note = f"Columns that name no sample were left out: {told}" + " ..." * (len(others) > 8) + "."
    square = Pairwise(block.values[:, own], block.kind, row_ids=block.row_ids,
                      column_ids=block.row_ids, same_samples=True)  # fmt: skip
    return replace(found, block=square, notes=(*found.notes, note))


def _aligned(first: Any, other: Any, path: Path) -> Pairwise:
    """A block with its samples in the order of the first one's, by id where both have ids."""
    block: Pairwise = other.block
    wanted, ids = first.block.row_ids, block.row_ids
    if wanted is None or ids is None or np.array_equal(wanted, ids):
        return block
    place = {str(one): i for i, one in enumerate(ids)}
    missing = [str(one) for one in wanted if str(one) not in place]
    if missing:
        raise InputError(
            f"{path} has no sample {missing[0]!r} ({len(missing)} of {len(wanted)} are missing); "
            "several matrices must be of the same samples."
        )
    if not block.same_samples:
        raise InputError(f"{path} is no square matrix of samples with themselves.")
    order = np.array([place[str(one)] for one in wanted])
    return block[np.ix_(order, order)]


def _with_ids(block: Pairwise, ids: Any) -> Pairwise:
    return block if ids is None else replace(block, row_ids=ids, column_ids=ids)
