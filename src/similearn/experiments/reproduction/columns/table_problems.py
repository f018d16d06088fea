"""Problems of the published tables: data from a folder, partitioned as the papers do."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.experiments.comparisons.problems import Split, fingerprint_of
from similearn.experiments.comparisons.splitting import Indices

TEST_SHARE = 0.2  # JMLR §7.2, Fusing §6.2.3, RegSDA §V


class LazyProblem:
    """A problem whose data are read where they are needed, and never sent to other processes.

    Parameters
    ----------
    name : the key of its column
    fingerprint : of the files and of the protocol; changes whenever the data do
    read : reads and prepares the data, once a process. Must be picklable: a module's
        function or a `functools.partial` of one.
    cut : makes one `Split` of what `read` returns, from (data, seed, number); picklable too
    """

    def __init__(
        self,
        name: str,
        fingerprint: str,
        read: Callable[[], Any],
        cut: Callable[[Any, int, int], Split],
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint_of(name, fingerprint)
        self.read = read
        self.cut = cut

    def split(self, seed: int, number: int) -> Split:
        """Return one of the splits."""
        return self.cut(self._data(), seed, number)

    def _data(self) -> Any:
        """What `read` returns: kept for the process, since units arrive as copies of this."""
        if self.fingerprint not in _DATA:
            while len(_DATA) >= _MOST_KEPT:
                _DATA.pop(next(iter(_DATA)))
            _DATA[self.fingerprint] = self.read()
        return _DATA[self.fingerprint]


_DATA: dict[str, Any] = {}
_MOST_KEPT = 2  # units come data set by data set


def plain_random_split(n: int, seed: int, number: int) -> tuple[Indices, Indices]:
    """Training and test positions of a random 80/20 split that looks at no labels.

    Notes
    -----
    "We randomly selected 20% of the data for testing" (JMLR §7.2). A class may so be
    absent from the training part.
    """
    order = np.random.default_rng([seed, number, 0]).permutation(n)
    n_test = round(TEST_SHARE * n)
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def given_split(partitions: NDArray[np.bool_], number: int) -> tuple[Indices, Indices]:
    """Training and test positions of a partition that came with the data."""
    tested = partitions[number]
    return np.flatnonzero(~tested), np.flatnonzero(tested)
