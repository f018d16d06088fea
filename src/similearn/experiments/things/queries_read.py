"""New samples for a model: objects, rows against its references, or lists of pairs, from files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data import LabelledObjects, Pairwise, Sources, read_objects, read_pairwise
from similearn.data.edges.completing import (
    TREATED,
    Means,
    refuse_zero,
    treated_queries,
    without_nan,
)
from similearn.data.formats.recognizing import format_of
from similearn.data.objects.alphabets import PLAIN_STRINGS
from similearn.data.objects.found import names_of
from similearn.data.objects.object_files import read_features
from similearn.data.objects.objects_or_block import holds_objects
from similearn.errors import FileError, InputError, MissingColumnError
from similearn.experiments.models.model import Model
from similearn.experiments.things.comparing_objects import comparisons_in
from similearn.experiments.things.feature_files import features_of, read_columns
from similearn.experiments.things.scores_of_pairs import with_score_of

_ROWS_ALONE = (
    "The model does not know the means of its training columns (an older version wrote it, or "
    "similearn.save did), so that holes of a new sample were filled from its own row alone. A "
    "model of `similearn fit` knows them."
)
_OF_TEXTS = ("sequences", "strings", "smiles", "sets", "series")


@dataclass(frozen=True, eq=False)
class Queries:
    """What `predict` of the model's estimator takes, ids of the samples, labels if known.

    `notes` are sentences on what was done that nobody sees, such as values that were filled.
    """

    X: Any
    ids: Any = None
    labels: Any = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.X)


def read_queries(
    model: Model,
    paths: Sequence[Path],
    *,
    labels: Any = None,
    column: Any = None,
    reverse: Path | None = None,
    features: Sequence[Path] = (),
    **options: Any,
) -> Queries:
    """Read new samples as a model takes them.

    Parameters
    ----------
    model : fitted
    paths : one file; as many as there were, in their order, for a model of several matrices
    labels, column : as `read_objects` takes them
    reverse : a file of the other direction, what training samples are to the new ones, of a model
        of one matrix: (m, n) in the layout of the queries, or (n, m); or a list of pairs
    features : files of tables, as many as the model was fitted to, in their order
    **options : of `read_pairwise`: kind, part, missing, format, score
    """
    _require_tables(model, features)
    if reverse is not None and (model.what is not None or model.sources is not None):
        raise InputError(
            f"{reverse} would be the other direction of one matrix, but the model takes "
            f"{model.what or 'several matrices'}."
        )
    if model.what is not None:
        return _read_new_objects(model, paths, labels, column, options.get("format"))
    names = ["one matrix"] if model.sources is None else _matrices(model)
    expected = len(names)
    if len(paths) != expected:
        told = ", ".join(names)
        raise InputError(
            f"The model was fitted to {expected} file(s) ({told}), but {len(paths)} are given; "
            "expected one file of new samples for each, in that order."
        )
    if model.sources is None:
        return _read_rows(model, paths[0], reverse, labels, options)
    return _read_sources(model, paths, labels, options, features)


def _matrices(model: Model) -> list[str]:
    """Names of the sources that are no tables."""
    return [name for name in model.sources or () if name not in (model.tables or {})]


def _require_tables(model: Model, features: Sequence[Path]) -> None:
    tables = list(model.tables or {})
    if len(features) == len(tables):
        return
    if not tables:
        raise InputError(
            f"{features[0]} would be a table of features, but the model was fitted to none; leave "
            "--features out."
        )
    raise InputError(
        f"The model was fitted to {len(tables)} table(s) of features ({', '.join(tables)}), but "
        f"{len(features)} are given; expected --features FILE for each, in that order."
    )


def _read_new_objects(
    model: Model, paths: Sequence[Path], labels: Any, column: Any, form: Any
) -> Queries:
    if len(paths) != 1:
        raise InputError(f"The model takes {model.what} from one file; {len(paths)} are given.")
    try:
        found = _matching(model, paths[0], labels, column, form)
    except FileError as error:
        told = str(error).removesuffix(PLAIN_STRINGS)
        if told == str(error):
            raise
        raise FileError(f"{told} Correct it, or leave the sequence out.") from None
    told = found.what.partition(" ")[0]
    if found.what != model.what and not _may_be(model, found):
        raise InputError(
            f"{paths[0]} holds {found.what}, but the model compares {model.what}. `similearn show "
            "MODEL` tells what it expects."
        )
    objects = found.objects
    if told == "numbers" and model.what == "categories":
        objects = objects.astype(object)
    return Queries(objects, names_of(found.objects, found.ids), found.labels, found.notes)


def _matching(model: Model, path: Path, labels: Any, column: Any, form: Any) -> LabelledObjects:
    """Objects of the model's kind; of a table, its columns, by their names where it has these."""
    kind = str(model.what).partition(" ")[0]
    options = {"labels": labels, "format": form}
    what = kind if kind in _OF_TEXTS and _strings_in(path) else None
    if column is None and model.column is not None:
        try:  # the column of that name, if there is one
            return read_objects(path, column=model.column, what=what, **options)
        except MissingColumnError:
            return _of_another_column(model, path, read_objects(path, what=what, **options))
    if column is not None or model.columns is None:
        return read_objects(path, column=column, what=what, **options)
    said = kind if kind == "categories" else None  # few samples may have numbers alone
    return read_columns(path, model.columns, what=said, **options)


