"""Crafted files: sizes that they declare and do not hold, structures that lead out of bounds."""

import gzip
import json
import pickle
import struct
from typing import Any

import numpy as np

from tests.fuzz.mutations import packed
from tests.fuzz.seed_files import N, npz, through_file


def _header(shape: str, descr: str = "<f8") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def _sizes(form: str, shape: list[int], *parts: Any) -> bytes:
    names = ("row", "col") if form == "coo" else ("indices", "indptr")
    arrays = dict(zip(names, map(np.asarray, parts), strict=True))
    return npz(format=form.encode(), shape=shape, data=np.ones(len(parts[0])), **arrays)


def _hdf5(write: Any) -> bytes:
    import h5py

    def written(path: str) -> None:
        with h5py.File(path, "w") as file:
            write(h5py, file)

    return through_file(written)


def _circles(h5py: Any, file: Any) -> None:
    group = file.create_group("g")
    for i in range(10):
        group[f"l{i}"] = group
    file["S"] = h5py.ExternalLink("/etc/hostname", "/S")
    file["D"] = h5py.SoftLink("/g/l1/l2/l3")


def _virtual(h5py: Any, file: Any) -> None:
    layout = h5py.VirtualLayout((3, 3), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "S", (3, 3))
    file.create_virtual_dataset("S", layout)


def _elsewhere(h5py: Any, file: Any) -> None:
    file.create_dataset("S", (4, 4), dtype="u1", external=[("/etc/passwd", 0, 16)])


