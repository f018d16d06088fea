"""The colour difference, against its formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError
from similearn.similarities import ColourDifference94
from tests.reference.similarities import colour_difference_94
from tests.thinning import drawn

colours = st.lists(
    st.tuples(st.floats(0, 100), st.floats(-120, 120), st.floats(-120, 120)), min_size=1, max_size=4
)


@pytest.mark.parametrize(
    ("application", "factors"),
    [("graphic_arts", (1, 0.045, 0.015)), ("textiles", (2, 0.048, 0.014))],
)
@given(A=colours, B=colours)
@drawn(20)
def test_colour_difference_is_its_formula(application, factors, A, B):
    expected = [[colour_difference_94(a, b, *factors) for b in B] for a in A]
    values = ColourDifference94(application).matrix(A, B)
    assert_allclose(values, expected, rtol=1e-7, atol=1e-5)  # the hue difference cancels


def test_colour_difference_of_greys_is_the_lightness():
    greys = [[10.0, 0.0, 0.0], [40.0, 0.0, 0.0]]
    assert_array_equal(ColourDifference94().matrix(greys, greys), [[0, 30], [30, 0]])
    assert ColourDifference94("textiles")(*greys) == 15


def test_messages():
    with pytest.raises(InputError, match=r"expected \(L\*, a\*, b\*\)"):
        ColourDifference94()([1, 2], [1, 1])
    with pytest.raises(InputError, match="application='paint'"):
        ColourDifference94("paint")([1, 2, 3], [1, 1, 1])
