"""Real data: the bundled votes, and digits from scikit-learn."""

import csv
import gzip
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import Bunch

from similearn.data.checks import (
    require_choice,
    require_flag,
    require_integer,
    require_random_state,
)
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Indices

_VOTES = """Votes of the 435 members of the United States House of Representatives on 16 key \
questions of 1984, and their parties (267 democrats, 168 republicans). "y" is yea, "n" nay, "?" \
neither: voted present, or did not vote. That is a position of its own, not a missing value.

Congressional Voting Records, UCI Machine Learning Repository, 1987, doi:10.24432/C5C01P, CC BY \
4.0. Donated by Jeff Schlimmer; from the Congressional Quarterly Almanac, 98th Congress, 2nd \
session."""


def load_house_votes(*, return_X_y: bool = False) -> Any:
    """Load the congressional votes of 1984: 435 members, 16 votes, two parties.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` rather than a Bunch.

    Returns
    -------
    Bunch with

    - data : (435, 16) object array of "y", "n" and "?" (neither: a third value)
    - target : (435,) array of "democrat" and "republican"
    - feature_names, target_names : lists
    - DESCR : what it is and where it comes from

    Notes
    -----
    Congressional Voting Records, UCI Machine Learning Repository, 1987,
    https://doi.org/10.24432/C5C01P, CC BY 4.0, donated by Jeff Schlimmer. It is the data
    behind "Voting" of the papers, which compare members by the value difference metric.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import NeighborsClassifier, PairwiseSimilarity, datasets
    >>> X, y = datasets.load_house_votes(return_X_y=True)
    >>> X.shape
    (435, 16)
    >>> nearest = NeighborsClassifier(n_neighbors=5, kind="dissimilarity")
    >>> model = make_pipeline(PairwiseSimilarity("value_difference"), nearest)
    >>> bool(cross_val_score(model, X, y).mean() > 0.9)
    True
    """
    packed = files("similearn.data.datasets").joinpath("house-votes-84.csv.gz").read_bytes()
    header, *rows = csv.reader(gzip.decompress(packed).decode().splitlines())
    table = np.array(rows, dtype=object)
    data, target = table[:, :-1], table[:, -1].astype(str)
    data[data == ""] = "?"
    if require_flag("return_X_y", return_X_y):
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=header[:-1],
        target_names=np.unique(target).tolist(),
        DESCR=_VOTES,
    )


def load_digits_pairs(
    n_samples: int | None = 500,
    *,
    dissimilarity: str = "shifted",
    return_X_y: bool = False,
    random_state: Any = 0,
) -> Any:
    """Dissimilarities of scikit-learn's handwritten digits, 8 × 8 pixels, ten classes.

    Parameters
    ----------
    n_samples : int or None, default=500
        How many of the 1797 digits, drawn at random; None takes all, in their order.
    dissimilarity : {"shifted", "euclidean"}, default="shifted"
        "shifted" is the sum of squared differences of pixels, the least over the nine shifts
        of the reference by at most one pixel. What is shifted out of the picture is lost, so
        it is asymmetric, and three of a thousand triples break the triangle inequality.
        "euclidean" is the plain distance, a metric.
    return_X_y : bool, default=False
        Return ``(data, target)`` rather than a Bunch.
    random_state : int, RandomState or None, default=0
        Draws the samples.

    Returns
    -------
    Bunch with

    - data : (n, n) `Pairwise` dissimilarity
    - target : (n,) digits
    - images : (n, 8, 8)
    - target_names, DESCR

    Notes
    -----
    O(n² · 64), nine times that for "shifted": about a second for all 1797.

    Examples
    --------
    >>> from similearn import datasets
    >>> digits = datasets.load_digits_pairs(100)
    >>> digits.data
    <Pairwise: dissimilarity, 100 × 100>
    >>> digits.data.is_symmetric
    False
    """
    from sklearn.datasets import load_digits

    require_choice("dissimilarity", dissimilarity, ("shifted", "euclidean"))
    digits = load_digits()
    chosen = _drawn(len(digits.target), n_samples, random_state)
    images = digits.images[chosen]
    rows = images.reshape(len(images), -1)
    values = _shifted_differences(images) if dissimilarity == "shifted" else cdist(rows, rows)
    block, target = Pairwise(values, "dissimilarity"), digits.target[chosen]
    if require_flag("return_X_y", return_X_y):
        return block, target
    description = f"{dissimilarity} differences of {len(target)} handwritten digits.\n\n"
    return Bunch(
        data=block,
        target=target,
        images=images,
        target_names=digits.target_names,
        DESCR=description + digits.DESCR,
    )


def _drawn(n: int, n_samples: int | None, random_state: Any) -> Indices:
    """Positions of a random sample without repetition, or all."""
    if n_samples is None:
        return np.arange(n)
    require_integer("n_samples", n_samples, high=n, high_means="number of samples")
    drawn: Indices = require_random_state(random_state).permutation(n)[:n_samples]
    return drawn


def _shifted_differences(images: NDArray[Any]) -> Floats:
    """Squared distance of each image to the best of nine shifts of each reference."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    height, width = images.shape[1:]
    rows = images.reshape(len(images), -1)
    best = np.full((len(images), len(images)), np.inf)
    for down in range(3):
        for right in range(3):
            shifted = padded[:, down : down + height, right : right + width]
            squared = cdist(rows, shifted.reshape(len(images), -1), "sqeuclidean")
            np.minimum(best, squared, out=best)
    return best
