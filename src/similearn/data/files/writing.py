"""Blocks to files that `read_pairwise` reads again."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.files.contents import as_path
from similearn.data.formats.text_outputs import write_block_text
from similearn.data.pairwise import Pairwise
from similearn.data.values import Values
from similearn.errors import FileError, InputError


def write_pairwise(path: str | Path, X: Pairwise, labels: Any = None) -> Path:
    """Write a block, its kind and its labels, and return the path.

    Parameters
    ----------
    path : ends in .npz, which holds all that a block knows; or, for other programs, in .csv, .tsv
        (scikit-bio's lsmat; with labels a last column), .phy (PHYLIP) or .edges (a list of pairs).
        An existing file is replaced only once the new one is complete.
    X : Pairwise
    labels : (m,) numbers or words, optional

    Notes
    -----
    Dense values are the array S (similarity) or D (dissimilarity). Sparse ones are
    written as `scipy.sparse.save_npz` does, so that `scipy.sparse.load_npz` reads them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from similearn import datasets, read_pairwise, write_pairwise
    >>> S, y = datasets.make_similarities(20, return_X_y=True)
    >>> file = Path(tempfile.mkdtemp(), "scores.npz")
    >>> _ = write_pairwise(file, S, y)
    >>> read_pairwise(file).block
    <Pairwise: similarity, 20 × 20>
    """
    file = as_path(path)
    if not isinstance(X, Pairwise):
        raise InputError(
            f"write_pairwise got {type(X).__name__}; expected a Pairwise, which knows its kind."
        )
    plain = None if labels is None else _plain(labels, "labels")
    if plain is not None and plain.shape != (len(X),):
        raise InputError(
            f"labels have shape {plain.shape}; expected one for each of {len(X)} rows."
        )
    if file.suffix != ".npz":
        write_block_text(file, X, plain)
        return file
    arrays: dict[str, Any] = {"kind": np.array(X.kind), "same_samples": np.array(X.same_samples)}
    arrays |= _block_arrays(X.values, "S" if X.kind == "similarity" else "D", "")
    if X.reverse is not None:
        arrays |= _block_arrays(X.reverse, "reverse", "reverse_")
    if X.self_values is not None:
        arrays["self_values"] = X.self_values
    for name in ("row_ids", "column_ids"):
        if getattr(X, name) is not None:
            arrays[name] = _plain(getattr(X, name), name)
    if plain is not None:
        arrays["y"] = plain
    unfinished = file.with_name(file.name + ".unfinished")
    try:
        with open(unfinished, "wb") as out:
            np.savez_compressed(out, allow_pickle=False, **arrays)
        os.replace(unfinished, file)
    except OSError as error:
        raise FileError(f"{file} cannot be written ({error}).") from error
    return file


def _block_arrays(values: Values, name: str, prefix: str) -> dict[str, Any]:
    if not sparse.issparse(values):
        return {name: values}
    return {
        f"{prefix}format": np.array(b"csr"),
        f"{prefix}shape": np.array(values.shape),
        f"{prefix}data": values.data,
        f"{prefix}indices": values.indices,
        f"{prefix}indptr": values.indptr,
    }


def _plain(array: Any, name: str) -> NDArray[Any]:
    """Numbers or words; objects cannot be stored without storing code."""
    plain = np.asarray(array)
    if plain.dtype == object and all(isinstance(item, str) for item in plain.ravel()):
        return plain.astype(str)
    if plain.dtype.kind not in "buifU":
        raise InputError(
            f"{name} hold values of type {plain.dtype}; expected numbers or words. Convert them "
            "with .astype(str)."
        )
    return plain
