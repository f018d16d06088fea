"""Which score of lists of pairs a model was fitted to, so that new lists are read alike."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from similearn.data.edges.pair_files import OF_HITS
from similearn.data.edges.pair_layouts import pair_layout, search_layout
from similearn.data.files.locating import existing
from similearn.data.formats.recognizing import format_of, head_lines
from similearn.errors import InputError
from similearn.experiments.models.model import Model

_OF_PAIRS = {"pairs", "hits", "table"}  # a table is read as pairs where a score is asked for


def score_read(paths: Sequence[Path], options: Mapping[str, Any]) -> str | None:
    """The score that training samples are read with: what was asked for; of hits, the usual one."""
    forms = [format_of(existing(path, folders=True), options.get("format")) for path in paths]
    if options.get("score") is not None:
        return str(options["score"]) if {*forms} & _OF_PAIRS else None
    return OF_HITS[0] if forms == ["hits"] else None


def with_score_of(model: Model, path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of reading new samples, with the model's score where a file has several.

    Raises
    ------
    InputError
        If another score is asked for.
    """
    asked = options.get("score")
    if model.score is None:
        return dict(options)
    if asked is not None and _is_another(str(asked), model.score):
        raise InputError(
            f"score={asked} is another score than the model was fitted to, which is {model.score}: "
            "its answers would be wrong. Leave score out, as the model knows it; or fit another "
            "model."
        )
    if asked is not None or not _has_several(path, options.get("format"), model.score):
        return dict(options)
    return {**options, "score": model.score}


def _is_another(asked: str, known: str) -> bool:
    """Whether scores differ; a name may be the number of a column where files have no header."""
    if asked == known:
        return False
    return asked.isdecimal() == known.isdecimal() or bool({asked, known} & set(OF_HITS))


def _has_several(path: Path, format: str | None, score: str) -> bool:
    """Whether a file lists pairs with several columns; three columns have no choice."""
    if not path.is_file():
        return False  # whoever reads it has a sentence for that
    form = format_of(path, format)
    if form not in _OF_PAIRS:
        return False
    lines = head_lines(path)
    found = search_layout(lines) if form == "hits" else pair_layout(lines, scored=True)
    return found is not None and (found.width > 3 or found.column(score) is not None)
