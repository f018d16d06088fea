"""What a model is and what it expects, in words."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from similearn.experiments.models.model import Model
from similearn.experiments.things.comparing_objects import comparisons_in
from similearn.similarities import spelled

_MOST_CLASSES = 12
_INDENT = 13
_COMMAND = "Use it"


def told_model(model: Model, name: str = "MODEL", width: int | None = None) -> str:
    """Return lines on its method, classes, references, similarity, validation and use.

    Parameters
    ----------
    model : fitted
    name : of its file, for the command to type
    width : of the lines, but for the command, which is to be copied; any width if None
    """
    return "\n".join(_line(title, text, width) for title, text in _lines(model, name))


def _line(title: str, text: str, width: int | None) -> str:
    head = f"{title + ':':<{_INDENT}}"
    if width is None or title == _COMMAND:
        return head + text
    room = max(width, 2 * _INDENT)
    return textwrap.fill(text, room, initial_indent=head, subsequent_indent=" " * _INDENT,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip


def _lines(model: Model, name: str) -> Iterator[tuple[str, str]]:
    chosen = ", ".join(f"{key} = {value}" for key, value in model.parameters.items())
    yield "Method", model.method + f" ({chosen})" * bool(chosen)
    parts = _members(model.estimator)
    if parts:
        yield "made of", parts
    yield "Classes", f"{len(model.classes)}: {_listed([str(one) for one in model.classes])}"
    of = model.what or "samples"
    ids = "" if model.training_ids is None else f", such as {model.training_ids[0]}"
    yield "References", f"{model.n_training} {of}{ids}"
    if model.columns:
        yield "columns", _listed(model.columns)
    if model.column:
        yield "column", model.column
    yield "Compared", _compared(model)
    if model.score:
        yield "score", f"{model.score}, of lists of pairs"
    for note in _conversions(model.estimator):
        yield "converted", note
    costs = _costs(model.estimator)
    if costs:
        yield "Costs", costs
    yield "Validated", model.validation or "not known"
    yield "Made", f"{model.created.replace('T', ' ')[:16]} UTC, by similearn {model.version}"
    yield "Expects", _expected(model)
    yield _COMMAND, f"similearn predict {name} {_new_files(model)} -o predicted.csv"


def _compared(model: Model) -> str:
    compared = comparisons_in(model.estimator)
    if compared:
        kinds = {name: one.function_.kind for name, one in compared.items()}
        return ", ".join(f"by {name} (a {kind})" for name, kind in kinds.items())
    if model.sources is not None:
        tables = model.tables or {}
        matrices = [name for name in model.sources if name not in tables]
        told = f"by {len(matrices)} matri{'x' if len(matrices) == 1 else 'ces'}"
        beside = [f"{name} ({_listed(columns)})" for name, columns in tables.items()]
        features = f", and by features: {', '.join(beside)}" if beside else ""
        return f"{told}: {', '.join(matrices)}{features}"
    return f"by a matrix ({model.kind})"


def _members(estimator: Any) -> str:
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    members = getattr(last, "members_", [])
    weights = last.weights_ if members else []
    return ", ".join(f"{one.told} {w:.2f}" for one, w in zip(members, weights, strict=True))


def _costs(estimator: Any) -> str:
    """What mistakes cost where they do not all cost one; decisions mind it."""
    costs = getattr(estimator[-1] if hasattr(estimator, "steps") else estimator, "costs", None)
    if costs is None:
        return ""
    if isinstance(costs, str):
        return "missing a class costs the more, the rarer the class is"
    if not isinstance(costs, Mapping):
        return "of a matrix, which decisions mind"
    told = [f"{value:g} for deciding {d} where {t} is true" for (d, t), value in costs.items()]
    return _listed(told)


def _conversions(estimator: Any) -> list[str]:
    """Where dissimilarities became similarities."""
    steps = [step for _, step in estimator.steps] if hasattr(estimator, "steps") else [estimator]
    largest = [getattr(step, "conversion_maximum_", None) for step in steps]
    return [f"dissimilarities d to 1 - d / {one:.4g}" for one in largest if one is not None]


def _expected(model: Model) -> str:
    if model.what is not None:
        names = f" with the columns {_listed(model.columns)}" if model.columns else ""
        names = f", of a table in the column {model.column}" if model.column else names
        return f"a file of {model.what}{names}; or - to read them from standard input"
    each = "a file for each matrix: its " if model.sources is not None else "a file whose "
    by_id = " in their order"
    if model.training_ids is not None:
        by_id = ", found by their ids, or a list of pairs of new and known ids"
    return (
        f"{each}rows are new samples, whose {model.n_training} columns are the references{by_id}"
        + "; and the features of the new samples" * bool(model.tables)
    )


def _new_files(model: Model) -> str:
    if model.sources is not None:
        tables = model.tables or {}
        return " ".join(
            f"--features new-{name}.csv" if name in tables else f"new-{name}.csv"
            for name in model.sources
        )
    return "new.fasta" if str(model.what).startswith("sequences") else "new.csv"


def _listed(words: list[str]) -> str:
    more = len(words) - _MOST_CLASSES
    return ", ".join(words[:_MOST_CLASSES]) + (f" and {more} more" if more > 0 else "")


def told_parameters(similarity: Any) -> str:
    """The parameters of a similarity with their usual values, as the shell takes them."""
    usual = similarity.get_params(deep=False)
    return ", ".join(f"{name}={value}" for name, value in usual.items()) or ""


def similarity_rows() -> list[tuple[str, str, str, str, str]]:
    """Name, what it takes, kind, what it does, parameters of every similarity, by what it takes."""
    from similearn.similarities import registry
    from similearn.similarities.shell.what_taken import TAKES, taken_by

    rows = []
    for one in registry.values():
        takes = taken_by(one)
        kind = one.kind + ("" if one.symmetric else ", asymmetric")
        kind += ", learned from labels" if one.learned else ""
        rows.append((spelled(one.name), takes, kind, _summary(one), told_parameters(one)))
    return sorted(rows, key=lambda row: (TAKES.index(row[1]), row[0]))


def _summary(similarity: Any) -> str:
    """The first sentence of its docstring, without its mathematics."""
    first = (type(similarity).__doc__ or "").strip().split("\n\n")[0]
    return " ".join(first.split()).replace("`", "")
