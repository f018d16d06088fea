"""`PairwiseSimilarity`."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from similearn import PairwiseSimilarity

CHECKED = [PairwiseSimilarity("euclidean"), PairwiseSimilarity("value_difference")]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_check(estimator, check):
    check(estimator)
