"""What holds for all tests, whichever process runs them."""

import os

import pytest

# The test command runs one process per core. Threads of linear algebra that wait for a core
# which another test has use it up themselves: the tests take half the time without them.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tests import thinning  # noqa: E402, since Hypothesis may load NumPy


def pytest_configure(config):
    thinning.begin(config.option.markexpr)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is marked
def pytest_collection_modifyitems(items):
    thinning.thin(items)