def _of_another_column(model: Model, path: Path, found: LabelledObjects) -> LabelledObjects:
    """Objects of a file without the model's column; its first line may be meant as a header."""
    if found.column is not None or found.ids is not None or not isinstance(found.objects, list):
        return found  # it is told which column was taken, or there is no line without an id
    note = (
        f"{path} has no column `{model.column}`: each line was taken as a new sample, and the "
        f"first of them is {str(found.objects[0])[:40]!r}."
    )
    return replace(found, notes=(*found.notes, note))


def _strings_in(path: Path) -> bool:
    """Whether what a file holds is text until somebody says what it means."""
    return path.suffix.lower() not in (".jsonl", ".ndjson", ".parquet")


def _may_be(model: Model, found: LabelledObjects) -> bool:
    """Few objects may look like another kind than many: short proteins, whole categories."""
    kinds = (str(model.what).partition(" ")[0], found.what.partition(" ")[0])
    if kinds == ("categories", "numbers") or kinds == ("numbers", "numbers"):
        return True
    return kinds[0] == kinds[1] and kinds[0] != "sequences"


def _read_rows(
    model: Model, path: Path, reverse: Path | None, labels: Any, options: dict[str, Any]
) -> Queries:
    if holds_objects(path, options.get("format")):
        raise InputError(
            f"{path} holds objects, but the model was fitted to a matrix: it needs the "
            f"{model.kind} of each new sample to its {model.n_training} samples, or a list of "
            "pairs. A model that is fitted to objects takes objects."
        )
    missing = options.get("missing", "error")
    options = _keeping(options)
    found = _read_block(model, path, labels, options, model.kind)
    block = found.block
    refuse_zero(path, block.kind, missing)
    if reverse is not None:
        block = replace(block, reverse=_read_reverse(model, block, reverse, options))
    block, told = _without_holes(model, block, missing, 0)
    return Queries(block, block.row_ids, found.labels, (*found.notes, *told))


