"""Support vector machines on a whole similarity matrix."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from similearn.data.memory import is_lent, symmetric_spectrum
from similearn.data.values import filled
from similearn.errors import InputError
from similearn.estimators.machines.machine import MachineClassifier, warn_unconverged
from similearn.estimators.names.old_names import renamed
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.parameters import require_choice, require_integer, require_positive
from similearn.numerics.linalg.augmented import augmented_rows
from similearn.numerics.linalg.spectrum import is_positive, map_of, modified, shift_map
from similearn.numerics.linalg.units import LARGEST_COST, largest_magnitude, power_of_two
from similearn.numerics.scores.one_vs_one import class_pairs, coupled_scores, vote_scores

SPECTRA = ("clip", "flip", "shift", "square", "krein", "none")
CONSISTENCIES = ("linear", "augmented", "none")
MULTICLASS = {"votes": vote_scores, "coupled": coupled_scores}


class PairMachines(NamedTuple):
    """One-vs-one machines: decisions are ``rows @ duals + intercepts``, (m, n_pairs)."""

    duals: Any  # (n, n_pairs), CSR or dense
    intercepts: np.ndarray  # (n_pairs,)


@renamed(
    attributes={
        "intercepts_": "intercept_",
        "machines_": ("duals_ and intercept_", lambda self: self._machines),
    }
)
class SimilaritySVC(WeightedSamples, MachineClassifier):
    """Support vector machine with the similarities as its kernel, made one if need be.

    JMLR §2. The symmetric part ½(S + Sᵀ) is made positive semidefinite by a change of its
    spectrum, and the similarities of queries are changed consistently; classes are
    separated one against one.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors, eq. (1).
    spectrum : {"clip", "flip", "shift", "square", "krein", "none"}, default="clip"
        "clip", "flip", "shift" and "square" as in `SpectrumTransformer`. "krein" is the
        stabilized machine in a Kreĭn space: it is trained with the flipped kernel,
        and its coefficients are mapped back, so that queries are used as they are.
        "none" keeps an indefinite S; the solution is then a stationary
        point, and the search for it is cut off at `max_iter`.
    consistency : {"linear", "augmented", "none"}, default="linear"
        How queries are treated (§2.2). "linear" applies the map P of the training
        matrix, so that a query equal to a training sample is treated as that sample is.
        "augmented" redoes the change on the matrix bordered by the query, one query at a time
        (Wu et al.); it needs the self-similarities, `Pairwise(..., self_values=...)`.
        "none" leaves queries alone.
    multiclass : {"votes", "coupled"}, default="votes"
        How pairs of classes decide together. "votes" counts the pairs that a class wins, as the
        papers do; "coupled" multiplies the probabilities that the pairs give to it, which makes
        better probabilities where there are more than two classes.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    tol : float, default=1e-3
        Tolerance of libsvm.
    max_iter : int, default=1000000
        Steps after which libsvm gives up, with a `ConvergenceWarning`.
    class_weight : dict, "balanced" or None, default=None
        {class_weight}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    duals_ : (n, n_pairs) coefficients yᵢαᵢ of the pairs (0, 1), (0, 2), ... of classes; a
        positive decision favours the second of a pair
    intercept_ : (n_pairs,)
    unit_ : float, a power of two by which similarities are divided before they meet the
        coefficients; one unless their largest magnitude is beyond 1e±30
    n_iter_ : (n_pairs,) steps of libsvm
    support_ : positions of training samples with a coefficient that is not zero
    eigenvalues_ : (n,) spectrum of the symmetric part, ascending; None for "square" and "none",
        and for "krein" where it is not needed as none is negative
    spectrum_map_ : the linear map by which a spectrum is modified, or None
    rows_ : training rows that rows of queries are compared with, or None
    spectrum_ : eigenvalues and eigenvectors of the training block, where queries need them

    Notes
    -----
    Votes count the pairs that a class wins; a tie goes to the larger sum of decisions, as
    with scikit-learn's ``SVC(break_ties=True)``. The Kreĭn machine with α mapped back
    decides exactly as "flip" with linear consistency, at O(n) for a query and pair.
    Cost: one eigendecomposition, O(n³), shared by all values of C in `PathSearchCV`; O(n²) for a
    query, with "augmented" times a few for each negative eigenvalue.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import SimilaritySVC
    >>> points = np.array([0.0, 1.0, 2.0, 6.0, 7.0, 8.0])
    >>> S = 8.0 - abs(points[:, None] - points)
    >>> model = SimilaritySVC(C=10.0).fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict(8.0 - abs(np.array([[1.5], [6.5]]) - points))
    array(['a', 'b'], dtype='<U1')
    """

    kind = "similarity"
    _path = ("C",)
    _simpler = ("-C",)

    @property
    def _unit_powers(self):
        """C is in units of one over the kernel."""
        return {"C": 2 if self.spectrum == "square" else 1}

    def __init__(
        self,
        C=1.0,
        *,
        spectrum="clip",
        consistency="linear",
        multiclass="votes",
        calibration="temperature",
        class_weight=None,
        tol=1e-3,
        max_iter=1_000_000,
        costs=None,
        n_jobs=None,
    ):
        self.C = C
        self.spectrum = spectrum
        self.consistency = consistency
        self.multiclass = multiclass
        self.calibration = calibration
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.costs = costs
        self.n_jobs = n_jobs

    @property
    def duals_(self):
        """Coefficients of the pairs of classes."""
        return self._machines[0].duals

    @property
    def intercept_(self):
        """Intercepts of the pairs of classes."""
        return self._machines[0].intercepts

    def _learn(self, block, codes, candidates):
        self._check_choices()
        Cs = [parameters["C"] for parameters in self._parameters(candidates)]
        made = self.spectrum != "none" or (is_lent(block) and self.calibration == "none")
        kernel = KernelInUnit.of(self._training_kernel(block), ours=made)
        limits = {"tol": self.tol, "max_iter": self.max_iter}
        fitted = [pair_machines(kernel, codes, C, weights=self._weights, **limits) for C in Cs]
        del kernel
        n_failed = sum(not machines.converged for machines in fitted)
        warn_unconverged(self, n_failed, len(Cs), "Raise max_iter, or lower C.")
        self.n_iter_ = fitted[0].n_iter
        self.support_ = np.flatnonzero(np.diff(fitted[0].duals.indptr))
        self._machines = [PairMachines(self._mapped(m.duals), m.intercepts) for m in fitted]
        if self.spectrum == "krein":
            self.spectrum_map_ = None  # it is in the coefficients, and as large as the block

    def _mapped(self, duals):
        if self.spectrum != "krein":
            return duals
        return (
            duals.toarray()
            if self.spectrum_map_ is None
            else self.spectrum_map_.rows(duals.toarray().T).T
        )

    def _check_choices(self):
        require_choice("spectrum", self.spectrum, SPECTRA)
        require_choice("consistency", self.consistency, CONSISTENCIES)
        require_choice("multiclass", self.multiclass, MULTICLASS)
        require_positive("tol", self.tol)
        require_integer("max_iter", self.max_iter)
        if self.spectrum == "krein" and self.consistency != "linear":
            raise InputError(
                f"spectrum='krein' maps its coefficients back, which is consistent already; got "
                f"consistency={self.consistency!r}. Leave it at 'linear', or use spectrum='flip'."
            )

    def _training_kernel(self, block):
        """The modified training matrix; keeps what queries will need."""
        self.spectrum_map_, self.spectrum_, self.rows_, self.eigenvalues_ = None, None, None, None
        if self.spectrum == "square":
            self.rows_ = block.rows()
            return self.rows_ @ self.rows_.T
        S = block.rows(both=True)
        if self.spectrum == "none":
            return S
        if self.spectrum == "krein" and is_positive(S):
            return S.copy()  # there is nothing to flip, hence nothing to map back
        if self.consistency == "augmented" and self.spectrum in ("clip", "flip"):
            self.spectrum_ = symmetric_spectrum(block)
            self.eigenvalues_, vectors = self.spectrum_
            change = np.abs if self.spectrum == "flip" else lambda x: np.maximum(x, 0.0)
            return (vectors * change(self.eigenvalues_)) @ vectors.T
        rule = "clip" if self.spectrum == "clip" else "flip"
        shift = self.spectrum == "shift"
        self.spectrum_map_ = shift_map(S) if shift else map_of(symmetric_spectrum(block), rule)
        self.eigenvalues_ = self.spectrum_map_.eigenvalues
        return modified(S, self.spectrum_map_)

    def _machine_scores(self, block, rows, candidates, skip_self):
        kernel_rows = self._kernel_rows(block, rows)
        n_classes = len(self.classes_)
        decide = MULTICLASS[self.multiclass]
        return np.stack([decide(kernel_rows @ d + b, n_classes) for d, b in self._machines])

    def _kernel_rows(self, block, rows):
        """Modified similarities of queries to the training samples."""
        if self.spectrum == "square" and self.consistency != "none":
            return self._square_rows(block, rows)
        s = block.rows(rows, both=True)
        if self.consistency == "none" or self.spectrum in ("krein", "none"):
            return s
        if self.spectrum_ is not None:
            return augmented_rows(self.spectrum_, s, _self_values(block)[rows], self.spectrum)
        return self.spectrum_map_.rows(s)

    def _square_rows(self, block, rows):
        values = block.rows(rows)
        kernel_rows = values @ self.rows_.T
        if self.consistency == "linear":
            return kernel_rows
        reverse = values if block.reverse is None else filled(block.reverse[rows], block.absent)
        return kernel_rows + reverse * _self_values(block)[rows][:, None]

    def _row_bytes(self, block):
        return super()._row_bytes(block) + 8 * 4 * block.shape[1]


class FittedMachines(NamedTuple):
    """What libsvm found: duals, CSR, and intercepts as in `PairMachines`, steps, and success."""

    duals: Any
    intercepts: np.ndarray
    n_iter: np.ndarray
    converged: bool


class KernelInUnit(NamedTuple):
    """A kernel (n, n) divided by a power of two, which changes no digit."""

    values: np.ndarray
    unit: float

    @classmethod
    def of(cls, kernel, *, ours=False):
        """Divide a kernel of any scale; in place if it is `ours`."""
        unit = power_of_two(largest_magnitude(kernel))
        return cls(np.divide(kernel, unit, out=kernel if ours else None), unit)


def pair_machines(kernel, codes, C, *, tol, max_iter, weights=None):
    """One-vs-one machines of libsvm on a `KernelInUnit`; its unit goes to C, times `weights`.

    C counts as 1e12 over the largest entry where it is larger. libsvm keeps, for a support vector
    of class g, its coefficients against the other classes in their order; with more than two
    classes a positive decision favours the first of a pair.
    """
    # Imported here: who only predicts does not wait for libsvm.
    from similearn.estimators.machines.quiet_libsvm import QuietSVC, quiet_fit

    values, unit = kernel
    svc = QuietSVC(C=min(C * unit, LARGEST_COST), kernel="precomputed", tol=tol, max_iter=max_iter)
    quiet_fit(svc, values, codes, weights)
    n_classes = len(svc.classes_)
    pairs = class_pairs(n_classes)
    pair_of = np.zeros((n_classes, n_classes), dtype=np.intp)
    pair_of[pairs[:, 0], pairs[:, 1]] = pair_of[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    others = pair_of[~np.eye(n_classes, dtype=bool)].reshape(n_classes, n_classes - 1)
    sign = 1.0 if n_classes == 2 else -1.0
    columns = others[codes[svc.support_]]
    rows = np.broadcast_to(svc.support_[:, None], columns.shape)
    duals = sparse.csr_array(
        ((sign / unit * svc.dual_coef_.T).ravel(), (rows.ravel(), columns.ravel())),
        shape=(len(codes), len(pairs)),
    )
    return FittedMachines(duals, sign * svc.intercept_, svc.n_iter_, svc.fit_status_ == 0)


def _self_values(block):
    if block.self_values is None:
        raise InputError(
            "consistency='augmented' needs the similarities of the queries to themselves. Pass "
            "Pairwise(values, 'similarity', self_values=...), or choose consistency='linear'."
        )
    return block.self_values
