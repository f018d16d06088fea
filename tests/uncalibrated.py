"""Classifiers whose probabilities are those of their own formulas, for tests of these formulas."""

from functools import partial

import similearn

BDAClassifier = partial(similearn.BDAClassifier, calibration="none")
CDNNClassifier = partial(similearn.CDNNClassifier, calibration="none")
DBoostClassifier = partial(similearn.DBoostClassifier, calibration="none")
DissimilarityVoteClassifier = partial(similearn.DissimilarityVoteClassifier, calibration="none")
FusedNeighborsClassifier = partial(similearn.FusedNeighborsClassifier, calibration="none")
FusionClassifier = partial(similearn.FusionClassifier, calibration="none")
IndefiniteFisherClassifier = partial(similearn.IndefiniteFisherClassifier, calibration="none")
LocalBDAClassifier = partial(similearn.LocalBDAClassifier, calibration="none")
LocalSDAClassifier = partial(similearn.LocalSDAClassifier, calibration="none")
MixtureSDAClassifier = partial(similearn.MixtureSDAClassifier, calibration="none")
NeighborsClassifier = partial(similearn.NeighborsClassifier, calibration="none")
NormalClassifier = partial(similearn.NormalClassifier, calibration="none")
SDAClassifier = partial(similearn.SDAClassifier, calibration="none")
