import pytest

from similearn.experiments.comparisons import runner
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.models import model_fitting


@pytest.fixture
def two_folds(monkeypatch):
    """Two of the folds by which parameters are tuned: enough to choose among few points."""
    for user in (model_fitting, runner):
        monkeypatch.setattr(user, "tuning_folds", lambda *given: tuning_folds(*given)[:2])
