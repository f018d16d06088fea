"""Mutations of bytes, of archives and of what is inside them."""

import gzip
import io
import json
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.drawing import Draw

HUGE = (0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2**62, 2**63 - 1, -(2**63))
WORDS = (
    *("", "nan", "inf", "-inf", "1e999", "-1", "0", "0.5", "1e300", "9" * 400, "x", "NA", "?"),
    *('"', "'", ",", ",,,", "\n", "\x00", "\x1b[31m", "é", "=1+1", "a" * 140_000, "0x10", "1_0"),
)


def _place(d: Draw, data: bytes) -> int:
    return int(d.rng.integers(len(data) + 1))


def _flipped(d: Draw, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(d.pick([1, 1, 4, 30]) if data else 0):
        changed[int(d.rng.integers(len(data)))] ^= 1 << int(d.rng.integers(8))
    return bytes(changed)


def _truncated(d: Draw, data: bytes) -> bytes:
    return data[: _place(d, data)]


def _spliced(d: Draw, data: bytes) -> bytes:
    start, stop = sorted((_place(d, data), _place(d, data)))
    at = _place(d, data)
    return data[:at] + data[start:stop] + data[at:]


def _cut_out(d: Draw, data: bytes) -> bytes:
    start = _place(d, data)
    return data[:start] + data[start + d.pick([1, 4, 100]) :]


def _overwritten(d: Draw, data: bytes) -> bytes:
    at, width = _place(d, data), d.pick([1, 2, 4, 8])
    number = d.pick(HUGE) % (1 << (8 * width))
    return data[:at] + number.to_bytes(width, d.pick(["little", "big"])) + data[at + width :]


def _other_word(d: Draw, data: bytes) -> bytes:
    found = list(re.finditer(rb"[\w.+-]+", data))
    if not found:
        return data
    word = d.pick(found)
    return data[: word.start()] + d.pick(WORDS).encode() + data[word.end() :]


def _noise(d: Draw, data: bytes) -> bytes:
    at = _place(d, data)
    return data[:at] + d.rng.bytes(d.pick([1, 8, 200])) + data[at:]


BYTES: dict[str, Callable[[Draw, bytes], bytes]] = {
    "bits flipped": _flipped,
    "truncated": _truncated,
    "spliced": _spliced,
    "cut out": _cut_out,
    "overwritten": _overwritten,
    "overwritten again": _overwritten,
    "another word": _other_word,
    "another word too": _other_word,
    "noise": _noise,
}


Change = Callable[[Draw, str, bytes], bytes]  # of a member of an archive, by its name


def damaged(d: Draw, data: bytes, inside: Change | None = None) -> bytes:
    """The bytes with one to three mutations, most often inside of what is packed in them."""
    for _ in range(d.pick([1, 1, 2, 3])):
        packed = d.chance(0.8)
        if packed and data[:2] == b"PK":
            data = in_zip(d, data, inside or member)
        elif packed and data[:2] == b"\x1f\x8b":
            data = in_gzip(d, data)
        elif packed and data[:6] == b"\x93NUMPY":
            data = npy(d, data)
        else:
            data = d.named(BYTES, data)
    return data


def in_gzip(d: Draw, data: bytes) -> bytes:
    """Mutate what is compressed."""
    try:
        return gzip.compress(d.named(BYTES, gzip.decompress(data)), 1)
    except (OSError, EOFError, zlib.error):  # damaged before
        return d.named(BYTES, data)


def in_zip(d: Draw, data: bytes, change: Change) -> bytes:
    """Mutate one member of an archive, or the list of members."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # damaged before
        return d.named(BYTES, data)
    if not members:
        return data
    i = int(d.rng.integers(len(members)))
    name, content = members[i]
    what = d.pick(["change", "change", "change", "change", "drop", "rename", "twice", "swap"])
    d.tell(f"{what} {name}")
    if what == "change":
        members[i] = name, change(d, name, content)
    elif what == "drop":
        del members[i]
    elif what == "rename":
        members[i] = d.pick(["S.npy", "y.npy", "kind.npy", "../x.npy", "x", "é.npy"]), content
    elif what == "twice":
        members.append(members[i])
    else:
        members[i] = name, d.pick(members)[1]
    return packed(members, d.pick([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))


def packed(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that come twice are meant
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def member(d: Draw, name: str, content: bytes) -> bytes:
    """Mutate a member of an archive, as what its name says."""
    if name.endswith(".npy"):
        return npy(d, content)
    return d.named(BYTES, content)


SHAPES = ("()", "(1,)", "(24, 1)", "(1, 24)", "(24,)", "(2, 12)")
SHAPES += ("(0,)", "(8,)", "(1, 8)", "(100000, 100000)", "(2305843009213693952, 8)", "(-1, 8)")
SHAPES += ("(8, 8, 1)", "8", "(8.0, 8)", "((((", "(" * 400)
TYPES = ("<f8", ">f8", "<f4", "<f2", "<i8", "<u8", "|b1", "<c16", "|O", "<U8", "|S8", "<M8[s]")
TYPES += ("|V8", "<f99", "", "<U1000000000", "|V2147483647")


def npy(d: Draw, content: bytes) -> bytes:
    """Mutate an array file: its header, its numbers or its bytes."""
    header = re.match(rb"\x93NUMPY\x01\x00(..)(.*?\n)", content, re.DOTALL)
    if header is None or d.chance(0.25):
        return d.named(BYTES, content)
    text, numbers = header[2].decode("latin1"), content[header.end() :]
    what = d.pick(["shape", "type", "order", "numbers", "numbers", "length"])
    d.tell(what)
    if what == "shape":
        text = re.sub(r"\([\d, ]*\)", d.pick(SHAPES), text, count=1)
    elif what == "type":
        text = re.sub(r"'descr': '[^']*'", f"'descr': '{d.pick(TYPES)}'", text)
    elif what == "order":
        text = text.replace("False", d.pick(["True", "None", "0", "open('x', 'w')"]))
    elif what == "numbers":
        numbers = _other_numbers(d, text, numbers)
    else:
        numbers = numbers[: -d.pick([1, 8, 64])]
    text = text[: 2**16 - 1]  # all that the length of a header can tell
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + numbers


def _other_numbers(d: Draw, header: str, numbers: bytes) -> bytes:
    """Put extreme numbers in the place of some: indices far away, NaN, infinity."""
    found = re.search(r"'descr': '([<|>][fiu]\d)'", header)
    if found is None or not numbers:
        return d.named(BYTES, numbers)
    array = np.frombuffer(numbers[: len(numbers) // int(found[1][2]) * int(found[1][2])], found[1])
    array = array.copy()
    if found[1][1] == "f":
        choices: list[Any] = [np.nan, np.inf, -np.inf, 1e300, -1e300, 0.5, -1.0, 0.0, 1e-300]
        entries = [d.pick(choices) for _ in range(d.pick([1, 3]))]
    else:
        limits = np.iinfo(array.dtype)
        entries = [d.pick([limits.max, limits.min, 0, 1, 7, 100, 10**6 % (limits.max + 1)])]
    for entry in entries if len(array) else []:
        with np.errstate(all="ignore"):
            array[int(d.rng.integers(len(array)))] = entry
    return array.tobytes()


def other_json(d: Draw, content: bytes, names: tuple[str, ...]) -> bytes:
    """Change one place of a JSON document: another value, a missing or an extra field."""
    try:
        tree = json.loads(content)
    except ValueError:
        return d.named(BYTES, content)
    places: list[tuple[Any, Any]] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            places.append((node, key))
            if isinstance(node[key], dict | list):
                stack.append(node[key])
    if not places:
        return content
    node, key = d.pick(places)
    what = d.pick(["value", "value", "name", "drop", "other place"])
    d.tell(f"{what} of {key!r}")
    if what == "drop":
        del node[key]
    elif what == "other place":
        other, at = d.pick(places)
        node[key] = json.loads(json.dumps(other[at])) if at in _keys(other) else None
    elif what == "name":
        node[key] = d.pick(names)
    else:
        node[key] = d.pick([None, True, -1, 10**9, 2**80, 1.5, float("nan"), "x", [], {}, [[]], ""])
    return json.dumps(tree).encode()


def _keys(node: Any) -> Any:
    return node if isinstance(node, dict) else range(len(node))
