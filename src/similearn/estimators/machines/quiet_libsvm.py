"""scikit-learn's libsvm without its warnings, which our own say better."""

import threading
import warnings

import numpy as np
from sklearn.svm import SVC

# Filters of warnings belong to the process: one machine at a time may change them.
_QUIET = threading.Lock()


class QuietSVC(SVC):
    """libsvm without its warning of unfinished steps, which ``fit_status_`` tells as well.

    Filters of warnings would belong to the process, and machines are fitted in threads.
    """

    def _warn_from_fit_status(self):
        pass

    def _validate_targets(self, y):
        """Class codes are plainly labels: looking at them took longer than a small machine."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2 or self.class_weight is not None:
            return super()._validate_targets(y)
        self.class_weight_ = np.ones(len(self.classes_))
        return codes.astype(np.float64)


def quiet_fit(svc, kernel, codes, weights=None):
    """Fit without foreign warnings: many classes of few samples are no regression."""
    if 2 * (codes.max(initial=0) + 1) <= len(codes):
        svc.fit(kernel, codes, weights)
        return
    with _QUIET, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        svc.fit(kernel, codes, weights)
