"""How much of a block may be in memory at once."""

import os

from sklearn import get_config

from similearn.errors import InputError

_SHARE = 0.5  # of the machine's memory that one block may take: methods need room beside it


def working_bytes() -> int:
    """scikit-learn's ``working_memory``: a block beyond it is computed piece by piece."""
    return int(get_config()["working_memory"] * 2**20)


def machine_bytes() -> int:
    """Bytes of the machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return 16 * max(working_bytes(), 1 << 30)


def most_bytes() -> int:
    """How large a block may be: half of the machine's memory."""
    return int(_SHARE * machine_bytes())


def require_room(n_bytes: int, what: str, instead: str) -> None:
    """Refuse what would take more than half of the machine's memory."""
    most = most_bytes()
    if n_bytes > most:
        raise InputError(
            f"{what} would take {told_bytes(n_bytes)}, and at most {told_bytes(most)}, half of "
            f"this machine's memory, are taken. {instead}"
        )


def told_bytes(n_bytes: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
