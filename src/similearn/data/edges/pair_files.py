"""Blocks from lists of pairs: edge lists, and the hits of sequence searches."""

from pathlib import Path

import numpy as np

from similearn.data.edges.assembling import query_block, square_or_wide
from similearn.data.edges.pair_layouts import PairLayout, pair_layout, search_layout
from similearn.data.edges.pair_lines import ListedPairs, read_pair_lines
from similearn.data.edges.repeated_pairs import merged, towards
from similearn.data.files.contents import Contents, Wanted, unknown_kind
from similearn.data.formats.recognizing import head_lines
from similearn.data.values import Floats
from similearn.errors import FileError, InputError

OF_HITS = ("bits", "evalue", "identity")
"""Scores of the hits of a search; the first is the usual one."""
_MORE_COLUMNS = " If there are more columns, say which of them is the score: score=4."
_SURELY_TINY = 200.0  # -log10 of an e-value that a program prints as zero, at least


def read_pairs(path: Path, wanted: Wanted) -> Contents:
    """Read an edge list: two ids and a score per line.

    A pair that is listed twice with different scores is an error, unless `wanted.repeated` says
    what becomes of it. Samples that stand on one side only, all of them, make a rectangular
    block: first ids are rows, second ids columns.
    """
    layout = pair_layout(head_lines(path), scored=wanted.score is not None)
    if layout is None:
        raise FileError(
            f"{path} is no list of pairs: expected two ids and a number on each line, as many "
            "cells on every line, and a header at most."
            + (_MORE_COLUMNS if wanted.score is None else "")
        )
    if layout.is_search:
        return read_hits(path, wanted)
    if wanted.score is not None:
        layout.score = _column(path, layout, wanted.score)
        layout.kind = None
    kind = wanted.kind or layout.kind or ("dissimilarity" if ".dist" in path.suffixes else None)
    if kind is None:
        raise unknown_kind(path)
    pairs = read_pair_lines(path, layout)
    return _contents(path, wanted, layout, pairs, kind, several=False)


def read_hits(path: Path, wanted: Wanted) -> Contents:
    """Read the tabular output of BLAST, DIAMOND, MMseqs2 or Foldseek; of a pair the best hit."""
    layout = search_layout(head_lines(path))
    score = wanted.score or OF_HITS[0]
    if wanted.kind == "dissimilarity" and score in OF_HITS:
        raise FileError(
            f"{path} holds the hits of a search, and {score} are similarities. Leave kind out; to "
            "convert, see similearn.convert."
        )
    layout.score = _column(path, layout, score)
    pairs = read_pair_lines(path, layout)
    if score == "evalue":
        pairs.scores = _from_evalues(path, pairs.scores)
    elif score == "identity":
        pairs.scores = _shares(pairs.scores)
    kind = wanted.kind or "similarity"
    return _contents(path, wanted, layout, pairs, kind, several=True)


def _contents(
    path: Path, wanted: Wanted, layout: PairLayout, pairs: ListedPairs, kind: str, *, several: bool
) -> Contents:
    if wanted.repeated in ("mean", "largest"):
        pairs = merged(pairs, wanted.repeated, directed=wanted.directed is not False)
    if wanted.references is not None and wanted.directed is False:
        pairs = towards(pairs, wanted.references)
    if wanted.references is not None:
        contents = query_block(path, layout, pairs, wanted.references, several)
    else:
        contents = square_or_wide(path, layout, pairs, wanted.directed, kind, several)
    contents.kind = kind
    if pairs.n_unknown:
        contents.notes.append(f"{pairs.n_unknown} pairs have no score, and are unknown.")
    return contents


def _column(path: Path, layout: PairLayout, score: str | int) -> int:
    """The column that was asked for, by name or by number from 1."""
    if isinstance(score, int) or score.isdecimal():
        if not 2 < int(score) <= layout.width:
            raise InputError(
                f"score={score} is no column of scores; {path} has {layout.width} columns, of "
                "which the first two hold ids."
            )
        return int(score) - 1
    column = layout.column(score)
    if column is None:
        named = ", ".join(name for name in layout.names if name)
        raise FileError(
            f"{path} has no column {score!r}; "
            + (f"it has {named}." if named else "its columns have no names: give a number from 1.")
        )
    return column


def _from_evalues(path: Path, evalues: Floats) -> Floats:
    """-log10; what is printed as zero is as small as the smallest other, 1e-200 at least."""
    if (evalues < 0).any():
        raise FileError(f"{path}: an e-value is {evalues.min():g}; expected none below zero.")
    with np.errstate(divide="ignore"):
        scores = np.maximum(-np.log10(evalues), 0.0)
    finite = scores[np.isfinite(scores)]
    scores[np.isinf(scores)] = max(_SURELY_TINY, finite.max(initial=0.0))
    return scores


def _shares(identities: Floats) -> Floats:
    """Identity as a share, of percent or of shares."""
    return identities / 100 if identities.max(initial=0.0) > 1 else identities
