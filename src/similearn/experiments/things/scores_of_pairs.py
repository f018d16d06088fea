"""Which score of lists of pairs a model was fitted to, so that new lists are read alike."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from similearn.data.edges.pair_files import OF_HITS
from similearn.data.edges.pair_layouts import PairLayout, pair_layout, search_layout
from similearn.data.files.locating import existing
from similearn.data.formats.recognizing import format_of, head_lines
from similearn.errors import InputError
from similearn.experiments.models.model import Model

_OF_PAIRS = {"pairs", "hits", "table"}  # a table is read as pairs where a score is asked for
_RAW = "raw "
"""Before the name of a score of hits that is changed where its name is given: this one was not."""
_OF_SEARCH = 12  # columns of hits that have a name, whether there is a header or not


def score_read(paths: Sequence[Path], options: Mapping[str, Any]) -> str | None:
    """The score that training samples are read with: what was asked for; of hits, the usual one.

    A number becomes the name of the column, if it has one: in other files it is another column.
    The e-values and identities of hits, which a number takes as they are, become "raw evalue" and
    "raw identity".
    """
    forms = [format_of(existing(path, folders=True), options.get("format")) for path in paths]
    if options.get("score") is None:
        return OF_HITS[0] if forms == ["hits"] else None
    listed = [pair for pair in zip(paths, forms, strict=True) if pair[1] in _OF_PAIRS]
    asked = str(options["score"])
    named = {_named(_layout(path, form), asked) for path, form in listed}
    if not named:
        return None
    return named.pop() if len(named) == 1 else asked


def with_score_of(model: Model, path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of reading new samples, with the model's score where a file has several.

    Raises
    ------
    InputError
        If another score is asked for; or if none is, and the file does not tell which of its
        columns is that of the model.
    """
    asked, known = options.get("score"), model.score
    if known is None or not path.is_file():  # whoever reads it has a sentence for that
        return dict(options)
    form = format_of(path, options.get("format"))
    layout = _layout(path, form) if form in _OF_PAIRS else None
    if layout is None or _is_matrix(model, layout, form):
        return dict(options)
    place = _place(layout, known)
    if asked is not None:
        _refuse_another(layout, str(asked), known, place)
        return dict(options)
    if place is None and layout.width == 3:
        return dict(options)
    if place is None:
        raise InputError(_told_unknown(path, layout, known))
    return {**options, "score": str(place + 1) if known.startswith(_RAW) else known}


def _is_matrix(model: Model, layout: PairLayout, form: str) -> bool:
    """Whether the columns of a table are training samples, which two words may stand before."""
    return form == "table" and not {*map(str, model.training_ids or ())}.isdisjoint(layout.names)


def _layout(path: Path, form: str) -> PairLayout | None:
    """Where the columns of a list of pairs are; None if a file is none."""
    lines = head_lines(path)
    return search_layout(lines) if form == "hits" else pair_layout(lines, scored=True)


def _named(layout: PairLayout | None, score: str) -> str:
    """A score by the name of its column, where it is a number of one that has a name."""
    if layout is None or not score.isdecimal() or int(score) > len(layout.names):
        return score
    place = int(score) - 1
    name = layout.names[place]
    if layout.is_search:  # our names are known in other files, too, whatever their headers
        name = next((one for one in OF_HITS if layout.column(one) == place), name)
    if not name or layout.column(name) != place:
        return score
    return f"{_RAW}{name}" if layout.is_search and name in OF_HITS[1:] else name


def _place(layout: PairLayout, known: str) -> int | None:
    """The column of a model's score, from 0; None where a file does not tell.

    A number is that of a list without a header. It says nothing of the columns of hits that have
    names; and among three columns there is no choice.
    """
    if not known.isdecimal():
        return layout.column(known.removeprefix(_RAW))
    others = _OF_SEARCH if layout.is_search else 2
    told = others < int(known) <= layout.width and layout.width > 3
    return int(known) - 1 if told else None


def _refuse_another(layout: PairLayout, asked: str, known: str, place: int | None) -> None:
    """Refuse a score of another column, or of the same one that hits give changed."""
    other = int(asked) - 1 if asked.isdecimal() else layout.column(asked)
    changes = [layout.is_search and score in OF_HITS[1:] for score in (asked, known)]
    if place is None or other is None or (other == place and changes[0] == changes[1]):
        return
    raise InputError(
        f"score={asked} is another score than the model was fitted to, which is {known}: "
        "its answers would be wrong. Leave score out, as the model knows it; or fit another "
        "model."
    )


def _told_unknown(path: Path, layout: PairLayout, known: str) -> str:
    """Say that a list of pairs does not tell which of its columns a model was fitted to."""
    names = [name for name in layout.names if name]
    has = f"the columns {', '.join(names)}" if names else f"{layout.width} columns without names"
    score = f"column {known}" if known.isdecimal() else repr(known.removeprefix(_RAW))
    how = "'...'" if names else "NUMBER, counted from 1"
    return (
        f"The model was fitted to {score} of a list of pairs, and {path} does not tell which of "
        f"its columns is the same: it has {has}. Say which: score={how}."
    )
