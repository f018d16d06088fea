"""Exceptions and warnings: every one of ours is a `SimilearnError` or a `SimilearnWarning`."""


class SimilearnError(Exception):
    """Base of all errors raised on purpose by similearn."""


class InputError(SimilearnError, ValueError):
    """A value, shape or kind that cannot be used; the message says what to do next."""


class InputTypeError(SimilearnError, TypeError):
    """Something that is not numbers, a block or labels at all."""


class FileError(SimilearnError, ValueError):
    """A file that cannot be read; the message names the file and the place in it."""


class MissingDataError(FileError):
    """A data set is not in the folder where it was looked for; the message says which file."""


class MissingExtraError(SimilearnError, ImportError):
    """An optional dependency is not installed; the message names the extra."""


class SimilearnWarning(UserWarning):
    """Base of all warnings given by similearn."""


class KindWarning(SimilearnWarning):
    """A similarity looks like a dissimilarity, or the other way round."""


class AsymmetryWarning(SimilearnWarning):
    """The training block is asymmetric and the reverse direction of a query is unknown."""


class ConvergenceWarning(SimilearnWarning):
    """An iterative solver stopped before its tolerance was reached."""