def _read_sources(
    model: Model,
    paths: Sequence[Path],
    labels: Any,
    options: dict[str, Any],
    features: Sequence[Path],
) -> Queries:
    kinds = [(model.kinds or {}).get(name) for name in _matrices(model)]
    given, missing = zip(paths, kinds, strict=True), options.get("missing", "error")
    kept = _keeping(options)
    found = [_read_block(model, path, labels, kept, kind) for path, kind in given]
    first = found[0].block.row_ids
    notes = [note for one in found for note in one.notes]
    blocks: dict[str, Any] = {}
    for i, (name, path, one) in enumerate(zip(_matrices(model), paths, found, strict=True)):
        if one.block.shape[1] != model.n_training:
            raise InputError(
                f"{path} has {one.block.shape[1]} columns, but the model was fitted to "
                f"{model.n_training} samples; expected a column for each."
            )
        refuse_zero(path, one.block.kind, missing)
        block, told = _without_holes(model, one.block.of_same_samples(False), missing, i)
        blocks[name], left_out = _in_order(block, first, path, paths[0])
        notes += [*told, *left_out]
    for (name, columns), path in zip((model.tables or {}).items(), features, strict=True):
        rows = read_columns(path, columns, read_features, samples=first)
        table = features_of(rows, path, first, len(found[0].block))
        blocks[name] = table.table
        notes += table.notes
    return Queries(Sources(blocks), first, found[0].labels, tuple(notes))


def _in_order(block: Pairwise, wanted: Any, path: Path, first: Path) -> tuple[Pairwise, list[str]]:
    """The rows of the first file in its order, where both have ids; and what was left out."""
    ids = block.row_ids
    if wanted is None or ids is None or np.array_equal(wanted, ids):
        return block, []
    place = {str(one): i for i, one in enumerate(ids)}
    missing = [str(one) for one in wanted if str(one) not in place]
    if missing:
        raise InputError(
            f"{path} has no row for the new sample {missing[0]!r} of {first} ({len(missing)} of "
            f"{len(wanted)} are missing); its rows are called such as {str(ids[0])!r}. Expected "
            "the same new samples in every file."
        )
    order = np.array([place[str(one)] for one in wanted])
    others = len(ids) - len(order)
    told = f"Rows of {path} that are no new samples of {first} were left out: {others}."
    return block[np.ix_(order, np.arange(block.shape[1]))], [told] if others else []


def _read_block(
    model: Model, path: Path, labels: Any, options: dict[str, Any], kind: str | None
) -> Any:
    """A block of the kind that the file says, else of the model's; columns by their ids."""
    references = model.training_ids
    if references is None and format_of(path, options.get("format")) in ("pairs", "hits"):
        raise InputError(
            f"{path} lists pairs by id, but the samples that the model was fitted to have no ids; "
            f"expected a matrix whose {model.n_training} columns are these samples in their order."
        )
    options = with_score_of(model, path, options)
    asked = options.get("kind")
    options = {n: v for n, v in options.items() if n != "kind"}
    if asked is not None or kind is None:
        return read_pairwise(path, labels=labels, kind=asked, references=references, **options)
    try:
        return read_pairwise(path, labels=labels, kind=kind, references=references, **options)  # type: ignore[arg-type]
    except FileError as error:
        try:  # if it holds the other kind, the model has the better sentence for that
            return read_pairwise(path, labels=labels, references=references, **options)
        except FileError:
            raise error from None


def _read_reverse(model: Model, block: Pairwise, path: Path, options: dict[str, Any]) -> Any:
    """Values of the other direction, in the layout of a block of queries."""
    options = with_score_of(model, path, options)
    asked = {name: value for name, value in options.items() if name != "kind"}
    if format_of(path, options.get("format")) in ("pairs", "hits"):
        return _listed_reverse(model, block, path, asked)
    other = read_pairwise(path, kind=block.kind, **asked).block
    m, n = block.shape
    if other.shape == (n, m) and (m != n or _names_rows(other, block.column_ids)):
        other = other.T
    if other.shape != (m, n):
        raise InputError(
            f"{path} has the shape {other.shape}; expected {(m, n)} as the new samples, or "
            f"{(n, m)}."
        )
    return _placed(other, block)


