"""Undamaged files of every format that is read."""

import bz2
import gzip
import io
import json
import lzma
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from similearn import Pairwise, write_pairwise
from tests.fuzz.mutations import packed

N = 8


@cache
def problem() -> tuple[Any, Any]:
    """A block of similarities and its labels."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    A = rng.random((N, N))
    return (A + A.T) / 2 + (y[:, None] == y), y


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _sparse_npz(form: str) -> bytes:
    out = io.BytesIO()
    S = problem()[0]
    sparse.save_npz(out, sparse.coo_array(np.where(S > 0.5, S, 0)).asformat(form))
    return out.getvalue()


def _written(form: str) -> bytes:
    """What our own writer makes of everything that a block can hold."""
    S, y = problem()
    ids = np.array([f"s{i}" for i in range(N)])
    values = sparse.csr_array(np.where(S > 0.5, S, 0)) if form == "sparse" else S
    block = Pairwise(values, "similarity", values, np.ones(N), ids, ids, False)
    path = write_pairwise("written.npz", block, y)
    content = path.read_bytes()
    path.unlink()
    return content


def _mat(content: dict[str, Any], **options: Any) -> bytes:
    out = io.BytesIO()
    scipy_io.savemat(out, content, **options)
    return out.getvalue()


def _mtx(matrix: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    scipy_io.mmwrite(out, matrix, **options)
    return out.getvalue()


def _table(separator: str = ",", ids: bool = True) -> bytes:
    S, y = problem()
    rows = [separator.join(map(str, row)) for row in S]
    if not ids:
        return "\n".join(rows).encode()
    head = separator.join(["id", *(f"s{i}" for i in range(N)), "label"])
    rows = [f"s{i}{separator}{row}{separator}{y[i]}" for i, row in enumerate(rows)]
    return "\n".join([head, *rows, ""]).encode()


def _labels() -> bytes:
    return b"id,label\n" + b"".join(b"s%d,class %d\n" % (i, i % 2) for i in range(N))


def _phylip(widths: Any) -> bytes:
    """A square, or a lower triangle, of PHYLIP."""
    square = N in widths
    rows = [" ".join(map(str, S()[i, : N if square else i])) for i in range(N)]
    return f"{N}\n".encode() + "".join(f"s{i} {row}\n" for i, row in enumerate(rows)).encode()


def _triangle(mark: bytes) -> bytes:
    names = b"".join(b"%bs%d\n" % (mark, i) for i in range(N))
    rows = [" ".join(map(str, S()[i, :i])) for i in range(1, N)]
    return names + "".join(f"{row}\n" for row in rows).encode()


def _pairs(mark: bytes, cells: bytes = b"") -> bytes:
    pairs = [(i, j) for i in range(N) for j in range(i)]
    told = [cells or mark + b"%.3f" % S()[i, j] for i, j in pairs]
    return b"".join(
        b"s%d%bs%d%b\n" % (i, mark, j, c) for (i, j), c in zip(pairs, told, strict=True)
    )


@cache
def seeds(name: str) -> bytes:
    """The undamaged file."""
    return next(made[name] for made in OF_FORMAT.values() if name in made)()


def S() -> Any:
    return problem()[0]


def through_file(write: Any) -> bytes:
    """What a library writes into a file of its own."""
    path = Path("written")
    write(str(path))
    content = path.read_bytes()
    path.unlink()
    return content


def _hdf5(path: str) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file["S"], file["y"], file["kind"] = S(), problem()[1], "similarity"
        file["row_ids"] = [f"s{i}" for i in range(N)]
        file.create_dataset("z", data=S(), compression="gzip", chunks=(4, 4), shuffle=True)


def _anndata(root: Any, words: Any) -> None:
    """Lay out what anndata writes, into HDF5 or Zarr."""
    matrix = sparse.csr_array(S())
    obs, kinds = root.create_group("obs"), root.create_group("obs/ct")
    graph = root.create_group("obsp/distances")
    obs.attrs["_index"] = "_index"
    graph.attrs["encoding-type"], graph.attrs["shape"] = "csr_matrix", [N, N]
    obs["_index"] = words([f"s{i}" for i in range(N)])
    kinds["categories"], kinds["codes"] = words(["a", "b"]), problem()[1].astype(np.int8)
    graph["data"], graph["indices"], graph["indptr"] = matrix.data, matrix.indices, matrix.indptr


def _h5ad(path: str) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        _anndata(file, lambda words: np.array(words, dtype="S2"))


def _zarr(version: int, annotated: bool) -> bytes:
    """A store of small files, as an archive of them."""
    import zarr

    store = zarr.storage.MemoryStore()
    root = zarr.group(store, zarr_format=version)
    if annotated:
        _anndata(root, lambda words: np.array(words, dtype="S2"))
    else:
        root["S"], root["y"] = S(), problem()[1]
    content = {name: part.to_bytes() for name, part in store._store_dict.items()}
    return packed(sorted(content.items()), 0)


def _r(workspace: bool) -> bytes:
    """A matrix with names, in R's serialization of version 2."""
    words = [b"s%d" % i for i in range(N)]
    named = b"".join(struct.pack(">ii", 0x40009, len(word)) + word for word in words)
    names = struct.pack(">ii", 0x10, N) + named
    values = struct.pack(">ii", 0x20E, N * N) + S().astype(">f8").tobytes()
    symbol = lambda word: struct.pack(">iii", 1, 0x40009, len(word)) + word  # noqa: E731
    pair = struct.pack(">i", 0x402)
    attributes = pair + symbol(b"dim") + struct.pack(">iiii", 0xD, 2, N, N)
    attributes += pair + symbol(b"dimnames") + struct.pack(">ii", 0x13, 2) + names + names
    thing = values + attributes + struct.pack(">i", 0xFE)
    head = b"X\n" + struct.pack(">iii", 2, 0x30602, 0x20300)
    if not workspace:
        return gzip.compress(head + thing)
    return gzip.compress(b"RDX2\n" + head + pair + symbol(b"S") + thing + struct.pack(">i", 0xFE))


