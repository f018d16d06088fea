"""What a page of the API points to: its neighbours in the list, methods that use it, pages.

Pages of similarities say besides what a similarity says of itself.
"""

import math
import re
from collections import defaultdict
from pathlib import Path

from sklearn.base import BaseEstimator

from similearn.experiments.registry import methods
from similearn.similarities import registry

DOCS = Path(__file__).parent
FOLDERS = ("start", "guide", "methods")


def api_links():
    """For every name of the API: ``siblings``, ``methods``, ``pages`` and, in brief, what it is."""
    users, pages, called = _methods_by_class(), _pages_by_word(), _names_of_similarities()
    links = {}
    for module, names in _groups():
        for name in names:
            links[f"{module}.{name}"] = {
                "siblings": [f"{module}.{other}" for other in names if other != name][:12],
                "methods": users[name],
                "pages": _unique(page for word in (name, *called[name]) for page in pages[word]),
                "brief": _brief(called[name]),
            }
    return links


def _unique(pages):
    return list(dict.fromkeys(pages))


def _names_of_similarities():
    """Names of the registry, by the classes of the similarities."""
    called = defaultdict(list)
    for name, similarity in registry.items():
        called[type(similarity).__name__].append(name)
    return called


def _brief(names):
    """What a similarity says of itself, in sentences; nothing for all else."""
    if not names:
        return ""
    similarity = registry[names[0]]
    spelled = ", ".join(f"``{name.replace('_', '-')}``" for name in sorted(names))
    called = f"Called {spelled}, in ``similarity=`` and in the shell."
    if len(names) > 1:  # each with bounds of its own
        return f"{called} Each is a {similarity.kind}."
    order = "symmetric" if similarity.symmetric else "asymmetric"
    low, high = (f"{bound:g}" for bound in similarity.range)
    bounds = [f"from {low}"] if math.isfinite(similarity.range[0]) else []
    bounds += [f"up to {high}"] if math.isfinite(similarity.range[1]) else []
    within = f", with values {' '.join(bounds)}" if bounds else ""
    needs = similarity.requires
    extra = f" It needs ``pip install 'similearn[{needs[1]}]'``." if needs else ""
    learned = " It is learned from training labels." if similarity.learned else ""
    return f"{called} By default a {similarity.kind}, {order}{within}.{learned}{extra}"


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
            words += re.findall(r'"(\w+)"', text)  # a similarity by its name
            words += [word.replace("-", "_") for word in re.findall(r"--similarity ([\w-]+)", text)]
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
