"""Compression distances, against the formulas with Python's own compressors."""

import bz2
import lzma
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from similearn.errors import InputError
from similearn.similarities import Compression, NormalizedCompression
from tests.thinning import drawn

texts = st.lists(st.text("ab ", max_size=80), min_size=1, max_size=4)


def deflated(text, dictionary=None):
    options = {} if dictionary is None else {"zdict": dictionary}
    code = zlib.compressobj(level=9, wbits=-15, memLevel=9, **options)
    return len(code.compress(text) + code.flush())


def with_lzma(text):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": max(4096, len(text))}]
    return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=filters))


LENGTHS = {"zlib": deflated, "bz2": lambda text: len(bz2.compress(text)), "lzma": with_lzma}


@pytest.mark.parametrize("compressor", LENGTHS)
@given(texts, texts)
@drawn(10)
def test_normalized_compression_distance(compressor, A, B):
    C = LENGTHS[compressor]

    def expected(a, b):
        a, b = sorted([a.encode(), b.encode()])
        return max(C(a + b) - min(C(a), C(b)), 0) / max(C(a), C(b))

    model = NormalizedCompression(compressor)
    values = model.matrix(A, B)
    assert_allclose(values, [[expected(a, b) for b in B] for a in A], rtol=1e-14)
    assert_allclose(model.matrix(B, A), values.T, rtol=1e-14)


@pytest.mark.parametrize("compressor", LENGTHS)
@given(texts, texts)
@drawn(10)
def test_one_coded_with_the_others_code(compressor, A, B):
    C = LENGTHS[compressor]

    def expected(a, b):
        a, b = a.encode(), b.encode()
        given_b = deflated(a, b) if compressor == "zlib" else max(C(b + a) - C(b), 0)
        return given_b / C(a)

    values = Compression(compressor).matrix(A, B)
    assert_allclose(values, [[expected(a, b) for b in B] for a in A], rtol=1e-14)


def test_a_part_is_near_the_whole_and_not_the_other_way_round():
    rng = np.random.default_rng(0)
    whole = rng.bytes(2000)
    part = whole[500:900]
    assert Compression()(part, whole) < 0.1
    assert Compression()(whole, part) > 0.7


def test_strings_bytes_and_arrays():
    text = "strange, passing strange"
    numbers = np.frombuffer(text.encode(), dtype=np.uint8)
    values = Compression().matrix([text, text.encode(), numbers], [text])
    assert np.ptp(values) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Compression("zip")("a", "b"), "compressor='zip' is unknown; expected 'zlib'"),
        (lambda: Compression().matrix(["a", 3], ["a"]), "Object 1 .* type int"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
