"""Which format a file has: by its first bytes and lines, then by its name."""

import zipfile
from pathlib import Path

from similearn.data.edges.pair_layouts import pair_layout
from similearn.data.files.compressed_text import encoding_of, open_bytes
from similearn.data.files.contents import is_count
from similearn.data.files.locating import split_name
from similearn.errors import FileError, InputError

FORMATS = {
    "numpy": (".npz", ".npy"),
    "matlab": (".mat",),
    "mtx": (".mtx",),
    "table": (".csv", ".tsv", ".txt", ".tab", ".dat", ".lsmat"),
    "pairs": (".edges", ".edgelist", ".column"),
    "hits": (".m8", ".b6", ".blast", ".outfmt6", ".blast6"),
    "phylip": (".phy", ".phylip", ".dist"),
    "mega": (".meg", ".mega"),
    "qiime": (".qza",),
    "r": (".rds", ".rda", ".rdata"),
    "hdf5": (".h5", ".hdf5", ".h5ad"),
    "zarr": (".zarr",),
}
# Formats of text, which only their lines tell apart; the other names promise certain first bytes.
_OF_TEXT = ("table", "pairs", "hits", "phylip")
_FIRST_BYTES = {
    b"\x93NUMPY": "numpy",
    b"\x89HDF\r\n\x1a\n": "hdf5",
    b"MATLAB": "matlab",
}
_UNPACKED_BYTES = {b"RDX": "r", b"X\n\0\0\0": "r", b"%%MatrixMarket": "mtx", b"#mega": "mega"}
_ZARR = ("zarr.json", ".zgroup", ".zarray")
_HEAD = 1 << 16
_MOST_LINES = 200


def format_of(path: Path, asked: str | None = None) -> str:
    """Return the name of a file's format: what was asked for, what it holds, what it is called."""
    if asked is not None:
        if asked not in FORMATS:
            raise InputError(f"format={asked!r} is unknown; expected one of {', '.join(FORMATS)}.")
        return asked
    ending = split_name(path)[1]
    named = next((name for name, endings in FORMATS.items() if ending in endings), None)
    found = _certain(path)
    if found is None and (named is None or named in _OF_TEXT):
        found = _of_lines(head_lines(path), named)
    if found is None and named is None:
        endings = [ending for endings in FORMATS.values() for ending in endings]
        raise FileError(
            f"{path} has an ending that is not known; expected one of {', '.join(endings)}. Its "
            "content is not that of a known format either; if it is, say format='...'."
        )
    return found or named or "table"


def head_lines(path: Path) -> list[str]:
    """The first complete lines of a file, blank ones included."""
    with open_bytes(path) as stream:
        head = stream.read(_HEAD)
    lines = head.decode(encoding_of(head), "replace").splitlines()
    return (lines[:-1] if len(head) == _HEAD else lines)[:_MOST_LINES]


def _certain(path: Path) -> str | None:
    """Tell what the first bytes alone say."""
    if path.is_dir():
        if any((path / name).exists() for name in _ZARR):
            return "zarr"
        raise FileError(f"{path} is a folder; expected a file, or a folder that Zarr made.")
    if zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise FileError(f"{path} is a damaged archive: {error}. Save it again.") from error
        if any(name.endswith(_ZARR) for name in names):
            return "zarr"
        return "qiime" if any(name.endswith("/metadata.yaml") for name in names) else "numpy"
    for known, stream in ((_FIRST_BYTES, open(path, "rb")), (_UNPACKED_BYTES, open_bytes(path))):
        with stream:
            head = stream.read(16)
        found = next((name for mark, name in known.items() if head.startswith(mark)), None)
        if found is not None:
            return found
    return None


def _of_lines(lines: list[str], named: str | None) -> str | None:
    if _is_phylip([line for line in lines if line.strip()][:3]):
        return "phylip"
    layout = pair_layout(lines)
    if layout is not None:
        return "hits" if layout.is_search else "pairs"
    if named is None and any("\t" in line or "," in line for line in lines[:2]):
        return "table"
    # Lists of pairs are called .dist too; what is none of them is left to the name.
    return None


def _is_phylip(lines: list[str]) -> bool:
    """Whether a number of samples stands above as many names and numbers, or one more per line."""
    if len(lines) < 2 or not is_count(lines[0]):
        return False
    n, widths = int(lines[0]), [len(line.split()) for line in lines[1:]]
    triangle = widths == [1, 2] and not lines[1].strip().isdecimal()
    return triangle or (n > 1 and all(width == n + 1 for width in widths))
