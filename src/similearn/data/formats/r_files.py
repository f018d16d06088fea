"""R's `dist` objects and matrices in .rds and .rda files, by the package rdata."""

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.compressed_text import open_bytes
from similearn.data.files.contents import Contents, Wanted, numbers, word_array
from similearn.data.formats.r_sparse import class_of, is_sparse_class, sparse_matrix
from similearn.data.values import Floats
from similearn.errors import FileError, MissingExtraError


class _Distances:
    """A `dist` object: the lower triangle by columns, and names."""

    def __init__(self, values: Any, attributes: Any) -> None:
        self.values = np.asarray(values, dtype=np.float64)
        self.names = attributes.get("Labels")

    @property
    def square(self) -> Floats:
        """All distances; by columns of the lower triangle is by rows of the upper."""
        from scipy.spatial.distance import squareform  # slow to import, and seldom needed

        return np.asarray(squareform(self.values, checks=False))


def read_r(path: Path, wanted: Wanted) -> Contents:
    """Read the `dist` object or matrix of a file; of several, the one that `part` names."""
    named = {name: found for name, found in _objects(path).items() if _is_block(found)}
    if wanted.part is not None and wanted.part not in named:
        raise FileError(
            f"{path} has no matrix {wanted.part!r}; it has {', '.join(named) or 'none'}."
        )
    if not named or (len(named) > 1 and wanted.part is None):
        raise FileError(
            f"{path} holds {len(named)} matrices ({', '.join(named)}); expected one dist object or "
            "matrix of numbers. Name it with part='...'."
        )
    name = wanted.part if wanted.part is not None else next(iter(named))
    found = named[name]
    if isinstance(found, _Distances):
        ids = _ids(found.names, len(found.square))
        return Contents(
            numbers(found.square, path, repr(name)),
            kind="dissimilarity",
            kind_is_certain=True,
            row_ids=ids,
            column_ids=ids,
            same_samples=True,
        )
    place = f"matrix {name!r}"
    matrix = sparse_matrix(path, place, found) if is_sparse_class(found) else np.array(found)
    contents = Contents(numbers(matrix, path, place), place)
    contents.row_ids, contents.column_ids = _dimension_names(found, contents.values.shape)
    if contents.row_ids is not None and contents.column_ids is not None:
        same = np.array_equal(contents.row_ids, contents.column_ids)
        contents.same_samples = same if len(set(contents.values.shape)) == 1 else None
    return contents


def _objects(path: Path) -> dict[str, Any]:
    try:
        parser, conversion = (import_module(f"rdata.{part}") for part in ("parser", "conversion"))
    except ImportError:
        raise MissingExtraError(
            f"{path} is a file of R, which needs the package rdata: pip install rdata. Or write it "
            "as text in R: write.csv(as.matrix(x), 'x.csv')."
        ) from None
    with open_bytes(path) as stream:
        content = stream.read()
    constructors = {**conversion.DEFAULT_CLASS_MAP, "dist": _Distances}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about classes that are read as plain lists
        parsed = parser.parse_data(content, extension=".rda" if content[:3] == b"RDX" else ".rds")
        found = conversion.convert(parsed, constructors)
    is_named = content[:3] == b"RDX"
    return dict(found) if is_named else {path.name: found}


def _is_block(found: Any) -> bool:
    if isinstance(found, _Distances) or is_sparse_class(found):
        return True
    array = np.asarray(found) if hasattr(found, "__array__") else np.empty(0)
    return array.ndim == 2 and array.dtype.kind in "buif"


def _ids(names: Any, n: int) -> NDArray[np.str_] | None:
    if names is None or len(names) != n:
        return None
    return word_array([str(name) for name in names], "The names of the samples")


def _dimension_names(
    found: Any, shape: tuple[int, int]
) -> tuple[NDArray[np.str_] | None, NDArray[np.str_] | None]:
    """Row and column names, which rdata gives as the coordinates of an xarray, or as lists."""
    if is_sparse_class(found):
        given = getattr(found, "Dimnames", None) or (None, None)
        one, other = (_ids(names, n) for names, n in zip(given, shape, strict=True))
        # Of a symmetric matrix one of both may be left out.
        alike = shape[0] == shape[1] and class_of(found)[1:2] == "s"
        return (one if one is not None or not alike else other,
                other if other is not None or not alike else one)  # fmt: skip
    coordinates = getattr(found, "coords", {})
    names = []
    for axis, dimension in enumerate(getattr(found, "dims", ())):
        names.append(
            _ids(coordinates[dimension].values, shape[axis]) if dimension in coordinates else None
        )
    return (names[0], names[1]) if len(names) == 2 else (None, None)
