"""What takes objects or things of other libraries: similarities, neighbour tables, reports."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import similearn
from similearn import (
    NeighborsClassifier,
    NeighborTable,
    Pairwise,
    PairwiseSimilarity,
    SimilarityClassifier,
)
from similearn.similarities import parse_similarity, registry
from tests.fuzz.blocks import cut, size, table, whole
from tests.fuzz.drawing import Draw, told
from tests.fuzz.forms import formed
from tests.fuzz.label_forms import labels
from tests.fuzz.mutations import damaged
from tests.fuzz.outcomes import (
    BrokenPromise,
    require_finite,
    require_probabilities,
    require_readable,
)
from tests.fuzz.parameters import STRANGE, arguments, value

OBJECTS = {
    "words": lambda d, n: ["".join(d.rng.choice(list("abc"), d.pick([1, 3, 6]))) for _ in range(n)],
    "empty words": lambda d, n: [""] * n,
    "column of words": lambda d, n: np.array([[f"w{i % 4}"] for i in range(n)]),
    "vectors": lambda d, n: formed(d, d.rng.random((n, 4)), 0.3),
    "histograms": lambda d, n: d.rng.dirichlet(np.ones(4), n),
    "tables": lambda d, n: table(d, n, 0)[0],
    "images": lambda d, n: d.rng.random((n, 8, 8)),
    "sets": lambda d, n: [{i % 3, "a"} for i in range(n)],
    "series": lambda d, n: [d.rng.random(3 + i % 4) for i in range(n)],
    "categories": lambda d, n: np.array(["a", "b", "c"])[d.rng.integers(0, 3, (n, 4))],
    "None among": lambda d, n: [None, *["word"] * n][:n],
    "numbers": lambda d, n: list(range(n)),
    "mixed": lambda d, n: ["a", 1, None, 2.5, [1]][:n],
    "NaN": lambda d, n: np.full((n, 2), np.nan),
    "proteins": lambda d, n: ["".join(d.rng.choice(list("ACDEFGHIKL"), 8)) for _ in range(n)],
}


def _strange_function(d: Draw) -> Any:
    return d.pick(
        [
            lambda a, b: float(np.sum(np.asarray(a) == np.asarray(b))),
            lambda a, b: "x",
            lambda a, b: float("nan"),
            lambda a, b: None,
            lambda a, b: [1.0, 2.0],
            lambda a, b: 1e300,
            lambda a: 1.0,
            "nonsense",
            None,
            5,
        ]
    )


OF_FORM = {  # objects that suit a similarity, by words in its name
    "words": ("levenshtein", "edit", "jaro", "hamming", "ngram", "lcs", "compression"),
    "histograms": ("jensen", "hellinger", "kl", "chi", "bhatt", "intersection", "emd"),
    "images": ("tangent", "grey", "pyramid", "colour", "image"),
    "sets": ("tversky", "jaccard", "minhash", "overlap", "dice"),
    "series": ("warping", "dtw", "penalty"),
    "categories": ("value_difference", "category"),
    "proteins": ("smith", "needleman", "align"),
}


def _suiting(d: Draw, name: str, n: int) -> Any:
    """Objects for a similarity, most often of the form that it takes."""
    suited = [form for form, words in OF_FORM.items() if any(word in name for word in words)]
    if d.fault(0.3):
        return d.named(OBJECTS, n)
    form = suited[0] if suited else "vectors"
    d.tell(form)
    return OBJECTS[form](d, n)


def _similarity(d: Draw) -> Any:
    """A similarity by name, by a word of the shell, or with parameters."""
    if d.fault(0.2):
        return _strange_function(d)
    name = d.pick(sorted(registry))
    parameters = registry[name].get_params(deep=False)
    if not parameters or d.chance(0.5):
        return name
    drawn = d.pick(sorted(parameters))
    usual = parameters[drawn]
    numbers = [0, 1, 2, 3, 0.5, 1e-300, 1e300, -1, 7]
    fair = numbers if isinstance(usual, int | float) else [usual, None, True, "x"]
    given = d.pick(STRANGE) if d.fault(0.5) else d.pick(fair)
    if isinstance(given, int) and 10**4 < given < 2**63:
        given = 99  # how much work is to be done: a fair wish
    d.tell(f"{name}({drawn}={told(given)})")
    if d.chance(0.5):
        return registry[name].__class__(**{drawn: given}) if name != "" else name
    word = str(given).replace(",", " ")[:300]
    return parse_similarity(f"{name.replace('_', '-')}:{drawn}={word}")


def _name_of(function: Any) -> str:
    return function if isinstance(function, str) else str(getattr(function, "name", "") or "")


def _objects(d: Draw) -> None:
    function = _similarity(d)
    more = arguments(d, PairwiseSimilarity, ("function", "progress"))
    compare = PairwiseSimilarity(function, progress=False, **more)
    n = d.pick([0, 1, 2, 6] if d.fault(0.5) else [2, 6])
    d.tell(f"function={told(function)}, n={n}")
    objects = _suiting(d, _name_of(function), n)
    y = labels(d, n, 0.8)
    queries = d.named(OBJECTS, 2) if d.fault(0.3) else objects
    where = f"PairwiseSimilarity({_name_of(function)})"
    require_finite(compare.fit_transform(objects, y).values, where)
    require_finite(compare.transform(queries).values, where)


def _classified(d: Draw) -> None:
    """The default, or neighbours, on objects."""
    function = _similarity(d)
    n = d.pick([8, 12])
    objects = _suiting(d, _name_of(function), n)
    y = labels(d, n, 0.8)
    d.tell(f"function={told(function)}")
    if d.chance(0.2):
        model: Any = SimilarityClassifier(similarity=function, effort="quick", progress=False)
        model.fit(objects, y)
    else:
        compare = PairwiseSimilarity(function, progress=False)
        X = compare.fit_transform(objects, y)
        model = NeighborsClassifier(d.pick([1, 3])).fit(X, y)
        objects = compare.transform(objects)
    require_probabilities(model.predict_proba(objects), "predict_proba on objects")
    str(similearn.explain(model, objects))


def _neighbor_table(d: Draw) -> None:
    k = d.pick(STRANGE) if d.fault(0.3) else d.pick([1, 2])
    more = {"n_jobs": value(d, "n_jobs", None)} if d.chance(0.2) else {}
    if d.chance(0.4):
        more["path"] = d.pick(["table.npz", "x/table.npz", "t"])
    if d.fault(0.3):
        more["path"] = d.pick([None, "", ".", "x" * 300, 5, b"x", "/proc/x", "/dev/full", "a\0b"])
    if d.chance(0.4):
        n = size(d)
        X: Any = Pairwise(whole(d, n), d.pick(["similarity", "dissimilarity"]))
        function = None
    else:
        function = _similarity(d)
        X = _suiting(d, _name_of(function), d.pick([0, 1, 5] if d.fault(0.5) else [5, 9]))
    d.tell(f"neighbor_table(k={told(k)}, {told(function)}, {more})")
    given = {} if function is None else {"function": function, "progress": False}
    found = similearn.neighbor_table(X, k, **given, **more)
    require_finite(found.values, "neighbor_table")
    path = Path(str(more.get("path")))
    if path.is_file():
        path.write_bytes(damaged(d, path.read_bytes()))
        NeighborTable.load(path)


def _foreign(d: Draw) -> None:
    """Blocks of other libraries, and back."""
    import networkx
    import polars
    import pyarrow

    n = size(d)
    values = whole(d, n)
    makers = {
        "frame": lambda d, v: pd.DataFrame(v),
        "frame with ids": lambda d, v: pd.DataFrame(v, [f"s{i}" for i in range(n)]),
        "frame of ids": lambda d, v: pd.DataFrame(v).assign(id="x"),
        "empty frame": lambda d, v: pd.DataFrame(),
        "graph": lambda d, v: networkx.from_numpy_array(v),
        "digraph": lambda d, v: networkx.from_numpy_array(v, create_using=networkx.DiGraph),
        "multigraph": lambda d, v: networkx.MultiGraph(),
        "strange weights": lambda d, v: networkx.Graph([(0, 1, {"weight": d.pick(STRANGE)})]),
        "polars": lambda d, v: polars.DataFrame(v),
        "empty polars": lambda d, v: polars.DataFrame(),
        "arrow": lambda d, v: pyarrow.table({str(i): v[:, i] for i in range(v.shape[1])}),
        "array": lambda d, v: formed(d, v),
        "strange": lambda d, v: d.pick(STRANGE),
    }
    data = d.named(makers, values)
    kind = d.pick([None, "similarity", "dissimilarity", *([5, "x"] if not d.is_sound else [])])
    more = {"part": d.pick(["x", None, 5])} if d.fault(0.2) else {}
    X = similearn.as_pairwise(data, kind, **more)
    require_finite(X.values, "as_pairwise")
    back = d.pick([similearn.to_networkx, similearn.to_skbio])
    d.tell(back.__name__)
    if back is similearn.to_networkx or X.kind == "dissimilarity":
        back(X)


def _report(d: Draw) -> None:
    """A page of data or of a model."""
    n = d.pick([8, 12])
    kind = d.pick(["similarity", "dissimilarity"])
    X, queries = cut(d, whole(d, n + 3, kind), n, kind)
    y = labels(d, n, 0.5)
    path = d.pick(["report.html", "x/report.html"])
    if d.fault(0.3):
        path = d.pick(["", ".", "x" * 300, None, 5, "/dev/full", "-", "a\0b"])
    model = NeighborsClassifier(3, kind=kind).fit(X, y)
    more: dict[str, Any] = {}
    for name in ("title", "names", "random_state", "command"):
        if d.fault(0.3):
            more[name] = d.pick(STRANGE)
    if d.fault(0.3):
        X = queries if d.chance(0.5) else d.pick(STRANGE)
    what = d.pick(STRANGE) if d.fault(0.1) else model
    d.tell(f"write_report({told(what)}, {told(path)}, {more})")
    similearn.write_report(what, path, X=X, y=y, **more)
    page = Path(path).read_text() if Path(path).is_file() else "page"
    if "\x1b[31m" in page or "NaN" in page.split("<script", 1)[0]:
        raise BrokenPromise("unreadable", "report")


def _parsed(d: Draw) -> None:
    names = [*sorted(registry), "x", "", ":", "levenshtein:", "tversky-ratio:alpha"]
    rest = ["", ":alpha=1", ":x=1", ":alpha=" + "9" * 5000, ":=", ":alpha=[1]", ":\x1b[31m=1"]
    rest += [
        ":alpha=" + "(" * 500,
        ":normalized=True",
        ":alpha=1,alpha=2",
        ":alpha=__import__('os')",
    ]
    text = d.pick(names) + d.pick(rest)
    d.tell(text[:100])
    require_readable(str(parse_similarity(text)), "parse_similarity")


def _explained(d: Draw) -> None:
    n, m = size(d), 3
    kind = d.pick(["similarity", "dissimilarity"])
    X, queries = cut(d, whole(d, n + m, kind), n, kind)
    model = NeighborsClassifier(d.pick([1, 2]), kind=kind).fit(X, labels(d, n))
    given = arguments(
        d, similearn.explain, tuple(list(inspect.signature(similearn.explain).parameters)[:2])
    )
    explanation = similearn.explain(model, queries, **given)
    str(explanation), repr(explanation)


def _table_made(d: Draw) -> None:
    """`NeighborTable` of what may be no table."""
    neighbors = d.pick(
        [[[1], [0]], [[0], [1]], [[5], [0]], [[-1], [0]], [], [[1.5], [0]], None, "x"]
    )
    values = d.pick(
        [[[1.0], [2.0]], [[np.nan], [1]], [[np.inf], [1]], [[1]], None, "x", [["a"], ["b"]]]
    )
    kind = d.pick(["similarity", "dissimilarity", None, 5])
    d.tell(f"NeighborTable({neighbors}, {values}, {kind!r})")
    NeighborTable(neighbors, values, kind)


CALLS = {
    "objects": _objects,
    "objects again": _objects,
    "objects classified": _classified,
    "neighbor table": _neighbor_table,
    "neighbor table again": _neighbor_table,
    "NeighborTable": _table_made,
    "other libraries": _foreign,
    "report": _report,
    "parsed": _parsed,
    "explained": _explained,
}
