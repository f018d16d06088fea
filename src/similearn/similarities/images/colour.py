"""The CIE's colour difference of 1994."""

from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity, number_rows
from similearn.similarities.shell.registering import register

# Lightness factor k_L, and K_1 and K_2 that weigh chroma and hue.
_APPLICATIONS = {"graphic_arts": (1.0, 0.045, 0.015), "textiles": (2.0, 0.048, 0.014)}


@register("colour_difference_94")
class ColourDifference94(PreparedSimilarity):
    r"""CIE ΔE*94: how different two colours look, the first being the standard.

    .. math:: \psi(a, b)^2 = \Bigl(\frac{\Delta L}{k_L}\Bigr)^2
        + \Bigl(\frac{\Delta C}{1 + K_1 C_a}\Bigr)^2 + \Bigl(\frac{\Delta H}{1 + K_2 C_a}\Bigr)^2

    with chroma C = √(a*² + b*²) and ΔH² = Δa*² + Δb*² - ΔC².

    Parameters
    ----------
    application : {"graphic_arts", "textiles"}, default="graphic_arts"
        (k_L, K₁, K₂) is (1, 0.045, 0.015) or (2, 0.048, 0.014).

    Notes
    -----
    CIE 116-1995. A colour is a row (L*, a*, b*). Asymmetric, since only the standard's
    chroma scales the differences: saturated standards are more forgiving. O(m n).

    Examples
    --------
    >>> from similearn.similarities import ColourDifference94
    >>> grey, red = [50.0, 0.0, 0.0], [50.0, 60.0, 40.0]
    >>> round(ColourDifference94()(grey, red), 1), round(ColourDifference94()(red, grey), 1)
    (72.1, 17.0)
    """

    kind = "dissimilarity"
    symmetric = False
    range = (0.0, np.inf)
    accepts = "numbers"
    releases_lock = True

    def __init__(self, application: str = "graphic_arts") -> None:
        self.application = application

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: a colour does not differ from itself."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[np.ndarray, np.ndarray]:
        if self.application not in _APPLICATIONS:
            raise InputError(
                f"application={self.application!r}; expected 'graphic_arts' or 'textiles'."
            )
        colours = number_rows(objects, name="The colour difference")
        if colours.shape[1] != 3:
            raise InputError(f"Rows have {colours.shape[1]} numbers; expected (L*, a*, b*).")
        return colours, np.hypot(colours[:, 1], colours[:, 2])

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (standard, chroma), (sample, its_chroma) = a.parts, b.parts
        lightness_scale, for_chroma, for_hue = _APPLICATIONS[self.application]
        lightness, red, yellow = (
            (standard[:, k, None] - sample[None, :, k]) ** 2 for k in range(3)
        )
        chroma_change = (chroma[:, None] - its_chroma[None, :]) ** 2
        hue_change = np.maximum(red + yellow - chroma_change, 0.0)
        return np.sqrt(
            lightness / lightness_scale**2
            + chroma_change / (1 + for_chroma * chroma[:, None]) ** 2
            + hue_change / (1 + for_hue * chroma[:, None]) ** 2
        )