def _zarr(chunk: bytes = b"", **changes: Any) -> bytes:
    """A store of Zarr's second format, with one array."""
    array: dict[str, Any] = {"zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "<f8"}
    array |= {"compressor": None, "fill_value": 0, "order": "C", "filters": None} | changes
    described = json.dumps(array).encode()
    parts = [(".zgroup", b'{"zarr_format": 2}'), ("S/.zarray", described), ("S/0.0", chunk)]
    return packed(parts[: 3 if chunk else 2], 0)


class Harm:
    """What a pickle would run."""

    def __reduce__(self) -> Any:
        return open, ("harmed", "w")


PICKLE = {"id": "pickle", "protocol": 4}
R = b"X\n" + struct.pack(">iii", 2, 0x30602, 0x20300)
BOMB = gzip.compress(b"0," * 2_000_000) * 400  # 1.6 GB, on one line
LONG_BOMB = gzip.compress(b"0\n" * 2_000_000) * 400
COORDINATE = b"%%MatrixMarket matrix coordinate real general\n"
LONG_WORD = b"a\n" * 30_000 + b"b" * 100_000 + b"\n"
# By format: a name, that of the file, and its content or how it is made.
CRAFTED: dict[str, dict[str, tuple[str, Any]]] = {
    "packed": {
        "bomb in one line": ("x.csv.gz", BOMB),
        "bomb of lines": ("x.csv.gz", LONG_BOMB),
        "bomb.mtx.gz": ("x.mtx.gz", gzip.compress(COORDINATE) + BOMB),
    },
    "labels": {
        "bomb of labels": ("labels.txt.gz", LONG_BOMB),
        "labels in latin1": ("labels.csv", "é\n".encode("latin1") * N),
        "labels of escapes": ("labels.csv", b"\x1b[31mred\n" * N),
        "one long word": ("labels.txt", LONG_WORD),
    },
    "mtx": {
        "mtx of 10^18": ("x.mtx", COORDINATE + b"1000000000 1000000000 1\n1 1 1\n"),
        "mtx of many entries": ("x.mtx", COORDINATE + b"9 9 999999999999\n1 1 1\n"),
        "full mtx of 10^10": (
            "x.mtx",
            b"%%MatrixMarket matrix array real general\n99999 99999\n1\n",
        ),
        "mtx, fractional place": ("x.mtx", COORDINATE + b"2 2 1\n1.5 1 1\n"),
        "mtx, negative place": ("x.mtx", COORDINATE + b"2 2 1\n-1 1 1\n"),
        "mtx, place zero": ("x.mtx", COORDINATE + b"2 2 1\n0 1 1\n"),
        "mtx, beyond 64 bits": ("x.mtx", COORDINATE + b"2 2 1\n99999999999999999999 1 1\n"),
        "mtx, complex": ("x.mtx", COORDINATE.replace(b"real", b"complex") + b"1 1 1\n1 1 1 1\n"),
    },
    "npy": {
        "npy, strange header": ("x.npy", _header("(2or 2, 2)", "<f8\\d") + b"\0" * 64),
        "npy of 80 GB": ("x.npy", _header("(100000, 100000)") + b"\0" * 64),
        "npy of no bytes a row": ("x.npy", _header("(1000000000000, 0)")),
        "npy of zero width": ("x.npy", _header("(1000000, 1000000)", "|V0")),
        "npy of objects": ("x.npy", _header("(2, 2)", "|O") + b"cos\nsystem\n(S'true'\ntR."),
    },
    "npz": {
        "npz, labels beyond integers": (
            "x.npz",
            lambda: npz(S=np.eye(4), y=np.array([1e300, -1e300, 1e300, np.longdouble(1)])),
        ),
        "npz of 80 GB": ("x.npz", lambda: packed([("S.npy", _header("(100000, 100000)"))])),
        "coo of 10^18": ("x.npz", lambda: _sizes("coo", [10**9, 10**9], [0], [0])),
        "coo beyond": ("x.npz", lambda: _sizes("coo", [2, 2], [5], [0])),
        "csc of 10^9 rows": ("x.npz", lambda: _sizes("csc", [10**9, 2], [10**9 - 1], [0, 1, 1])),
        "csr of 10^9 columns": ("x.npz", lambda: _sizes("csr", [2, 10**9], [10**9 - 1], [0, 1, 1])),
        "csr of negative shape": ("x.npz", lambda: _sizes("csr", [-2, 2], [0], [0, 1, 1])),
        "csr, far index": ("x.npz", lambda: _sizes("csr", [2, 2], [2**31 - 1], [0, 1, 1])),
        "csr, indptr down": ("x.npz", lambda: _sizes("csr", [2, 2], [0, 1], [0, 5, 2])),
        "zip of nothing": ("x.npz", lambda: packed([])),
        "zip in a zip": ("x.npz", lambda: packed([("S.npy", packed([("S.npy", b"")]))])),
    },
    "csv": {
        "csv, one cell": ("x.csv", b"a" * 300_000),
        "csv, open quote": ("x.csv", b'"1,2\n3,4\n' * 50_000),
        "csv of NUL": ("x.csv", b"\0" * 1000),
        "csv, wide then narrow": ("x.csv", b"1," * 50_000 + b"1\n1\n"),
        "csv in latin1": ("x.csv", "id,é,ü\né,1,2\nü,2,1\n".encode("latin1")),
        "csv in utf16": ("x.csv", "1,2\n3,4\n".encode("utf16")),
    },
    "mat": {
        "mat of text": (
            "x.mat",
            b"MATLAB 5.0 MAT-file" + b" " * 105 + b"\x00\x01IM" + b"\xff" * 64,
        ),
        "mat of one byte": ("x.mat", b"\0"),
        "mat v4 of 10^18": ("x.mat", np.array([0, 10**9, 10**9, 0, 2], "<i4").tobytes() + b"S\0"),
    },
    "hdf5": {
        "circles and links": ("x.h5", lambda: _hdf5(_circles)),
        "virtual": ("x.h5", lambda: _hdf5(_virtual)),
        "numbers of other files": ("x.h5", lambda: _hdf5(_elsewhere)),
        "10^18": (
            "x.h5",
            lambda: _hdf5(lambda _, f: f.create_dataset("S", (10**9,) * 2, "f8", chunks=(9, 9))),
        ),
    },
    "zarr": {
        "pickle": (
            "folder.zarr",
            lambda: _zarr(pickle.dumps(Harm()), dtype="|O", filters=[PICKLE]),
        ),
        "pickle as compressor": (
            "zip.zarr",
            lambda: _zarr(pickle.dumps(Harm()), compressor=PICKLE),
        ),
        "10^18": ("folder.zarr", lambda: _zarr(shape=[10**9, 10**9])),
        "chunks of 10^18": ("folder.zarr", lambda: _zarr(b"\0" * 32, chunks=[10**9, 10**9])),
        "negative": ("folder.zarr", lambda: _zarr(shape=[-2, 2])),
        "bomb": ("folder.zarr", lambda: _zarr(BOMB, compressor={"id": "gzip", "level": 1})),
        "deep": ("folder.zarr", lambda: packed([("zarr.json", b"[" * 100_000)])),
    },
    "r": {
        "10^9 numbers": ("x.rds", R + struct.pack(">ii", 0xE, 10**9)),
        "many numbers": ("x.rds", R + struct.pack(">iiii", 0xE, -1, 2**30, 0)),
        "negative": ("x.rds", R + struct.pack(">ii", 0xE, -5)),
        "deep": ("x.rds", R + struct.pack(">ii", 0x13, 1) * 50_000),
        "pairs without end": ("x.rds", R + struct.pack(">i", 2) * 50_000),
        "bomb": ("x.rds", gzip.compress(R) + BOMB),
    },
    "qiime": {
        "two matrices": (
            "x.qza",
            lambda: packed(
                [
                    (f"{n}/{m}", b"1")
                    for n in "ab"
                    for m in ("metadata.yaml", "data/distance-matrix.tsv")
                ]
            ),
        ),
        "bomb": (
            "x.qza",
            lambda: packed(
                [("a/metadata.yaml", b""), ("a/data/distance-matrix.tsv", b"0\t" * 200_000_000)]
            ),
        ),
    },
    "phylip": {
        "10^9 samples": ("x.phy", b"1000000000\na 1 2\nb 2 1\n"),
        "200,000 samples": ("x.phy", b"199999\n" + b"a\n" * 199_999),
        "no samples": ("x.phy", b"0\n"),
        "digits of other scripts": ("x.phy", "٣\na 1 2 3\n".encode()),
        "long number": ("x.phy", b"9" * 5000 + b"\na 1\n"),
    },
    "mega": {
        "50,000 names": (
            "x.meg",
            b"#mega\n" + b"".join(b"#s%d\n" % i for i in range(50_000)) + b"1\n",
        ),
        "open command": ("x.meg", b"#mega\n!Title x\n#a\n#b\n1\n"),
        "open remark": ("x.meg", b"#mega\n#a\n#b\n" + b"[" * 50_000 + b"1\n"),
    },
    "pairs": {
        "long line": ("x.edgelist", b"a b " + b"1" * 3_000_000),
        "long id": (
            "x.edgelist",
            b"".join(b"s%d t 1\n" % i for i in range(30_000)) + b"x" * 900_000 + b" t 1\n",
        ),
        "numbers of other scripts": ("x.edgelist", "a b ٣\nb c ٤\nc a ٥\n".encode()),
        "NUL": ("x.edgelist", b"a\0 b 1\nb a\0 2\nc b 1\n"),
    },
    "hits": {
        "negative e-values": (
            "x.m8",
            b"".join(b"a\tb%d\t90\t9" % i + b"\t1" * 6 + b"\t-1e-9\t5\n" for i in range(5)),
        ),
        "fields": (
            "x.m8",
            b"# Fields: query id, subject id, % identity, bit score\na\tb\t90\t1e999\n",
        ),
    },
    "tsv": {
        "one cell": ("x.tsv", b"a" * 300_000),
    },
    "objects": {
        "deep": ("x.jsonl", b"[" * 100_000 + b"\n"),
        "deep inside": ("x.jsonl", b'{"a": ' * 900 + b"1" + b"}" * 900 + b"\n"),
        "long number": ("x.jsonl", b'{"x": ' + b"9" * 5000 + b"}\n"),
        "NaN": ("x.jsonl", b'{"x": NaN, "label": Infinity}\n' * 4),
        "one long word": ("x.txt", LONG_WORD),
        "one long label": (
            "x.csv",
            b"text,label\n" + b"w,a\n" * 30_000 + b"w," + b"b" * 100_000 + b"\n",
        ),
        "empty sequences": ("x.fasta", b">a\n>b\n>c\n"),
        "no ids": ("x.fasta", b">\nACGT\n>\nACGT\n"),
        "NUL": ("x.fasta", b">a\n\0\n>b\nAC\0\n"),
    },
}
