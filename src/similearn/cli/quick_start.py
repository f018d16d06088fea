"""scikit-learn without the modules that it imports and hardly ever uses.

It imports parts of SciPy and NumPy and, where it is installed, pandas, whatever one wants of it:
two thirds of the time that `similearn predict` took to begin. In the process of such a command, and
nowhere else, it gets empty modules instead, which are filled when something is taken from them.
The library itself does no such thing to programs that import it.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_LATER = ("numpy.f2py", "pandas", "scipy.special", "scipy.stats")


class _Later(ModuleType):
    """A module that becomes the real one when an attribute is asked for that it has not."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):  # asked by the machinery of imports
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        real = import_module(self.__name__)
        vars(self).update(vars(real))  # for those who hold this one
        return getattr(real, name)


def import_scikit_learn() -> None:
    """Import what all estimators stand on; what it imports besides waits until it is used."""
    for name in _LATER:
        _put_off(name)
    import_module("sklearn.base")
    # Others ask `sys.modules` whether pandas is in use, and then whether they got a frame.
    if isinstance(sys.modules.get("pandas"), _Later):
        del sys.modules["pandas"]


def _put_off(name: str) -> None:
    found = None if name in sys.modules else find_spec(name)
    if found is None or found.submodule_search_locations is None:
        return
    module = _Later(name)
    module.__spec__, module.__file__ = found, found.origin
    module.__path__ = found.submodule_search_locations
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
