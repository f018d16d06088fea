"""Pages taken apart, and labels that try to run."""

import json
from html.parser import HTMLParser

import numpy as np

from similearn import Pairwise

_PAYLOADS = (
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    '"><svg onload=window.ran=1>',
    "'-window.ran=1-'",
    "</script><script>window.ran=1</script>",
    "{{7*7}}{% if 1 %}",
    "javascript:window.ran=1",
    "&lt;b&gt;",
    "<!--",
    "]]>",
    "${window.ran=1}",
    "\\u003cimg src=x onerror=window.ran=1\\u003e",
    "<a href=javascript:window.ran=1>",
    "<style>*{display:none}</style>",
    "<meta http-equiv=refresh content=0>",
    "\u202eevil\u2066",
    "שלום עולם",
    "\ud800 half",
    "\x1b[31m",
    "<iframe srcdoc='<script>parent.ran=1</script>'>",
)
HOSTILE = [f"{payload} {i}" for i in range(10) for payload in _PAYLOADS]
"""200 names that execute if anything is put into the page unescaped."""


def hostile_block():
    """200 samples with such ids, in 20 classes with such names."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 2)) + np.repeat(np.arange(20), 10)[:, None]
    S = np.exp(-np.square(points[:, None] - points).sum(axis=2))
    y = np.repeat(np.array(HOSTILE[:20], dtype=object), 10).astype(str)
    return Pairwise(S, "similarity", row_ids=HOSTILE, column_ids=HOSTILE), y


def two_methods():
    """Records of two methods over six splits."""
    return [
        {"problem": "p", "method": m, "split": s, "error": 0.1 * (m == "knn") + 0.01 * s}
        | {"log_loss": 0.2, "fit_seconds": 0.1, "predict_seconds": 0.1, "parameters": {}}
        | {"converted": False, "n_train": 48, "n_test": 12, "warnings": []}
        for m in ("knn", "krr-knn")
        for s in range(6)
    ]


class _Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, {name: value or "" for name, value in attributes}))


def elements(page):
    """(tag, attributes) of every element."""
    parser = _Elements()
    parser.feed(page)
    return parser.found


def data_of(page):
    """What the page's script reads."""
    begin = page.index('id="report-data">') + len('id="report-data">')
    return json.loads(page[begin : page.index("</script>", begin)])
