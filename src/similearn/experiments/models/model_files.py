"""Models as files: a zip archive of one JSON document and .npy arrays, which runs nothing."""

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data.files.archives import Archive, opened_archive
from similearn.data.files.contents import as_path
from similearn.data.files.locating import existing
from similearn.data.files.outputs import written
from similearn.data.values import KINDS
from similearn.errors import FileError, InputTypeError, MissingExtraError, SimilearnWarning
from similearn.experiments.models.classes import TABLE, Part
from similearn.experiments.models.declarations import (
    Declaration,
    Each,
    Mapped,
    Members,
    Mismatch,
    Sizes,
    Whole,
    Word,
    maybe,
    read_fields,
    told,
    write_fields,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.model import Model
from similearn.experiments.models.states.shared_states import PLAIN
from similearn.version import __version__

FORMAT = "similearn model"
FORMAT_VERSION = 3
READ_VERSIONS = (2, 3)
"""Formats that are read; 2 did not say what its classes hold, so that a misfit was a damage."""
_DOCUMENT = "model.json"
_LARGEST_DOCUMENT = 1 << 26  # 64 MB

MODEL: dict[str, Declaration] = {
    "method": Word(),
    "parameters": Mapped(Word(), PLAIN),
    "kind": maybe(Word(KINDS)),
    "classes": Array(("n_classes",), "label"),
    "n_training": Whole(1, size="n"),
    "training_ids": maybe(Array(("n",), "label")),
    "version": Word(),
    "created": Word(),
    "what": maybe(Word()),
    "columns": maybe(Each(Word())),
    "sources": maybe(Each(Word())),
    "validation": Word(),
    "tables": maybe(Mapped(Word(), Each(Word()))),
    "kinds": maybe(Mapped(Word(), Word(KINDS))),
    "column": maybe(Word()),
    "score": maybe(Word()),
    "reference_means": maybe(Array(("n_blocks", 2, "n"))),
    "held_out": maybe(Array(("n",), finite=False)),
    "codes": maybe(Array(("n",), "index", 0, "n_classes")),
    "estimator": Part(),
}
# Not in the first files of this format.
_LATER = (
    "what", "columns", "sources", "validation", "tables", "kinds", "column", "score",
    "reference_means", "held_out", "codes",
)  # fmt: skip


def save_model(model: Model, path: str | Path) -> None:
    """Write a model, completely or not at all.

    Raises
    ------
    FileError
        If the path cannot be written, or the model holds a class or an attribute of which nothing
        declares how it is stored.
    """
    if not isinstance(model, Model):
        raise InputTypeError(
            f"model is of type {type(model).__name__}; expected a Model, which fit_model makes."
        )
    packed = _packed(model)
    with written(path, "wb") as out:
        out.write(packed)


def load_model(path: str | Path) -> Model:
    """Read a model. Nothing in the file is run, imported or believed.

    Raises
    ------
    FileError
        If the file is damaged, is no model, or holds anything else than declared.
    """
    path = as_path(path)
    try:
        if not path.exists():
            raise FileError(f"There is no file {path}. Make a model with `similearn fit`.")
        existing(path)
        with opened_archive(path) as archive:
            model = _restored(archive, path)
    except FileError as error:
        raise error if str(path) in str(error) else _damaged(path, error) from error
    except MissingExtraError:
        raise
    except PermissionError as error:
        raise FileError(f"{path} may not be read: permission denied.") from error
    except Exception as error:  # zip, zlib, JSON, NumPy: nearly anything on a damaged file
        raise _damaged(path, error) from error
    if model.version != __version__:
        warnings.warn(
            f"{path} was written by similearn {model.version}, this is {__version__}: predictions "
            "may differ. Fit the model again to be sure.",
            SimilearnWarning,
            stacklevel=2,
        )
    return model


def _packed(model: Model) -> bytes:
    """All bytes of the file; they are read back before anything is written."""
    members = Members()
    values = vars(model) | {"classes": np.asarray(model.classes)}
    if model.training_ids is not None:
        values["training_ids"] = np.asarray(model.training_ids)
    try:
        content = write_fields(MODEL, values, members)
    except Mismatch as mismatch:
        raise FileError(f"The model cannot be saved: {mismatch}.") from None
    document = {
        "format": FORMAT, "format_version": FORMAT_VERSION, "layout": TABLE.layout, **content
    }  # fmt: skip
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_DOCUMENT, json.dumps(document, allow_nan=False))
        for name, array in members.arrays.items():
            with archive.open(_member(name), "w", force_zip64=True) as out:
                np.lib.format.write_array(out, array, allow_pickle=False)
    return stream.getvalue()


