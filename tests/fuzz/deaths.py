"""Deaths that a child may die; apart from the cases, so that children are quick to start."""

import itertools
import os
import signal
import subprocess
import sys
import time

import numpy as np

from tests.fuzz.outcomes import outcome_of

BUSY = "import time\nwhile time.process_time() < 1: time.sleep(0.02) or sum(range(200_000))"


def die(case, tell):
    """Play a death, by number."""
    tell("dying")
    deaths = {
        0: lambda: os.kill(os.getpid(), signal.SIGSEGV),
        1: lambda: [sum(range(10_000)) for _ in itertools.count()],
        2: lambda: np.ones(1 << 28).sum() and None,
        3: lambda: time.sleep(600),
        4: lambda: subprocess.run([sys.executable, "-c", BUSY], check=True) and None,
        5: lambda: None,
    }
    return outcome_of(deaths[case[2]])
