"""`SimilarityClassifier`: the classifier that needs no choosing."""

from contextlib import contextmanager

import numpy as np
from sklearn.utils.validation import check_is_fitted

from similearn.data.progress_bar import progress
from similearn.errors import (
    AsymmetryWarning,
    InputError,
    SimilearnWarning,
    gathered_warnings,
    warn,
)
from similearn.estimators.neighbors.conformal import require_coverage
from similearn.estimators.probabilities.sample_weights import training_weights
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.columns_out import plain_output
from similearn.estimators.shell.explanation import named_by_texts
from similearn.estimators.shell.labels import group_column
from similearn.estimators.shell.parameters import (
    require_choice,
    require_integer,
    require_positive,
)
from similearn.estimators.shell.threads import one_blas_thread
from similearn.selection.auto.folding import scored_samples, shared_folds
from similearn.selection.auto.inputs import ONLY, AnyInput
from similearn.selection.auto.leaderboard import Leaderboard
from similearn.selection.auto.members import (
    INTERRUPTED,
    fitted_combination,
    mean_calibration,
    member_probabilities,
)
from similearn.selection.auto.portfolio import (
    EFFORTS,
    FOR_SLOW_PAIRS,
    OF_SLOW_PAIRS,
    recipe_for,
    stages_for,
    why_not,
)
from similearn.selection.auto.reasons import CombinedExplanation
from similearn.selection.auto.sharing import SharedQueries
from similearn.selection.auto.trying import Clock, all_tried, failed
from similearn.selection.label_sets import sets_by_class

MOST_TOLD = 8
"""Training samples that `explain` names for each query."""
FEW = 32
"""Queries of which threads of linear algebra would wait for each other longer than they work."""