def _qiime() -> bytes:
    rows = [
        f"s{i}\t" + "\t".join(map(str, row)) for i, row in enumerate(S() - np.diag(S().diagonal()))
    ]
    table = "\n".join(["\t" + "\t".join(f"s{i}" for i in range(N)), *rows, ""]).encode()
    metadata = ("u/metadata.yaml", b"type: DistanceMatrix\n")
    return packed([("u/VERSION", b"QIIME 2\n"), metadata, ("u/data/distance-matrix.tsv", table)])


WORDS = [f"{'ACGT' * (1 + i % 3)}{'A' * i}" for i in range(N)]


def _object_table(mark: str = ",") -> bytes:
    rows = [f"s{i}{mark}{w}{mark}c{i % 2}{mark}{i}.5" for i, w in enumerate(WORDS)]
    return "\n".join([mark.join(["id", "text", "label", "x"]), *rows, ""]).encode()


def _json_lines() -> bytes:
    rows = [
        {"id": f"s{i}", "text": w, "label": f"c{i % 2}", "x": [i, 1.5]} for i, w in enumerate(WORDS)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet(path: str) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = {"id": [f"s{i}" for i in range(N)], "text": WORDS, "label": ["a", "b"] * 4}
    parquet.write_table(pyarrow.table(columns | {"x": list(range(N)), "z": [0.5] * N}), path)


def _zstandard(content: bytes) -> bytes:
    import zstandard

    return zstandard.compress(content)


FASTA = "".join(f">s{i} words\n{word}\n" for i, word in enumerate(WORDS)).encode()
FASTQ = "".join(f"@s{i}\n{w}\n+\n{'I' * len(w)}\n" for i, w in enumerate(WORDS)).encode()
LIST = "\n".join(WORDS).encode()

# Undamaged files by format; of each, names whose endings are those of the files.
OF_FORMAT: dict[str, dict[str, Any]] = {
    "npz": {
        "plain.npz": lambda: npz(S=S(), y=problem()[1], kind="similarity"),
        "parts.npz": lambda: npz(
            S_train=S(), S_test=S()[:3], y_train=problem()[1], y_test=[0, 1, 0]
        ),
        "written.npz": lambda: _written("dense"),
        "written sparse.npz": lambda: _written("sparse"),
        "csr.npz": lambda: _sparse_npz("csr"),
        "csc.npz": lambda: _sparse_npz("csc"),
        "coo.npz": lambda: _sparse_npz("coo"),
    },
    "npy": {
        "array.npy": lambda: _npy(S()),
        "small.npy": lambda: _npy(S().astype(np.float32)),
    },
    "mat": {
        "plain.mat": lambda: _mat({"S": S(), "y": problem()[1]}),
        "packed.mat": lambda: _mat({"D": S(), "labels": problem()[1]}, do_compression=True),
        "cells.mat": lambda: _mat({"S": S(), "y": np.array(["a", "b"] * 4, dtype=object)}),
        "sparse.mat": lambda: _mat({"S": sparse.csc_array(S()), "kind": "similarity"}),
        "struct.mat": lambda: _mat({"S": S(), "info": {"a": 1, "b": {"c": "d"}}}),
        "old.mat": lambda: _mat({"S": S(), "y": problem()[1]}, format="4"),
    },
    "csv": {"table.csv": _table, "bare.csv": lambda: _table(ids=False)},
    "tsv": {"table.tsv": lambda: _table("\t")},
    "packed": {
        "table.csv.gz": lambda: gzip.compress(_table()),
        "table.tsv.gz": lambda: gzip.compress(_table("\t")),
        "coordinate.mtx.gz": lambda: gzip.compress(_mtx(sparse.coo_array(S()))),
        "table.csv.bz2": lambda: bz2.compress(_table()),
        "table.tsv.xz": lambda: lzma.compress(_table("\t")),
        "table.csv.zst": lambda: _zstandard(_table()),
    },
    "mtx": {
        "full.mtx": lambda: _mtx(S()),
        "coordinate.mtx": lambda: _mtx(sparse.coo_array(np.where(S() > 0.5, S(), 0))),
        "symmetric.mtx": lambda: _mtx(sparse.coo_array(S()), symmetry="symmetric"),
        "pattern.mtx": lambda: _mtx(sparse.coo_array(S() > 1), field="pattern"),
    },
    "phylip": {
        "square.phy": lambda: _phylip(range(1, N + 1)),
        "triangle.phy": lambda: _phylip(range(N)),
    },
    "mega": {"plain.meg": lambda: b"#mega\n!Title x;\n" + _triangle(b"#")},
    "pairs": {
        "pairs.edgelist": lambda: _pairs(b" "),
        "pairs.txt": lambda: b"source\ttarget\tweight\n" + _pairs(b"\t"),
    },
    "hits": {"hits.m8": lambda: _pairs(b"\t", b"\t90\t9" + b"\t1" * 6 + b"\t1e-9\t55.5")},
    "qiime": {"plain.qza": _qiime},
    "r": {"plain.rds": lambda: _r(False), "plain.rda": lambda: _r(True)},
    "hdf5": {
        "plain.h5": lambda: through_file(_hdf5),
        "cells.h5ad": lambda: through_file(_h5ad),
    },
    "zarr": {
        "folder 2.zarr": lambda: _zarr(2, False),
        "folder 3.zarr": lambda: _zarr(3, False),
        "folder cells.zarr": lambda: _zarr(2, True),
        "zip.zarr": lambda: _zarr(3, False),
    },
    "labels": {
        "labels.csv": _labels,
        "labels.txt": lambda: b"".join(b"class %d\n" % (i % 2) for i in range(N)),
        "labels.tsv.gz": lambda: gzip.compress(_labels().replace(b",", b"\t")),
        "labels.npy": lambda: _npy(problem()[1]),
    },
    "objects": {
        "plain.fasta": lambda: FASTA,
        "plain.fastq": lambda: FASTQ,
        "packed.fasta.gz": lambda: gzip.compress(FASTA),
        "things.csv": _object_table,
        "things.tsv": lambda: _object_table("\t"),
        "rows.jsonl": _json_lines,
        "plain.txt": lambda: LIST,
        "plain.parquet": lambda: through_file(_parquet),
    },
}
FORMATS = {form: list(made) for form, made in OF_FORMAT.items()}
