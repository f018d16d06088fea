"""The registry with all similarities in it: importing this module enters them."""

from importlib import import_module

from similearn.similarities import HOMES
from similearn.similarities.shell.registering import register, registry

__all__ = ["register", "registry"]

for _home in HOMES:
    import_module(f"similearn.similarities.{_home}")