class SimilarityClassifier(AnyInput, ScoreClassifier):
    """The classifier to begin with: it chooses, tunes and combines methods by itself.

    A portfolio of methods of different families is tuned on shared folds; their probabilities of
    held-out samples are calibrated, and a weighted mean of the best is the model.

    Parameters
    ----------
    similarity : str, Similarity or callable, optional
        How objects are compared, as in `PairwiseSimilarity`; X is then a list of objects. "auto"
        chooses by what they are, and `notes_` says which and why. By default X holds similarities
        or dissimilarities.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
        Where objects are compared, the similarity says it; a plain function of two objects needs
        `kind`, which it cannot tell.
    effort : {"quick", "normal", "thorough"}, default="normal"
        How many methods are tried, on 3, 5 or 10 folds; above 2000 samples, "normal" takes 3.
        Methods that decompose a matrix of all samples are left out above 2000 samples with
        "quick" and above 6000 with "normal". KRI weights are tried with up to 64 neighbours
        above 2000 samples, with up to 128 below, and boosting in fewer rounds above 60 classes.
    time_limit : float, optional
        Seconds, those of comparing objects among them, after which no further method is tried;
        what is there is combined. The quickest methods are tried in any case.
    class_weight : dict, "balanced" or None, default=None
        How much the samples of each class count; "balanced" makes all classes weigh alike, a dict
        names classes that do not count one. Decisions and probabilities move to where the classes
        had these shares.
        All members but forests, and how they are calibrated and combined, take it into account;
        the errors and log-losses of `leaderboard_` count all samples alike.
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    random_state : int, default=0
        Seed of the folds and of methods that draw at random.
    n_jobs : int, optional
        Folds that are worked on at once, in threads. The result is the same, bit for bit.
    progress : {"auto", True, False}, default="auto"
        "auto" draws a bar on a terminal, with rich, once the work has taken two seconds.

    Attributes
    ----------
    classes_ : (n_classes,)
    members_ : list of fitted members with a weight, the heaviest first
    weights_ : (n_members,), their weights, which sum to one
    leaderboard_ : table of everything that was tried: error, log-loss and their standard errors on
        held-out samples, parameters, seconds, weight, and why a method failed
    calibration_ : inverse temperature and smoothing of the combined probabilities
    held_out_ : (n,) probabilities of the training labels when their samples were held out; NaN of
        those that never were
    priors_ : (n_classes,) shares of the classes among the training samples, with their weights
    codes_ : (n,) positions in ``classes_`` of the training labels
    notes_ : list of sentences about what was decided, or done otherwise than asked
    comparison_ : the fitted `PairwiseSimilarity`, where objects are compared

    Notes
    -----
    Every member's probabilities are ``(1 - e) softmax(a z) + e prior`` of its scores z, with a and
    e from held-out samples, so that none is ever zero; where these are few, a stays near the value
    of Platt's smoothed likelihood. The weights of their mean have the least
    log-loss on the same samples, drawn to equal ones by as much as one sample counts
    (`similearn.numerics.scores.ensemble`); members of a weight below 0.02 are dropped. A mean of
    several is too cautious, so that it is calibrated once more, a staying near one and e near zero.

    X is a `Pairwise` block, an array, CSR matrix, DataFrame, `Sources` (every source is tried by
    every method), or objects. A class with one sample is never held out, nor is a group that holds
    all samples of a class. Ctrl-C stops the search; methods that were tried on all folds by then
    are combined.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import SimilarityClassifier
    >>> names = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "tottori"]
    >>> y = ["a", "a", "a", "a", "o", "o", "o", "o"]
    >>> model = SimilarityClassifier(similarity="levenshtein", effort="quick").fit(names, y)
    >>> model.predict(["hannah", "motto"])
    array(['a', 'o'], dtype='<U1')
    """

    _link = "log"
    calibration_ = None  # of the combination; the members' own are in `members_`

    def __init__(
        self,
        *,
        similarity=None,
        kind=None,
        effort="normal",
        time_limit=None,
        class_weight=None,
        costs=None,
        random_state=0,
        n_jobs=None,
        progress="auto",
    ):
        self.similarity = similarity
        self.kind = kind
        self.effort = effort
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.costs = costs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X, y, groups=None):
        """Try the methods, weigh them, and fit those with a weight to all samples.

        Parameters
        ----------
        X : the training samples, see the class
        y : (n,) class labels
        groups : (n,), optional
            Samples of one group, such as recordings of one person, are held out together, so
            that no method is praised for recognizing the group.

        Returns
        -------
        self
        """
        clock = Clock(self.time_limit)
        with self._whole_or_not_at_all(), plain_output():
            data, codes = self._checked_training(X, y)
            groups = None if groups is None else group_column(groups, len(codes))
            self._fit(data, codes, groups, clock)
        return self

    def _check_training(self, X, y):
        require_choice("effort", self.effort, EFFORTS)
        if self.time_limit is not None:
            require_positive("time_limit", self.time_limit)
        require_integer("random_state", self.random_state, low=0)
        return super()._check_training(X, y)

    def _fit(self, data, codes, groups, clock):
        folds, notes = shared_folds(codes, self.classes_, groups, self.effort, self.random_state)
        self.notes_ += notes
        with one_blas_thread():  # the same rounding, however many jobs there are
            counts, of_classes = self._weights_of_classes(codes)
            tried = self._tried(data, codes, folds, clock, counts, of_classes)
            tried, members, weights = self._fitted(tried, data, codes)
        self.priors_, self.codes_ = np.bincount(codes, counts) / len(codes), codes
        self.calibration_, own, right = mean_calibration(tried, weights, self.priors_)
        self.held_out_ = np.full(len(codes), np.nan)
        self.held_out_[scored_samples(folds)] = own
        order = [i for i in np.argsort(-weights, kind="stable") if weights[i] > 0]
        self.members_, self.weights_ = [members[i] for i in order], weights[order]
        self.leaderboard_ = Leaderboard.of(tried, weights.tolist(), own, right)

    def _weights_of_classes(self, codes):
        """Weights (n,) of the samples, one on average, and of the classes; None without any."""
        weights = training_weights(self.class_weight, None, self.classes_, codes)
        if weights is None:
            return None, None
        return weights, {g: float(weights[codes == g][0]) for g in range(len(self.classes_))}

    def _tried(self, data, codes, folds, clock, weights, of_classes):
        """Everything that was tried before the end of the time, or an interruption."""
        compares = self.comparison_ is not None or any(data[source].is_lazy for source in data)
        slow = data.settle()
        late = compares and clock.limit_passed
        tried, stages = self._stages(data, slow, len(codes), of_classes)
        members = [(m, s) for s, own in stages.items() for stage in own for m in stage]
        total = sum(map(len, stages.values())) * len(folds)
        options = {"seed": self.random_state, "clock": clock, "n_jobs": self.n_jobs}
        options["weights"] = weights
        try:
            with progress(total, "Trying methods", show=self.progress) as advance:
                for found in all_tried(data, codes, stages, folds, advance=advance, **options):
                    tried.append(found)
        except KeyboardInterrupt:
            if not any(t.failure is None for t in tried):
                raise
            self._say("The search was interrupted; what was tried by then is combined.")
            done = {(t.member.name, t.source) for t in tried}
            tried += [failed(m, s, INTERRUPTED) for m, s in members if (m.name, s) not in done]
        if clock.stopped:
            why = " Comparing the samples had taken all of it." if late else ""
            self._say(f"The time limit of {self.time_limit:g} s ended the search.{why}")
        data.close()
        return tried

    def _fitted(self, tried, data, codes):
        """What was tried, fitted members and their weights."""
        found = fitted_combination(tried, data, codes, self.random_state)
        pairs = zip(tried, found[0], strict=True)
        if any(before.failure != after.failure == INTERRUPTED for before, after in pairs):
            self._say("The last fits were interrupted; the members fitted by then are combined.")
        return found

    def _stages(self, data, slow, n, of_classes):
        """What takes too long for so many samples, and by source the stages of what does not."""
        left_out, stages, n_classes = [], {}, len(self.classes_)
        for source in data:
            members = [m for stage in stages_for(self.effort) for m in stage]
            reasons = {m.name: slow.get(source) or why_not(m, self.effort, n) for m in members}
            left_out += [failed(m, source, reasons[m.name]) for m in members if reasons[m.name]]
            own = [list(OF_SLOW_PAIRS)] if source in slow else stages_for(self.effort)
            kept = [
                [m.at_size(n, n_classes) for m in stage if not reasons.get(m.name)] for stage in own
            ]
            stages[source] = [
                [m.with_weights(of_classes) for m in stage] for stage in kept if stage
            ]
        return left_out, stages

    def _recipe(self, kind):
        """What the result depends on besides parameters: stored results are named by it too."""
        return recipe_for(self.effort, kind)

    def _say(self, sentence):
        self.notes_.append(sentence)
        warn(sentence, SimilearnWarning, stacklevel=5)

    def _as_fitted(self, work):
        with plain_output():
            return super()._as_fitted(work)

    def _all_scores(self, data):
        # The members cut their queries into chunks; chunks of ours would change the rounding
        # with the number of threads.
        with self._warning_once(), one_blas_thread(len(data) <= FEW):
            return self._combined(self._member_probabilities(self._shared(data)))

    def predict_set(self, X, coverage=0.9):
        """Find the labels that cannot be ruled out.

        Parameters
        ----------
        X : queries, as for ``predict``
        coverage : float, default=0.9
            How often a set is to hold the true label, in each class by itself.

        Returns
        -------
        boolean array (m, n_classes), in the order of ``classes_``

        Notes
        -----
        From what the members said of held-out samples, without a further fit, as `conformal_sets`
        does it. Members and weights were chosen on the same samples, so that coverage is close
        to what is asked but not guaranteed: `NeighborsClassifier.predict_set` guarantees it. A
        class of n_g members can be ruled out only if 1 - `coverage` is at least 1 / (n_g + 1).
        """
        check_is_fitted(self)
        share = 1.0 - require_coverage(coverage)
        if not hasattr(self, "held_out_"):
            raise InputError(
                "The model was stored by a version that kept no probabilities of held-out samples, "
                "from which sets are made. Fit it again."
            )
        return sets_by_class(self.held_out_, self.codes_, self.predict_proba(X), share)

    def _combined(self, probabilities):
        """Log-probabilities of the weighted mean of the members', (n_members, m, n_classes)."""
        mean = np.log(np.tensordot(self.weights_, probabilities, 1))
        return np.log(self.calibration_.probabilities(mean, self.priors_))

    def _member_probabilities(self, data):
        """Probabilities (n_members, m, n_classes) of each member, of `SharedQueries`."""
        return member_probabilities(self.members_, data, self.priors_)

    @contextmanager
    def _warning_once(self):
        """What several members warn of is said once; what was said at the door, not again."""
        told = []
        with gathered_warnings(told), plain_output():
            yield
        for category, message in dict.fromkeys(told):
            if category is not AsymmetryWarning or self.kind_ is None:
                warn(message, category, stacklevel=5)

    def _shared(self, data):
        few_pairs = {m.source for m in self.members_ if m.name in FOR_SLOW_PAIRS}
        return SharedQueries(data, max(m.n_neighbors for m in self.members_), few_pairs)

    def explain(self, X):
        """Tell why each query is classified as it is.

        Returns
        -------
        CombinedExplanation
            Probabilities, what each member says, and the training samples that have the
            largest shares in the votes of the members that have neighbours.
        """
        data = self._queries(X)
        shared, source = self._shared(data), self.members_[0].source
        block = shared.of(source, None)
        with self._warning_once():
            probabilities = self._member_probabilities(shared)
            near, shares = self._joint_neighbors(block, shared)
        scores = self._combined(probabilities)
        names = [member.told for member in self.members_]
        told = CombinedExplanation(
            classes=self.classes_,
            scores=scores,
            decisions=self.classes_[self._decide(scores)],
            terms=dict(zip(names, probabilities, strict=True)),
            member_weights=dict(zip(names, self.weights_.tolist(), strict=True)),
            neighbors=near,
            values=block.at(near),
            labels=self.classes_[self.codes_[near]],
            weights=shares,
            row_ids=block.row_ids,
            reference_ids=self.reference_ids_,
            source=None if source == ONLY else source,
        )
        return named_by_texts(told, X, self.comparison_)

    def _joint_neighbors(self, block, shared):
        """Training samples of the largest share in the votes of all neighbour methods.

        Of equal shares, as of none, the nearest samples come first.
        """
        m, n = block.shape
        joint, rank = np.zeros((m, n)), np.full((m, n), n)
        queries = np.arange(m)[:, None]
        for member, weight in zip(self.members_, self.weights_, strict=True):
            near, shares = member.neighbor_shares(shared)
            np.add.at(joint, (queries, near), weight * shares)
        k = min(MOST_TOLD, n)
        rank[queries, block.nearest(k)[0]] = np.arange(k)
        near = np.lexsort((rank, -joint))[:, :k]
        return near, np.take_along_axis(joint, near, axis=1)
