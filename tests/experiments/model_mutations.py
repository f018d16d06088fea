"""Model files with one thing changed: a leaf of the document, an array, or bytes."""

import copy
import io
import json
import zipfile

import numpy as np

STRANGE = (None, True, -1, 10**6, 10**40, 0.5, "", "os.system", [], {}, [[]], {"number": "nan"})


def unpacked(path):
    """The document and the arrays by member."""
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("model.json"))
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        return document, {name: np.load(io.BytesIO(archive.read(name))) for name in names}


def pack(path, document, arrays):
    """Write a file of these parts; the document may be text."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        text = document if isinstance(document, str) else json.dumps(document)
        archive.writestr("model.json", text)
        for name, array in arrays.items():
            stream = io.BytesIO()
            np.save(stream, array)
            archive.writestr(name, stream.getvalue())


def leaves(node, place=()):
    """Places of all values in a document that hold no others, and of all that do."""
    yield place
    items = node.items() if isinstance(node, dict) else enumerate(node)
    if isinstance(node, dict | list):
        for key, child in items:
            yield from (
                leaves(child, (*place, key)) if isinstance(child, dict | list) else [(*place, key)]
            )


def with_leaf(document, place, value):
    """The document with another value in one place; `...` deletes it."""
    changed = copy.deepcopy(document)
    node = changed
    for key in place[:-1]:
        node = node[key]
    if value is ...:
        del node[place[-1]]
    else:
        node[place[-1]] = value
    return changed


def changed_arrays(array, rng):
    """Versions of an array that a file might hold instead."""
    yield array[:-1] if array.ndim and len(array) else np.zeros(3)
    yield np.concatenate([array, array]) if array.ndim else array
    yield array[None]
    yield array.astype(np.float32) if array.dtype.kind == "f" else np.full(array.shape, "word")
    if array.dtype.kind in "iu" and array.size:
        for entry in (-1, -(10**9), 10**9, np.iinfo(array.dtype).max):
            other = array.copy()
            other.flat[rng.integers(array.size)] = np.array(entry).astype(array.dtype)
            yield other
    if array.dtype.kind == "f" and array.size:
        for entry in (np.nan, np.inf, 1e300):
            other = array.copy()
            other.flat[rng.integers(array.size)] = entry
            yield other
    if array.dtype.names and array.size:
        for name in array.dtype.names:
            other = array.copy()
            with np.errstate(all="ignore"):
                other[name] = np.array(10**6).astype(array.dtype[name])
            yield other
