"""What public fitted attributes mean: one meaning for each name, whatever class has it.

GLOSSARY.md shows the same table, and a test compares the two with what estimators have. Classes of
the shell name the attributes that they set in ``_sets``; docstrings of classes that stand on them
get these lines, unless they say more themselves.
"""

import re

ATTRIBUTES = {
    "A_": "matrix of the quadratic form that combines dissimilarities",
    "asymmetric_": "whether the training block was asymmetric",
    "best_estimator_": "the best candidate of a search, fitted to all data",
    "best_index_": "its place in ``cv_results_``",
    "best_params_": "its parameters",
    "best_score_": "its mean score",
    "calibration_": "inverse temperature and smoothing of probabilities, or None",
    "calibration_priors_": "(n_classes,) shares of the classes that smoothed probabilities tend to",
    "candidates_": "parameters of the candidates of a path, after `fit_path`",
    "centre_": "(n,) what squared distances of queries are centred by, or None",
    "centroids_": "(n_classes,) positions of the centroids among the training samples",
    "choices_": "candidates of components, and those that cross-validation chose",
    "chosen_": "the similarity that 'auto' chose",
    "class_members_": "positions of the training samples of each class",
    "class_tables_": "rows of the training samples of each class, ready to be searched",
    "classes_": "(n_classes,) labels",
    "codes_": "(n,) positions in ``classes_`` of the training labels",
    "coef_": "(n_pairs, n) coefficients of the machine of each pair of classes",
    "combiner_": "the fitted combiner",
    "comparison_": "the fitted `PairwiseSimilarity`, or None where no objects are compared",
    "comparisons_": "names and fitted `PairwiseSimilarity` of several similarities",
    "component_weights_": "weights of the components of mixtures",
    "components_": "names and fitted estimators of what is fused",
    "converged_": "whether the solver reached its tolerance",
    "conversion_maximum_": "the dissimilarity that became the similarity 0 at the door, or None",
    "counts_": "(n_classes,) training samples of each class",
    "cuts_": "thresholds of pairs in the units in which they are compared",
    "cv_results_": "table of the candidates of a search, as of `GridSearchCV`",
    "cv_scores_": "held-out accuracies of candidates, or None",
    "densities_": "densities of the classes, one each",
    "discriminant_": "weights of the rows of queries, and offsets, for each class",
    "doors_": "what checks each source, and its unit",
    "duals_": "(n, n_pairs) coefficients yᵢαᵢ of the machine of each pair of classes",
    "eigenvalues_": "eigenvalues of the training block, all or those kept, or None",
    "exponents_": "exponents of fused components",
    "farness_": "sign, unit and power that make entries of a block comparable as far",
    "farthest_": "the training value that is farthest, which unknown entries count as",
    "feature_names_in_": "names of the columns of X, where it had any",
    "function_": "the fitted similarity",
    "gamma_": "the width of a Gaussian of rows that is used",
    "gap_": "relative duality gap",
    "gaps_": "(n_pairs,) relative duality gaps of the machines of pairs of classes",
    "global_log_norms_": "(n_classes, n_classes) log-normalizers of the pmfs of whole classes",
    "global_means_": "(n_classes,) mean similarities within whole classes",
    "global_rates_": "(n_classes, n_classes) rates of the pmfs of whole classes",
    "graph_": "neighbours of each training sample that an approximate search walks along",
    "held_out_": "probabilities of the training labels when their samples were held out",
    "history_": "what was reached by each iteration",
    "intercept_": "(n_pairs,) constants of the machines of pairs of classes",
    "kind_": "what the training block holds, similarities or dissimilarities, or None",
    "labels_": "(n,) labels of the training objects",
    "large_is_near_": "whether large values are near",
    "leaderboard_": "table of all that was tried",
    "log_likelihoods_": "log-likelihoods of fitted mixtures",
    "log_norms_": "log-normalizers of pmfs",
    "losses_": "loss of the training samples after each round",
    "map_": "matrix that takes similarities of queries to features",
    "maximum_": "the largest training value, or None",
    "mean_weights_": "(n_classes,) mean weights of the training samples of each class",
    "means_": "mean similarities of classes to centroids",
    "medoids_": "positions of the centroids of each class among the training samples",
    "members_": "fitted methods that are combined",
    "multimetric_": "whether several scores were computed",
    "n_components_": "number of features made",
    "n_estimators_": "rounds that vote",
    "n_features_in_": "columns of X: training samples, of a block",
    "n_iter_": "iterations of the solver",
    "n_negative_": "negative values that the last `transform` clipped",
    "n_prototypes_": "number of ``prototypes_``",
    "n_splits_": "folds",
    "names_": "names of the sources that are combined",
    "neighbors_": "the fitted `NeighborsClassifier` of combined dissimilarities",
    "notes_": "sentences about what was done otherwise than asked",
    "objectives_": "(n_pairs,) objectives of the machines of pairs of classes",
    "oof_proba_": "probabilities of samples by models that did not see them",
    "oof_scores_": "scores of samples by models that did not see them",
    "pairs_": "pairs of training samples, by their positions, that queries are compared with",
    "places_": "``pairs_`` by their positions in ``prototypes_``",
    "pmf_support_": "Ω, the values that a similarity can take",
    "priors_": "(n_classes,) probabilities of the classes before anything is seen",
    "prototypes_": "positions of the training samples that queries are compared with",
    "rate_table_": "rates of pmfs by their means",
    "rates_": "rates λ of pmfs",
    "recall_": "share of the true neighbours that an approximate search found",
    "reference_ids_": "names of the training samples, or None",
    "references_": "the training objects",
    "refit_time_": "seconds of the last fit of a search",
    "regularizers_": "what pmfs of neighbourhoods are mixed with, for each size",
    "ridge_": "the ridge that is used, or None",
    "root_mean_square_": "root mean square of the training dissimilarities, or None",
    "rows_": "training rows that rows of queries are compared with, or None",
    "sample_weights_": "(n,) weights of the training samples, or None",
    "samples_": "the training samples as neighbourhoods are searched in them",
    "scale_": "what the exponent of a Gaussian is divided by",
    "scales_": "what sources are divided by in learning",
    "scorer_": "what scores the candidates of a search",
    "searched_by_path_": "whether one fit scored several candidates",
    "searches_": "what finds neighbours in each source",
    "selection_": "sources in the order in which they were chosen, or None",
    "signature_": "how many ``eigenvalues_`` are positive and negative",
    "similarities_": "symmetric part of the training block; the block itself if it is lazy",
    "source_names_": "names of the sources it was fitted to",
    "sources_": "names of the sources that vote",
    "spectrum_": "eigenvalues and eigenvectors of the training block, where queries need them",
    "spectrum_map_": "the linear map by which a spectrum is modified, or None",
    "squares_": "squared lengths of ``rows_``",
    "support_": "positions of the training samples with a coefficient that is not zero",
    "table_columns_": "names of the columns of each source that is a table, where it has some",
    "tables_": "what compares the rows of each source that is a table",
    "thresholds_": "thresholds of pairs in the units of the data",
    "trees_": "trees that vote",
    "unit_": "power of two by which values are divided; 1 for sizes within 1e±30",
    "unit_gamma_": "``gamma_`` for values divided by ``unit_``",
    "units_": "``unit_`` of each source",
    "validation_losses_": "log-loss of held-out samples after each round",
    "votes_": "votes of the leaves of boosted pairs",
    "weights_": "weights of what is combined, which sum to one",
}

_SECTION = re.compile(
    r"^( *)Attributes\n *-+\n(?:.*\n)*?(?=^ *\n *\S.*\n *-{3,}$|^ *\Z)", re.MULTILINE
)


def forget_fitted(model):
    """Remove the public attributes of a fit."""
    for name in [n for n in vars(model) if n.endswith("_") and not n.startswith("_")]:
        delattr(model, name)


def with_attributes(docstring, names):
    """Return a docstring whose section of attributes tells these as well, where it does not yet."""
    section = _SECTION.search(docstring)
    if section is None:
        return docstring
    indent, told = section.group(1), section.group(0)
    known = documented(told)
    lines = [f"{indent}{name} : {ATTRIBUTES[name]}\n" for name in names if name not in known]
    end = section.start() + len(told.rstrip()) + 1
    return docstring[:end] + "".join(lines) + docstring[end:]


def documented(docstring):
    """Names that a section of attributes tells, or that of a whole docstring."""
    section = _SECTION.search(docstring)
    if section is None:
        return set()
    heads = re.findall(rf"^{section.group(1)}(\S.*?) : ", section.group(0), re.MULTILINE)
    return {name.strip() for head in heads for name in head.split(",")}
