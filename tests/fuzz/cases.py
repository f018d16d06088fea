"""Kinds of cases, and how one is played."""

import tempfile
from collections.abc import Iterator
from contextlib import chdir

from tests.fuzz import commands, estimators, files, functions, models
from tests.fuzz.children import Case
from tests.fuzz.drawing import Draw, Tell
from tests.fuzz.outcomes import Outcome, outcome_of

KINDS = {
    "estimators": estimators.play,
    "functions": functions.play,
    "models": models.play,
    "cli": commands.play,
    **files.PLAYS,
}
GROUPS = {"api": ("estimators", "functions"), "files": tuple(files.PLAYS)}
TURNS = ("estimators", "functions", "estimators", "files", "estimators", "models", "files", "cli")


def cases(seed: int, count: int, only: str | None = None) -> Iterator[Case]:
    """The first `count` cases of a seed."""
    for number in range(count):
        yield kind_of(number, only), seed, number


def kind_of(number: int, only: str | None = None) -> str:
    """The kind of a case; members of a group take turns."""
    kinds = TURNS if only is None else GROUPS.get(only, (only,))
    round_, turn = divmod(number, len(kinds))
    kind = kinds[turn]
    if kind not in GROUPS:
        return kind
    return kind_of(round_ * kinds.count(kind) + kinds[:turn].count(kind), kind)


def play_case(case: Case, tell: Tell, show: bool = False) -> Outcome:
    """Draw and run one case, in an empty folder of its own."""
    kind, seed, number = case
    draw = Draw(seed, number, kind, tell)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, chdir(folder):
        return outcome_of(lambda: KINDS[kind](draw), show)
