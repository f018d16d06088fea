"""Where files are, and what their names say."""

import difflib
from pathlib import Path

from similearn.data.files.compressed_text import PACKED
from similearn.errors import FileError


def existing(path: Path, *, folders: bool = False) -> Path:
    """Return the path of a file that is there and holds something, or raise a `FileError`.

    `folders` says whether a folder will do, as some formats are folders of files.
    """
    if path.is_dir():
        if folders:
            return path
        raise FileError(f"{path} is a folder; expected a file.")
    if not path.exists():
        folder = path.parent
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
        names = [name for name in names if name != path.name]  # a link that leads nowhere
        near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
        if not folder.is_dir():
            hint = f" There is no folder {folder} either."
        else:
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise FileError(f"{path} does not exist.{hint}")
    if not path.is_file():
        raise FileError(f"{path} is no regular file; expected one that holds data.")
    if path.stat().st_size == 0:
        raise FileError(f"{path} is empty (0 bytes).")
    return path


def split_name(path: Path) -> tuple[str, str]:
    """Name and ending of a file in lower case; that of packing, such as ".gz", is dropped.

    Examples
    --------
    >>> from pathlib import Path
    >>> split_name(Path("folder/Sonar.v2.CSV.gz"))
    ('Sonar.v2', '.csv')
    """
    name = path.name
    for packing in PACKED:
        if name.lower().endswith(packing):
            name = name[: -len(packing)]
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending.lower()) if stem else (name, "")