def _restored(archive: Archive, path: Path) -> Model:
    if "schema.json" in archive.names and _DOCUMENT not in archive.names:
        raise FileError(
            f"{path} is a model of an older format (skops), which is no longer read since such "
            "files can run code. Fit the model again with `similearn fit`."
        )
    document = _document(archive)
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise FileError(f"{path} is no similearn model. Make one with `similearn fit`.")
    version, layout = document.pop("format_version", None), document.pop("layout", None)
    if not isinstance(version, int) or version not in READ_VERSIONS:
        raise FileError(
            f"{path} is a model of format {told(version)}{_maker(document)}, and this is similearn "
            f"{__version__}, which reads the formats {READ_VERSIONS[0]} to {FORMAT_VERSION}. Fit "
            "the model again with `similearn fit`, or install the version that wrote it."
        )
    members = Members(lambda name: archive.array(_member(name)))
    sizes = Sizes()
    try:
        values = read_fields(MODEL, document, sizes, members, optional=_LATER)
    except Mismatch as mismatch:
        if layout == TABLE.layout:
            raise FileError(str(mismatch)) from None
        raise _outdated(path, document, mismatch) from None
    if not np.array_equal(values["estimator"].classes_, values["classes"]):
        raise FileError("classes differ from those of the estimator")
    _require_means_of_all(values)
    if (values.get("held_out") is None) != (values.get("codes") is None):
        raise FileError("held_out and codes go together, and one of them is missing")
    values["classes"] = values["classes"].tolist()
    if values["training_ids"] is not None:
        values["training_ids"] = values["training_ids"].tolist()
    return Model(**values)


def _require_means_of_all(values: dict[str, Any]) -> None:
    """Refuse means of other blocks than the model takes."""
    means, sources = values.get("reference_means"), values.get("sources")
    blocks = 1 if sources is None else len(sources) - len(values.get("tables") or ())
    if means is not None and len(means) != blocks:
        raise FileError(f"reference_means are of {len(means)} blocks, and the model takes {blocks}")


def _maker(document: dict[str, Any]) -> str:
    """What wrote a file, and when, as it says itself."""
    version, created = (document.get(name, 0) for name in ("version", "created"))
    if not all(isinstance(one, str) and one.isprintable() for one in (version, created)):
        return ""
    return f", written by similearn {version[:20]} on {created[:10]}"


def _outdated(path: Path, document: dict[str, Any], mismatch: Mismatch) -> FileError:
    """The sentence for a file whose classes held other things than those of this version."""
    return FileError(
        f"{path} is a model of another version of similearn{_maker(document)}, whose models held "
        f"other things than those of this one, {__version__} ({mismatch}). Fit the model again "
        "with `similearn fit`, or install the version that wrote it."
    )


def _document(archive: Archive) -> Any:
    if _DOCUMENT not in archive.names:
        raise FileError(f"it has no member {_DOCUMENT}")
    if archive.size(_DOCUMENT) > _LARGEST_DOCUMENT:
        raise FileError(f"its {_DOCUMENT} is too large")
    return json.loads(archive.read(_DOCUMENT), parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _member(name: str) -> str:
    return f"arrays/{name}.npy"


def _damaged(path: Path, error: Exception) -> FileError:
    reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    return FileError(
        f"{path} is no model file, or a damaged one ({reason}). Make one with `similearn fit`."
    )
