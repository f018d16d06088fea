"""The library's sentences in the words of the shell: options instead of parameters."""

import re
import shlex

_OPTIONS = {
    "kind": "--kind",
    "labels": "--labels",
    "part": "--part",
    "format": "--format",
    "missing": "--missing",
    "score": "--score",
    "repeated": "--repeated",
    "what": "--objects",
    "column": "--column",
    "similarity": "--similarity",
    "method": "--method",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "scoring": "--scoring",
    "class_weight": "--class-weight",
    "costs": "--costs",
    "coverage": "--coverage",
}
_PLACEHOLDERS = {"kind": "similarity|dissimilarity", "format": "NAME", "what": "WHAT"}
_WHOLE = {
    "Leave score out": "Leave --score out",
    "say directed=False": "say --undirected",
    " (on the command line: --kind similarity)": "",
    "labels=('FILE', 'COLUMN')": "--labels FILE:COLUMN",
    "labels='...'": "--labels FILE",
    "Pass Pairwise(values, kind, reverse=...) to use the mean of both directions.": "Give the "
    "other direction by --reverse FILE, or list both in one file of pairs, to use their mean.",
    "neighbours are found by ψ(query, reference) alone": "neighbours are found by what new samples "
    "are to the known ones alone",
    "Leave kind out; to convert, see similearn.convert.": "Leave --kind out.",
    "give test blocks their reverse=, and use convert.symmetrize before a kernel method": "a "
    "list of pairs, or a file with old and new samples, tells both for new ones",
    "keep the papers' grids by scaling with convert.minmax_scale, queries by the training block's "
    "bounds": "the default, and --method auto, follow them",
    "start with NeighborsClassifier": "start with --method knn",
    "use RowRBFSimilarity or PrototypeFeatures": "use --method rbf-sim-knn or features-rbf-svm",
    "give costs= rather": "give --costs FILE rather",
    "convert.minmax_scale brings them to 0 .. 1": "--method auto takes them as they are",
    " Any function of two objects can be passed instead.": " `similearn similarities` lists them "
    "all.",
    "see similearn.convert": "convert it before",
    "by similearn.convert.fill_missing, or by missing='fill' where a file is read": "by --missing "
    "fill",
    "column and what say how": "--column and --objects say how",
    " Pass dense values with NaN.": "",
    "pass Pairwise(X, 'dissimilarity')": "say --kind dissimilarity",
    "pass Pairwise(X, 'similarity')": "say --kind similarity",
    "Negative values in data passed to DissimilarityToSimilarity": "There are negative values",
    "If large means near, these are similarities.": "If large means near, say --kind similarity.",
    "If both directions will be known, pass Pairwise(X, kind).": "A list of pairs tells both.",
    "name a similarity, or 'auto'": "say --similarity NAME, or --similarity auto",
}
_MEANT = re.compile(r"(?<=Did you mean )'\w+'(?: or '\w+')*(?=\?)")
"""Names of similarities, which `similearn similarities` spells with hyphens."""
_OF_FILE = re.compile(r"labels=\(Path\('([^']*)'\), '([^']*)'\)")
_ASSIGNED = re.compile(rf"\b({'|'.join(_OPTIONS)})=('[^']*'|[\w.-]+)")


def in_shell_words(text: str) -> str:
    """Return a sentence with options of the command line for parameters of Python.

    Examples
    --------
    >>> in_shell_words("Say it: kind='similarity'.")
    'Say it: --kind similarity.'
    """
    for said, told in _WHOLE.items():
        text = text.replace(said, told)
    text = _MEANT.sub(lambda found: found[0].replace("_", "-").replace("'", ""), text)
    text = _OF_FILE.sub(lambda found: f"--labels {shlex.quote(':'.join(found.groups()))}", text)
    return _ASSIGNED.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    name, value = found.group(1), found.group(2).strip("'")
    value = _PLACEHOLDERS.get(name, "NAME") if value == "..." else shlex.quote(value)
    return f"{_OPTIONS[name]} {value}"
