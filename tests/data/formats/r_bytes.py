"""Files of R as R itself would write them: `saveRDS(x, file, compress = FALSE)`, version 3."""

import struct

import numpy as np

_NIL = struct.pack(">i", 254)


def s4_bytes(name, **slots):
    """An S4 object of a class of the package Matrix, in R's XDR format."""
    of_class = _head(16, attributes=True) + _count(1) + _word(name)
    of_class += _pairs({"package": _value("Matrix")})
    slots = {slot: _value(value) for slot, value in slots.items()}
    body = _head(25, is_object=True, attributes=True, flags=1 << 4)
    return (
        b"X\n" + struct.pack(">iiii", 3, 0x40301, 0x30500, 5) + b"UTF-8" + body
        + _pairs(slots | {"class": of_class})
    )  # fmt: skip


def _head(kind, *, is_object=False, attributes=False, tag=False, flags=0):
    packed = kind | is_object << 8 | attributes << 9 | tag << 10 | flags << 12
    return struct.pack(">i", packed)


def _count(n):
    return struct.pack(">i", n)


def _word(text):
    return _head(9, flags=0x40) + _count(len(text.encode())) + text.encode()


def _value(value):
    if value is None:
        return _NIL
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return _head(16) + _count(len(value)) + b"".join(map(_word, value))
    if isinstance(value, list):
        return _head(19) + _count(len(value)) + b"".join(map(_value, value))
    array = np.asarray(value)
    kind, stored = (13, ">i4") if array.dtype.kind in "iu" else (14, ">f8")
    return _head(kind) + _count(len(array)) + array.astype(stored).tobytes()


def _pairs(values):
    tagged = (_head(2, tag=True) + _head(1) + _word(n) + v for n, v in values.items())
    return b"".join(tagged) + _NIL
