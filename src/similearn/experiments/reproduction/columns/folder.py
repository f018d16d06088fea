"""The folder of data sets: ``similarity/NAME.npz`` and ``features/NAME.csv.gz``."""

import csv
import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import Pairwise
from similearn.data.files.reading import read_pairwise
from similearn.errors import FileError, MissingDataError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FeatureTable:
    """A table of features.

    Parameters
    ----------
    X : (n, d) numbers; NaN where a cell is empty
    y : (n,) labels as text
    names : d names of columns
    """

    X: Floats
    y: NDArray[Any]
    names: tuple[str, ...]

    def columns(self, *wanted: str) -> Floats:
        """Return the columns with these names, in this order; all of them without names."""
        return self.X[:, [self.names.index(name) for name in wanted]] if wanted else self.X


@dataclass(frozen=True)
class DataFolder:
    """Where the data sets are.

    Parameters
    ----------
    path : a folder with the subfolders ``similarity``, of .npz files with ``S``, ``y`` and
        ``kind``, and ``features``, of .csv.gz files with a header and the column ``label``
        last. A similarity may bring its own ``partitions``: (p, n), nonzero where a sample
        is tested.
    """

    path: Path

    def similarity(self, name: str) -> Path:
        """Path of a block that is there."""
        return self._existing("similarity", f"{name}.npz")

    def features(self, name: str) -> Path:
        """Path of a table that is there."""
        return self._existing("features", f"{name}.csv.gz")

    def read_block(self, name: str) -> tuple[Pairwise, NDArray[Any]]:
        """Read a block and its labels."""
        path = self.similarity(name)
        data = read_pairwise(path)
        if data.labels is None:
            raise FileError(f"{path} has no labels; an array named y is expected.")
        return data.block, data.labels

    def read_partitions(self, name: str) -> NDArray[np.bool_] | None:
        """Which samples each partition tests, (p, n), if the file says so."""
        with np.load(self.similarity(name)) as arrays:
            return arrays["partitions"] != 0 if "partitions" in arrays else None

    def read_features(self, name: str) -> FeatureTable:
        """Read a table; cells that are not numbers are an error that names them."""
        path = self.features(name)
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file)
        if not header or header[-1] != "label":
            raise FileError(f"The last column of {path} is not named 'label'; that is expected.")
        rows = [line[:-1] for line in lines]
        try:
            X = np.array([[float(cell or "nan") for cell in row] for row in rows])
        except ValueError as error:
            raise FileError(f"{path} has a cell that is not a number: {error}.") from None
        return FeatureTable(X, np.array([line[-1] for line in lines]), tuple(header[:-1]))

    def fingerprint(self, *paths: Path) -> str:
        """Hash of the contents of files, for `Problem.fingerprint`."""
        digest = hashlib.sha256()
        for path in paths:
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def _existing(self, *parts: str) -> Path:
        path = self.path.joinpath(*parts)
        if not path.is_file():
            raise MissingDataError(f"{Path(*parts)} is not in {self.path}.")
        return path
