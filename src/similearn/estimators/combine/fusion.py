"""Several similarities and feature tables, fused into one decision."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from similearn.errors import ConvergenceWarning, InputError, InputTypeError, warn
from similearn.estimators.shell.base import ScoreClassifier
from similearn.estimators.shell.parameters import require_choice
from similearn.estimators.shell.source_input import SourcesInput, named_source, suited
from similearn.estimators.shell.splits import stratified_splits
from similearn.numerics.combine.fusion import best_exponents, fused, prior_exponent, without_vetoes

PRIORS = ("once", "each")


class FusionClassifier(SourcesInput, ScoreClassifier):
    r"""Naive Bayes over sources: the product of what each of them says (Fusing §5).

    Every source, a similarity, a dissimilarity or a table of features, has a classifier of
    its own. Given the class, sources are taken as independent, so their posteriors
    multiply. For each query, a source whose posterior is more decided has more influence.

    Parameters
    ----------
    components : list of (name, estimator, source)
        A name for the component, any classifier with `predict_proba`, and the name of the
        source in `Sources` that it sees. A source may serve several components. A block
        given to a classifier of features is the table of its values.
    prior : {"once", "each"}, default="once"
        Each posterior holds the class prior already. "once" divides the surplus out, with
        the shares of the classes among the training samples, as Bayes' rule has it; "each"
        leaves it in every component, as eq. 6 is printed.
    temper : int, cross-validation splitter or None, default=None
        None multiplies plainly. A number of folds, or a splitter, raises each posterior to
        a power chosen by cross-validation over the training samples: small for a source
        whose probabilities are too extreme, or that repeats another. See ``exponents_``.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}

    Attributes
    ----------
    classes_ : (n_classes,)
    n_features_in_ : int, training samples
    components_ : dict of names to fitted estimators
    exponents_ : (n_components,), ones unless tempered
    priors_ : (n_classes,), shares of the classes among the training samples
    choices_ : candidates of components, and those that cross-validation chose

    Notes
    -----
    *Eq. 6 as printed* is ``prior="each"`` and ``calibration="none"`` over a
    `LocalSDAClassifier` with ``regularization="joint"`` for the similarities and a
    `LocalBDAClassifier` with ``priors="neighborhood"`` for the features, both with
    ``calibration="none"``: each term is then the posterior of the paper and holds the class
    shares of its own neighbourhood. The default ``prior="once"`` is Bayes' rule for sources
    that are independent given the class.

    With one component and no tempering this is that component. All is done with
    logarithms: what underflows in `predict_proba` still counts here if the component has a
    `predict_log_proba` of its own. A probability of exactly zero, as among neighbours'
    votes, counts as the smallest normal number (or as the smallest other probability of
    the query, if that is smaller still): next to nothing, but where every class is ruled
    out by some component, the others decide.

    X is `Sources`. One block alone, a `Pairwise` or a plain matrix of similarities, is the source
    named "pairs".

    Powers minimize the log-loss of held-out samples, with a weak pull towards one. Folds cut
    blocks by rows and columns.

    Parameters of components are set as ``name__parameter``, for instance in `GridSearchCV`.
    `PathSearchCV` scores all combinations of the components' paths from one fit of each;
    with tempering it goes point by point.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import (
    ...     FusionClassifier, LocalBDAClassifier, NeighborsClassifier, Pairwise, Sources)
    >>> sound = np.kron(np.eye(2), np.full((3, 3), 0.9)) + 0.1
    >>> size = np.array([[1.0], [1.2], [1.1], [3.0], [2.9], [2.8]])
    >>> X = Sources({"sound": Pairwise(sound, "similarity"), "size": size})
    >>> model = FusionClassifier([
    ...     ("votes", NeighborsClassifier(5), "sound"),
    ...     ("sizes", LocalBDAClassifier(2), "size"),
    ... ]).fit(X, ["bat", "bat", "bat", "owl", "owl", "owl"])
    >>> query = Sources({
    ...     "sound": Pairwise(sound[:1], "similarity", same_samples=False), "size": [[1.9]]})
    >>> model.predict_proba(query).round(2)
    array([[0.79, 0.21]])
    >>> print(model.explain(query))
    query 0: bat
      score of bat: -0.09752
      score of owl: -1.671
      votes of bat: -0.5319
      votes of owl: -0.8855
      sizes of bat: -0.2588
      sizes of owl: -1.478
      prior of bat: 0.6931
      prior of owl: 0.6931
    """

    _link = "log"
    _far_out = True

    def __init__(
        self, components, *, prior="once", temper=None, calibration="temperature", costs=None
    ):
        self.components = components
        self.prior = prior
        self.temper = temper
        self.calibration = calibration
        self.costs = costs

    def get_params(self, deep=True):
        """Parameters; if `deep`, the components by name and theirs as ``name__parameter``."""
        parameters = super().get_params(deep=False)
        if deep and _well_formed(self.components):
            for name, estimator, _ in self.components:
                parameters[name] = estimator
                nested = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
                parameters |= {f"{name}__{key}": value for key, value in nested.items()}
        return parameters

    def set_params(self, **params):
        """Set parameters, whole components by their names, and theirs as ``name__parameter``."""
        if "components" in params:
            self.components = params.pop("components")
        names = [c[0] for c in self.components] if _well_formed(self.components) else []
        replaced = {name: params.pop(name) for name in names if name in params}
        if replaced:
            self.components = [(n, replaced.get(n, e), s) for n, e, s in self.components]
        return super().set_params(**params)

    def _check_training(self, X, y):
        self._check_parameters()
        return self._training_sources(X, y)

    def _check_queries(self, X):
        """What each component says of the queries, (m, n_components, n_classes)."""
        return self._log_posteriors(self._checked_sources(X)).swapaxes(0, 1)

    def _check_parameters(self):
        require_choice("prior", self.prior, PRIORS)
        if not _well_formed(self.components):
            raise InputError(
                "components must be a list of (name, estimator, source) with at least one entry."
            )
        for name, estimator, _ in self.components:
            if not isinstance(estimator, BaseEstimator):
                raise InputTypeError(
                    f"Component {name!r} is of type {type(estimator).__name__}; expected a "
                    "classifier, such as NeighborsClassifier()."
                )
        names = [name for name, _, _ in self.components]
        own = super().get_params(deep=False)
        for name in names:
            if names.count(name) > 1 or "__" in name or name in own:
                raise InputError(
                    f"A component cannot be named {name!r}; names must differ from each other "
                    f"and from {', '.join(own)}, and hold no double underscore."
                )

    def _fit(self, X, codes):
        self._fit_components(X, codes, lambda name, model, data, y: model.fit(data, y))
        self.exponents_ = np.ones(len(self.components))
        if self.temper is not None:
            self.exponents_ = self._tempered(X, codes)

    def _fit_components(self, X, codes, fit):
        y = self.classes_[codes]
        self.priors_ = self._shares(codes)
        self.components_ = {}
        for name, estimator, source in self.components:
            data = suited(named_source(X, source, f"Component {name!r}"), source, estimator)
            model = fit(name, clone(estimator), data, y)
            if not hasattr(model, "predict_proba"):
                raise InputError(
                    f"Component {name!r}, a {type(model).__name__}, gives no probabilities, so "
                    "it cannot be fused; choose parameters or a classifier with predict_proba."
                )
            self.components_[name] = model

    def _queries_of(self, X):
        """Yield each fitted component with its own queries."""
        for name, _, source in self.components:
            model = self.components_[name]
            data = named_source(X, source, f"Component {name!r}")
            yield name, model, suited(data, source, model)

    def _log_posteriors(self, X):
        """Finite logarithms (n_components, m, n_classes) of what each component says."""
        return np.stack([_log_posterior(model, data) for _, model, data in self._queries_of(X)])

    def _fused(self, terms, exponents):
        once = self.prior == "once"
        return fused(terms, exponents, np.log(self.priors_), once=once)

    def _scores(self, posteriors, rows):
        return self._fused(posteriors[rows].swapaxes(0, 1), self.exponents_)

    def _explain(self, posteriors):
        terms = posteriors.swapaxes(0, 1) * self.exponents_[:, None, None]
        told = dict(zip(self.components_, terms, strict=True))
        power = prior_exponent(self.exponents_, once=self.prior == "once")
        if power:
            told["prior"] = np.broadcast_to(power * np.log(self.priors_), terms[0].shape)
        return {"terms": told}

    def _tempered(self, X, codes):
        """Powers of the components, from their posteriors of held-out samples."""
        y = self.classes_[codes]
        terms, known = [], []
        for train, test in self._folds(codes):
            model = clone(self).set_params(temper=None, costs=None)
            model.fit(X[np.ix_(train, train)], y[train])
            if len(model.classes_) < len(self.classes_):
                raise InputError(
                    "temper needs every class in every training fold; use fewer folds, or "
                    "folds that are stratified."
                )
            terms.append(model._log_posteriors(X[np.ix_(test, train)]))
            known.append(codes[test])
        terms, known = np.concatenate(terms, axis=1), np.concatenate(known)
        found = best_exponents(terms, known, np.log(self.priors_), once=self.prior == "once")
        if not found.converged:
            warn(
                "The powers of the components did not converge; compare with temper=None.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found.values

    def _folds(self, codes):
        smallest = int(np.bincount(codes).min())
        if smallest < 2:
            raise InputError(
                "temper needs at least two samples of every class; the smallest has one. Use "
                "temper=None."
            )
        return stratified_splits("temper", self.temper, codes, smallest)

    @property
    def _path(self):
        """Paths of the components, unless powers have to be chosen for every candidate."""
        if self.temper is not None or not _well_formed(self.components):
            return ()
        return tuple(f"{name}__{key}" for name, e, _ in self.components for key in _path_of(e))

    @property
    def _simpler(self):
        return tuple(
            f"-{name}__{key[1:]}" if key.startswith("-") else f"{name}__{key}"
            for name, estimator, _ in self.components
            for key in getattr(estimator, "_simpler", ())
        )

    def _fit_path(self, X, codes, candidates):
        strange = {key for c in candidates for key in c} - set(self._path)
        if strange:
            raise InputError(f"{', '.join(sorted(strange))} of these components have no path.")
        self.exponents_ = np.ones(len(self.components))
        self.choices_, options = _choices(self.components, candidates)

        def fit(name, model, data, y):
            own = options[name]
            return model.fit_path(data, y, own) if own else model.fit(data, y)

        self._fit_components(X, codes, fit)

    def path_scores(self, X, of_rows=None):
        """Scores of queries for all candidates; see `ScoreClassifier.path_scores`."""
        check_is_fitted(self)
        posteriors = [
            _path_posteriors(model, data) if _path_of(model) else _log_posterior(model, data)[None]
            for _, model, data in self._queries_of(self._checked_sources(X))
        ]
        scores = []
        for choice in self.choices_:
            terms = [p[place] for p, place in zip(posteriors, choice, strict=True)]
            scores.append(self._fused(np.stack(terms), self.exponents_))
        scores = np.stack(scores)
        return scores if of_rows is None else of_rows(scores, slice(0, scores.shape[1]))


def _well_formed(components):
    """Whether components can be read at all; what they hold is checked at fit."""
    return (
        isinstance(components, (list, tuple))
        and len(components) > 0
        and all(isinstance(c, (list, tuple)) and len(c) == 3 for c in components)
        and all(isinstance(c[0], str) for c in components)
    )


def _path_of(estimator):
    has_scores = isinstance(estimator, ScoreClassifier) and estimator._link is not None
    return estimator._path if has_scores else ()


def _log_posterior(model, data):
    with np.errstate(divide="ignore"):  # scikit-learn's logarithms of zero
        if hasattr(model, "predict_log_proba"):
            return without_vetoes(model.predict_log_proba(data))
        return without_vetoes(np.log(model.predict_proba(data)))


def _path_posteriors(model, data):
    scores = enumerate(model.path_scores(data))
    return np.stack([without_vetoes(model._log_probabilities(s, place)) for place, s in scores])


def _choices(components, candidates):
    """Which of its own distinct candidates each component takes in each of all candidates.

    Returns
    -------
    list of tuples of positions, one tuple per candidate; dict of names to candidates
    """
    options, columns = {}, []
    for name, estimator, _ in components:
        path = _path_of(estimator)
        defaults = {key: getattr(estimator, key) for key in path}
        wanted = [
            defaults | {key: c[f"{name}__{key}"] for key in path if f"{name}__{key}" in c}
            for c in candidates
        ]
        distinct = list({repr(own): own for own in wanted}.values()) if path else []
        places = {repr(own): place for place, own in enumerate(distinct)}
        options[name] = distinct
        columns.append([places.get(repr(own), 0) for own in wanted])
    return list(zip(*columns, strict=True)), options
