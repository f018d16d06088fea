"""Compression distances: how well one object's code serves another."""

import bz2
import lzma
import zlib
from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    refuse_object,
)
from similearn.similarities.shell.registering import register

_EXPECTED = "strings, bytes or arrays"


class _Compression(PreparedSimilarity):
    """What both share: objects as bytes, and the length of their own code."""

    kind = "dissimilarity"
    range = (0.0, np.inf)
    compressor: str

    def _prepare(self, objects: Any) -> tuple[list[bytes], np.ndarray]:
        if self.compressor not in _LENGTHS:
            known = ", ".join(repr(name) for name in _LENGTHS)
            raise InputError(f"compressor={self.compressor!r} is unknown; expected {known}.")
        texts = as_bytes(objects)
        length = _LENGTHS[self.compressor]
        return texts, np.array([length(text) for text in texts], dtype=np.float64)


@register("compression")
class Compression(_Compression):
    r"""Length of one object coded with another's code, relative to its own code.

    .. math:: \psi(a, b) = C(a \mid b) / C(a)

    with C the length in bytes. About one if b says nothing of a, near zero if a is part of b.

    Parameters
    ----------
    compressor : {"zlib", "bz2", "lzma"}, default="zlib"
        zlib takes the last 32 KiB of b as its dictionary. The others have no such thing:
        there C(a|b) = max(C(ba) - C(b), 0). bz2 works in blocks and suits only long texts.

    Notes
    -----
    "Compressibility of one random process given a code built for another", JMLR §1.
    Asymmetric. Strings are coded as UTF-8, arrays as their bytes. O(l) per pair.

    Examples
    --------
    >>> from similearn.similarities import Compression
    >>> whole = "the quick brown fox jumps over the lazy dog"
    >>> bool(Compression()("brown fox", whole) < Compression()(whole, "brown fox"))
    True
    """

    symmetric = False

    def __init__(self, compressor: str = "zlib") -> None:
        self.compressor = compressor

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (rows, own_a), (columns, own_b) = a.parts, b.parts
        if self.compressor == "zlib":
            given = [[_deflated(text, code) for code in columns] for text in rows]
            return np.array(given, dtype=np.float64).reshape(len(rows), -1) / own_a[:, None]
        length = _LENGTHS[self.compressor]
        joint = [[length(code + text) for code in columns] for text in rows]
        given = np.array(joint, dtype=np.float64).reshape(len(rows), -1) - own_b
        return np.maximum(given, 0.0) / own_a[:, None]


@register("normalized_compression")
class NormalizedCompression(_Compression):
    r"""Normalized compression distance: what two objects save by being coded together.

    .. math:: \psi(a, b) = \frac{C(ab) - \min(C(a), C(b))}{\max(C(a), C(b))}

    Parameters
    ----------
    compressor : {"zlib", "bz2", "lzma"}, default="zlib"
        zlib sees 32 KiB back; longer objects need lzma.

    Notes
    -----
    Cilibrasi and Vitányi (2005). Real compressors make C(ab) differ a little from C(ba):
    the two are joined in the order of their bytes, so that the distance is symmetric.
    Between 0 and about 1.1; ψ(a, a) is small, not zero. O(l) per pair.

    Examples
    --------
    >>> from similearn.similarities import NormalizedCompression
    >>> text, other = "to be or not to be " * 4, "cogito ergo sum, said he " * 4
    >>> near, far = NormalizedCompression().matrix([text], [text, other])[0]
    >>> bool(near < 0.2 < 0.6 < far)
    True
    """

    symmetric = True

    def __init__(self, compressor: str = "zlib") -> None:
        self.compressor = compressor

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (rows, own_a), (columns, own_b) = a.parts, b.parts
        length = _LENGTHS[self.compressor]
        joint = [[length(min(x, y) + max(x, y)) for y in columns] for x in rows]
        shorter = np.minimum(own_a[:, None], own_b[None, :])
        longer = np.maximum(own_a[:, None], own_b[None, :])
        # A joint code may be a byte shorter than one alone; that is no less than nothing new.
        return np.maximum(np.array(joint).reshape(shorter.shape) - shorter, 0.0) / longer


def as_bytes(objects: Any) -> list[bytes]:
    """Return strings as UTF-8, and arrays as their bytes."""
    texts = []
    for position, item in enumerate(each_object(objects, _EXPECTED)):
        if isinstance(item, str):
            texts.append(item.encode())
        elif isinstance(item, bytes | bytearray):
            texts.append(bytes(item))
        elif isinstance(item, np.ndarray) and item.dtype.kind in "buif":
            texts.append(item.tobytes())
        else:
            refuse_object(position, item, "a string, bytes or an array of numbers")
    return texts


def _deflated(text: bytes, dictionary: bytes = b"") -> int:
    """Length of the raw deflate code of a text, without header and checksum."""
    code = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, dictionary)
    return len(code.compress(text)) + len(code.flush())


def _bzipped(text: bytes) -> int:
    return len(bz2.compress(text))


def _lzma_coded(text: bytes) -> int:
    """Length of the raw LZMA2 code, with a window as long as the text."""
    window = max(len(text), 4096)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": window}]
    return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=filters))


_LENGTHS = {"zlib": _deflated, "bz2": _bzipped, "lzma": _lzma_coded}
