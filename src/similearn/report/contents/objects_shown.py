"""The objects themselves, where a model compares objects: text, sequences, small images."""

import base64
import struct
import zlib
from typing import Any

import numpy as np

from similearn.data import Pairwise, Sources
from similearn.report.contents.model_facts import references_of
from similearn.report.contents.sheets import Judged

LONGEST_TEXT = 600
LARGEST_SIDE = 64
MOST_OBJECTS = 20_000


def shown_objects(X: Any) -> dict[int, dict[str, str]]:
    """Position → {"text": ...} or {"image": a PNG as data URI}, of samples that are objects."""
    if X is None or isinstance(X, Pairwise | Sources) or hasattr(X, "toarray"):
        return {}
    if hasattr(X, "iloc"):
        X = X.to_numpy()
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[0] == X.shape[1]:
        return {}
    return {i: told for i, thing in enumerate(X[:MOST_OBJECTS]) if (told := shown_object(thing))}


def shown_references(model: Any, judged: Judged | None) -> dict[int, dict[str, str]]:
    """The same of the samples that a model holds, where new ones were judged by them."""
    if judged is None or judged.reference_places is None or (judged.reference_places >= 0).any():
        return {}
    return shown_objects(references_of(model))


def shown_object(thing: Any) -> dict[str, str]:
    """One object for people; empty if nothing readable can be made of it."""
    if isinstance(thing, bytes):
        thing = thing.decode("utf-8", "replace")
    if isinstance(thing, np.ndarray) and thing.ndim in (2, 3) and max(thing.shape[:2]) <= 512:
        return _image(thing)
    if hasattr(thing, "GetOnBits"):  # a fingerprint of RDKit
        thing = f"{thing.GetNumOnBits()} of {thing.GetNumBits()} bits: {_listed(thing.GetOnBits())}"
    if isinstance(thing, np.ndarray | list | tuple | set | frozenset):
        thing = _listed(thing)
    text = str(thing)
    cut = f"{text[:LONGEST_TEXT]}… ({len(text)} characters)"
    return {"text": text if len(text) <= LONGEST_TEXT else cut}


def _listed(things: Any) -> str:
    """The first of several, sets in an order that is the same in every run."""
    shown = sorted(things, key=str) if isinstance(things, set | frozenset) else list(things)
    short = (f"{one:.6g}" if isinstance(one, float) else str(one) for one in shown[:60])
    return ", ".join(short) + (f", … ({len(shown)} in all)" if len(shown) > 60 else "")


def _image(pixels: Any) -> dict[str, str]:
    if pixels.ndim == 3 and pixels.shape[2] not in (3,):
        return {}
    step = -(-max(pixels.shape[:2]) // LARGEST_SIDE)
    pixels = np.nan_to_num(np.asarray(pixels[::step, ::step], dtype=np.float64))
    low, high = pixels.min(), pixels.max()
    return {"image": image_uri((pixels - low) / ((high - low) or 1.0))}


def image_uri(pixels: Any) -> str:
    """A PNG as data URI, of a picture (h, w) in grey or (h, w, 3) in colour, from 0 to 1."""
    data = base64.b64encode(_png(np.round(255 * pixels).astype(np.uint8))).decode("ascii")
    return f"data:image/png;base64,{data}"


def _png(pixels: Any) -> bytes:
    """8-bit grey or RGB pixels as a PNG file."""
    height, width = pixels.shape[:2]
    lines = pixels.reshape(height, -1)
    raw = b"".join(b"\0" + line.tobytes() for line in lines)
    colour = 2 if pixels.ndim == 3 else 0
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
