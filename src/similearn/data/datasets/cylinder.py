"""The cylinder: a problem of several dissimilarities, of which a known few matter."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from similearn.data.checks import (
    require_flag,
    require_integer,
    require_number,
    require_random_state,
)
from similearn.data.pairwise import Pairwise
from similearn.data.sources import Sources


def make_cylinder(
    n_samples: int = 200,
    *,
    threshold: float = 2.57,
    n_dimensions: int = 5,
    return_X_y: bool = False,
    random_state: Any = 0,
) -> Any:
    """Points inside and outside a cylinder, compared along each axis by itself.

    Points are standard normal. Class 1 has :math:`x_1^2 + x_2^2` up to the threshold, class
    2 more; the other dimensions are noise. Each dimension gives one block, the distances
    along it, so that no single block tells the classes apart.

    Parameters
    ----------
    n_samples : int, default=200
    threshold : float, default=2.57
        Called r in the slides, which do not print it; 2.57 gives their error of the noise
        blocks, 0.40 (a share :math:`1 - e^{-r/2}` of 0.72 lies inside).
    n_dimensions : int, default=5
        At least two.
    return_X_y : bool, default=False
        Return ``(data, target)`` rather than a Bunch.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    Bunch with

    - data : `Sources` of (n, n) dissimilarities "x1", "x2", ...
    - target : (n,), 1 inside and 2 outside
    - points : (n, n_dimensions)

    Notes
    -----
    Experiment 1 of Castle and Trosset's CDNN: 100 samples each for training and test, cut
    with ``data[np.ix_(train, train)]`` and ``data[np.ix_(test, train)]``.

    Examples
    --------
    >>> from similearn import datasets
    >>> datasets.make_cylinder(100, n_dimensions=2).data
    <Sources: x1 (100 × 100 dissimilarity), x2 (100 × 100 dissimilarity)>
    """
    n_samples = require_integer("n_samples", n_samples)
    n_dimensions = require_integer("n_dimensions", n_dimensions, low=2)
    threshold = require_number("threshold", threshold, low=5e-324, expected="a positive number")
    points = require_random_state(random_state).standard_normal((n_samples, n_dimensions))
    target = np.where((points[:, :2] ** 2).sum(axis=1) <= threshold, 1, 2)
    data = Sources(
        {
            f"x{axis + 1}": Pairwise(np.abs(np.subtract.outer(along, along)), "dissimilarity")
            for axis, along in enumerate(points.T)
        }
    )
    if require_flag("return_X_y", return_X_y):
        return data, target
    return Bunch(data=data, target=target, points=points)
