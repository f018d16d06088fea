"""Sets of labels that hold the true one as often as is asked: `predict_set`."""

from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from similearn.data import Pairwise
from similearn.data.checks import require_random_state
from similearn.data.chunks import map_chunks
from similearn.data.stored_search import rows_to_search
from similearn.errors import InputError
from similearn.estimators.shell.parameters import require_choice, require_neighbors
from similearn.numerics.neighbors.conformal import training_strangeness
from similearn.numerics.neighbors.conformal_counts import stranger_counts

TIES = ("conservative", "smoothed")
_ENTRIES_AT_ONCE = 1 << 24


def require_coverage(coverage):
    """Return a share between 0 and 1, both excluded."""
    if isinstance(coverage, bool) or not isinstance(coverage, Real) or not 0 < coverage < 1:
        raise InputError(
            f"coverage={coverage!r} must be a number between 0 and 1, such as 0.9 for sets that "
            "hold the true label of 9 of 10 queries."
        )
    return float(coverage)


class ConformalNeighbors:
    """Mixin of `NeighborSearch` classifiers: conformal p-values and sets of labels.

    What is known of the training samples is found when it is first asked for, and kept.
    """

    def predict_set(self, X, coverage=0.9):
        """Find the labels that cannot be ruled out, for each query.

        Parameters
        ----------
        X : queries against the training samples, as for `predict`
        coverage : float, default=0.9
            How often a set is to hold the true label, in each class by itself.

        Returns
        -------
        boolean array (m, n_classes), in the order of ``classes_``
            Whether each label belongs to the set: whether its `conformal_p_values` is above
            1 - `coverage`. A set may hold several labels where the query lies between
            classes, and none where it is unlike all of them.

        Notes
        -----
        If training samples and queries are exchangeable within each class, say drawn
        independently, a set holds the true label with at least the probability `coverage`,
        whatever the data are and however many; hardly more, but for ties. A class of n_g
        members can be ruled out only if 1 - `coverage` is at least 1 / (n_g + 1).

        Examples
        --------
        >>> import numpy as np
        >>> from similearn import NeighborsClassifier
        >>> points = np.r_[0:1:10j, 3:4:10j]
        >>> D = abs(points[:, None] - points)
        >>> model = NeighborsClassifier(3, kind="dissimilarity").fit(D, ["a"] * 10 + ["b"] * 10)
        >>> model.predict_set(abs(np.array([[0.5], [3.2], [2.0]]) - points), coverage=0.8)
        array([[ True, False],
               [False,  True],
               [False, False]])
        """
        return self.conformal_p_values(X) > 1.0 - require_coverage(coverage) + 1e-12

    def conformal_p_values(self, X, *, ties="conservative", random_state=None):
        """How usual each query would be in each class: full conformal prediction.

        Parameters
        ----------
        X : queries against the training samples, as for `predict`
        ties : {"conservative", "smoothed"}, default="conservative"
            Members of a class that are as strange as the query count in full, so that sets are
            rather too large; "smoothed" counts a random share of them, so that p-values of
            true labels are uniform and sets hold just as many as is asked.
        random_state : int, RandomState or None
            Draws the shares of "smoothed", one per query.

        Returns
        -------
        (m, n_classes), in the order of ``classes_``
            (1 + number of members of the class that are at least as strange as the query) /
            (1 + number of members): between 1 / (n_g + 1) and 1, low where the query is
            unlike the class. They are no probabilities and do not sum to one.

        Notes
        -----
        A sample is strange in a class if the `n_neighbors` nearest samples of that class are
        far compared with the `n_neighbors` nearest of all others: by the relative difference
        of their mean dissimilarities, which orders as their ratio does (of asymmetric data,
        means of both directions; similarities count as dissimilarities of the other sign).
        `weights` play no part. As in full (transductive) conformal prediction, each query is
        put into each class in turn, and all members of the class are judged anew: no sample
        need be kept apart for calibration. This is exact, and O(m n) as `predict` is, by the
        incremental form of Cherubin, Chatzikokolakis and Jaggi (2021): some 1.3 times its time
        with 5 neighbours and 1.4 times with 32 if there are five classes, and more if there are
        many, as the nearest of every class are found. When first asked, also O(n²) for the
        training block.
        """
        check_is_fitted(self)
        require_choice("ties", ties, TIES)
        training = self._training_strangeness()
        block = self._queries(X)

        def counted(rows):
            values = rows_to_search(block, rows)
            counts = stranger_counts(values, training, largest=block.large_is_near)
            if (counts[0] < 0).any():
                block.require_finite()  # says which entry it is
            return counts

        row_bytes = 8 * block.shape[1]
        parts = map_chunks(counted, len(block), row_bytes=row_bytes, n_jobs=self.n_jobs)
        at_least, above = (np.concatenate(part) for part in zip(*parts, strict=True))
        sizes = np.bincount(self.codes_)
        if ties == "conservative":
            return (1.0 + at_least) / (1.0 + sizes)
        shares = require_random_state(random_state).uniform(size=(len(at_least), 1))
        return (above + shares * (1.0 + at_least - above)) / (1.0 + sizes)

    def _training_strangeness(self):
        k = self.n_neighbors
        known = getattr(self, "_strangeness", None)
        if known is not None and known.n_neighbors == k:
            return known
        block = self._known_training("predict_set", "Please").require_complete()
        require_neighbors(k, len(block))
        sign = -1.0 if block.large_is_near else 1.0
        own, others = [], []
        for g in range(len(self.classes_)):
            members, rest = np.flatnonzero(self.codes_ == g), np.flatnonzero(self.codes_ != g)
            own.append(sign * self._nearest_values(block, members, members))
            others.append(sign * self._nearest_values(block, members, rest))
        self._strangeness = training_strangeness(own, others, self.codes_, k)
        return self._strangeness

    def _nearest_values(self, block, rows, columns):
        """Values of the nearest of some samples to each of others, itself left out."""
        same = rows is columns
        k = min(self.n_neighbors, len(columns) - same)
        if k == 0:
            return np.empty((len(rows), 0))
        at_once = max(_ENTRIES_AT_ONCE // len(columns), 1)
        if same:  # a block of samples with themselves knows what "itself" is
            return block[np.ix_(rows, columns)].nearest(k, skip_self=True)[1]
        found = []
        for i in range(0, len(rows), at_once):
            values = block.columns(columns, rows[i : i + at_once], both=True)
            found.append(Pairwise(values, block.kind, same_samples=False).nearest(k)[1])
        return np.concatenate(found)
