"""Spectrum modifications of the matrix bordered by one query (Wu et al., JMLR §2.2)."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.linalg.secular import negative_part
from similearn.numerics.linalg.spectrum import Spectrum

Floats = NDArray[np.float64]


def augmented_rows(spectrum: Spectrum, s: Floats, self_values: Floats, method: str) -> Floats:
    """Modified similarities of queries, each from the matrix that it borders alone.

    The modification is that of S' = [[S, s], [sᵀ, ψ(x, x)]]; returned are the first n entries of
    its last column.

    Parameters
    ----------
    spectrum : of the symmetric training matrix S
    s : (m, n) similarities of the queries
    self_values : (m,) ψ(x, x)
    method : "clip" or "flip"

    Returns
    -------
    (m, n)

    Notes
    -----
    S' in the eigenbasis of S is an arrow, so its eigenvalues solve a secular equation
    (see `similearn.numerics.linalg.secular`): O(n²) to change basis and O(n) for every negative
    eigenvalue and step, where a fresh decomposition costs O(n³). Where most eigenvalues are
    negative, the positive ones are subtracted instead.
    Assumes checked input.
    """
    few_negative = 2 * np.count_nonzero(spectrum.eigenvalues < 0) <= len(spectrum.eigenvalues)
    sign = 1.0 if few_negative else -1.0
    poles = spectrum.eigenvalues if few_negative else -spectrum.eigenvalues[::-1]
    basis = spectrum.vectors if few_negative else spectrum.vectors[:, ::-1]
    z = sign * (s @ basis)
    parts = [negative_part(poles, z[i], -sign * self_values[i], 1.0)[0] for i in range(len(s))]
    one_sign = sign * (np.array(parts).reshape(s.shape) @ basis.T)
    if few_negative:  # `one_sign` holds the negative part of S', else the positive part
        return s - one_sign if method == "clip" else s - 2.0 * one_sign
    return one_sign if method == "clip" else 2.0 * one_sign - s
