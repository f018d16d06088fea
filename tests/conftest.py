"""What holds for all tests, whichever process runs them."""

import os

# The test command runs one process per core. Threads of linear algebra that wait for a core
# which another test has use it up themselves: the tests take half the time without them.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