def _listed_reverse(model: Model, block: Pairwise, path: Path, asked: dict[str, Any]) -> Any:
    """The same from a list of pairs, joined by ids; what is not listed is unknown, as in a list."""
    if model.training_ids is None or block.row_ids is None:
        raise InputError(
            f"{path} lists pairs by id, but the {'new' if model.training_ids else 'training'} "
            "samples have no ids; expected a matrix."
        )
    other = read_pairwise(path, kind=block.kind, references=model.training_ids, **asked).block
    if other.reverse is not None:
        raise InputError(
            f"{path} lists pairs in both directions; expected the other one alone. A list of both "
            "needs no other file."
        )
    place = {str(one): i for i, one in enumerate(block.row_ids)}
    rows = np.array([place.get(str(one), -1) for one in other.row_ids])
    if (rows < 0).all():
        raise InputError(
            f"{path} lists none of the new samples: it names {other.row_ids[0]!r}, where they are "
            f"called such as {block.row_ids[0]!r}."
        )
    if not other.is_sparse and set(range(len(block))) <= set(rows):
        return _placed(other, block)
    listed = sparse.coo_array(without_nan(other.values, keep_zeros=True))
    wanted = rows[listed.row] >= 0
    kept = listed.data[wanted], (rows[listed.row[wanted]], listed.col[wanted])
    return sparse.csr_array(kept, shape=block.shape)


def _keeping(options: dict[str, Any]) -> dict[str, Any]:
    """Options of reading that leave holes, to be treated when both directions are known."""
    treats = options.get("missing") in TREATED
    return options | {"missing": "keep"} if treats else options


def _without_holes(
    model: Model, block: Pairwise, missing: str, place: int
) -> tuple[Pairwise, list[str]]:
    """Treat holes of new samples, each by itself and what is usual for the training samples.

    `place` is that of the block among those that the model was fitted to.
    """
    n = block.shape[1]
    if n != model.n_training:
        return block, []  # the model says that there are too few, or too many
    known = model.reference_means
    means: Means = (None, None) if known is None else (known[place][0], known[place][1])
    block, told = treated_queries(block, missing, means)
    if told and missing == "fill" and known is None:
        told.append(_ROWS_ALONE)
    return block, told


def _names_rows(block: Pairwise, ids: Any) -> bool:
    return ids is not None and block.row_ids is not None and set(block.row_ids) == set(ids)


def _placed(other: Pairwise, block: Pairwise) -> Any:
    """Values of the other direction, rows and columns in the order of the block, by their ids."""
    orders: list[Any] = []
    for own, wanted in ((other.row_ids, block.row_ids), (other.column_ids, block.column_ids)):
        count = other.shape[len(orders)]
        order = np.arange(count)
        if own is not None and wanted is not None:
            place = {str(one): i for i, one in enumerate(own)}
            missing = [str(one) for one in wanted if str(one) not in place]
            if missing:
                raise InputError(f"The other direction does not know the sample {missing[0]!r}.")
            order = np.array([place[str(one)] for one in wanted])
        orders.append(order)
    return other[np.ix_(*orders)].values


def one_row(model: Model, thing: Any) -> Any:
    """One object, or one row of a matrix, as `predict` takes it."""
    if model.what is None:
        if model.sources is not None:
            raise InputError("The model was fitted to several matrices, and a line holds one row.")
        return Pairwise(thing[None, :], model.kind, same_samples=False)  # type: ignore[arg-type]
    return thing[None, :] if model.columns is not None else [thing]


def reference_names(model: Model) -> list[str]:
    """What the training samples are called: by id, else the objects themselves, else numbers."""
    if model.training_ids is not None:
        return [str(one) for one in model.training_ids]
    compared = comparisons_in(model.estimator)
    objects = next(iter(compared.values())).references_ if compared else []
    if len(objects) and all(isinstance(one, str) for one in objects):
        return [one if len(one) <= 40 else f"{one[:37]}..." for one in objects]
    return [str(i) for i in range(model.n_training)]
