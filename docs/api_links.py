"""What a page of the API points to: its neighbours in the list, methods that use it, pages."""

import re
from collections import defaultdict
from pathlib import Path

from sklearn.base import BaseEstimator

from similearn.experiments.registry import methods

DOCS = Path(__file__).parent
FOLDERS = ("start", "guide", "methods")


def api_links():
    """For every name of the API: ``siblings``, ``methods`` and ``pages``, each in its order."""
    users, pages = _methods_by_class(), _pages_by_word()
    links = {}
    for module, names in _groups():
        for name in names:
            links[f"{module}.{name}"] = {
                "siblings": [f"{module}.{other}" for other in names if other != name][:12],
                "methods": users[name],
                "pages": pages[name],
            }
    return links


def _groups():
    """Modules and names of the tables of the API, table by table."""
    module = ""
    text = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    for part in re.split(r"^(?=\.\. )", text, flags=re.MULTILINE):
        if found := re.match(r"\.\. currentmodule:: (.+)", part):
            module = found[1]
        if part.startswith(".. autosummary::"):
            yield module, re.findall(r"^   (\w+)$", part, flags=re.MULTILINE)


def _pages_by_word():
    """Pages of the guide, by the names that they hold; a plain word is one where it is code."""
    pages = defaultdict(list)
    for folder in FOLDERS:
        for page in sorted((DOCS / folder).glob("*.rst")):
            text = page.read_text(encoding="utf-8")
            words = re.findall(r"\w*[A-Z_]\w*|(?<=similearn\.)\w+|(?<=`)\w+(?=`)|\w+(?=\()", text)
            for word in set(words):
                pages[word].append(f"/{folder}/{page.stem}")
    return pages


def _methods_by_class():
    """Names of the command line's methods, by the classes that they are built of."""
    users = defaultdict(list)
    for method in methods():
        for name in sorted({type(part).__name__ for part in _parts(method.build("similarity"))}):
            users[name].append(method.name)
    return users


def _parts(estimator):
    """An estimator, and all that it holds among its parameters."""
    yield estimator
    for value in estimator.get_params(deep=True).values():
        if isinstance(value, BaseEstimator):
            yield value
