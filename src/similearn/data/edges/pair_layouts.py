"""Which columns of a list of pairs hold the two ids and the score."""

import csv
import re
from dataclasses import dataclass, field

from similearn.data.files.contents import ID_NAMES, LABEL_NAMES, MISSING_WORDS
from similearn.data.objects.columns_of_files import OBJECT_NAMES

# Columns of `-outfmt 6` of BLAST and DIAMOND, of MMseqs2 and of Foldseek.
_SEARCH = "query target identity length mismatches gaps qstart qend tstart tend evalue bits".split()
_QUERY = {"query", "qseqid", "qaccver", "qacc", "query acc.ver", "query acc.", "query id"}
_TARGET = {"target", "sseqid", "saccver", "sacc", "subject", "subject acc.ver", "subject acc.",
           "subject id", "tseqid"}  # fmt: skip
_COLUMNS = {
    "identity": {"identity", "pident", "fident", "% identity", "perc_identity"},
    "evalue": {"evalue", "e-value", "e_value"},
    "bits": {"bits", "bitscore", "bit score", "bit_score"},
}
_FIRST = {"source", "from", "id1", "id_1", "name1", "sample1", "sample_1", "node1",
          "first", "query", "query_file", "ref_file", "reference", "seq1", "item1", "left",
          "query_name", "match_name"}  # fmt: skip
_SECOND = {"target", "to", "id2", "id_2", "name2", "sample2", "sample_2", "node2", "second",
           "match", "match_name", "seq2", "item2", "right"}  # fmt: skip
_NEAR = {"similarity", "sim", "score", "weight", "ani", "jaccard", "identity", "correlation",
         "tanimoto", "cosine", "kernel", "containment", "max_containment"}  # fmt: skip
_FAR = {"distance", "dissimilarity", "dist", "diss", "mash_distance", "divergence", "cost"}
_ATTRIBUTES = re.compile(r"""(\S+)\s+(\S+)\s+\{.*["']weight["']: *([^,}\s]+).*\}""")
_SHARED_HASHES = re.compile(r"\d+/\d+")
_WIDEST = 40  # a line of more cells is a row of a matrix
_SEPARATORS = ("\t", ",", ";", None)  # None: blanks


@dataclass
class PairLayout:
    """Where ids and score stand on a line.

    Attributes
    ----------
    delimiter : what separates cells; None is any blanks
    width : cells of a line
    first, second, score : columns of the ids and of the score
    header : how many lines stand above the pairs
    names : of the columns, where they are known
    kind : what the names say, or the program that writes such lines
    is_search : whether these are the hits of a search, several of a pair allowed
    has_attributes : whether the score is a weight among others, as NetworkX writes edges
    """

    delimiter: str | None
    width: int
    first: int = 0
    second: int = 1
    score: int = 2
    header: int = 0
    names: list[str] = field(default_factory=list)
    kind: str | None = None
    is_search: bool = False
    has_attributes: bool = False

    def cells(self, line: str) -> list[str]:
        """The cells of a line, without blanks and quotation marks around them."""
        if self.has_attributes:
            found = _ATTRIBUTES.fullmatch(line.strip())
            return [] if found is None else list(found.groups())
        return _cells(line, self.delimiter)

    def column(self, name: str) -> int | None:
        """The column of a name of ours or of the file; None if there is none."""
        lower = [cell.lower() for cell in self.names]
        wanted = _COLUMNS.get(name, {name.lower()})
        return next((c for c, cell in enumerate(lower) if cell in wanted), None)


def pair_layout(lines: list[str], *, scored: bool = False) -> PairLayout | None:
    """Recognize a list of pairs by its first lines; None if it is something else.

    Where it is said which column is the score (`scored`), there may be any others.
    """
    fields = next((line for line in lines if line.startswith("# Fields:")), None)
    body = [(i, line) for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    if not body and fields is None:
        return None
    if body and all(_ATTRIBUTES.fullmatch(line.strip()) for _, line in body):
        return PairLayout(None, 3, has_attributes=True)
    for delimiter in _SEPARATORS:
        rows = [_cells(line, delimiter) for _, line in body]
        widths = {len(row) for row in rows}
        if len(widths) == 1 and 3 <= min(widths) <= _WIDEST:
            return _of_rows(rows, delimiter, body[0][0], fields, scored)
    return None


def search_layout(lines: list[str]) -> PairLayout:
    """The twelve columns of a search, for a file that is said to hold one."""
    found = pair_layout(lines)
    return found if found is not None and found.is_search else _search("\t", 12, 0, list(_SEARCH))


def _of_rows(
    rows: list[list[str]], delimiter: str | None, above: int, fields: str | None, asked: bool
) -> PairLayout | None:
    width = len(rows[0])
    if fields is not None:
        names = [name.strip() for name in fields.removeprefix("# Fields:").split(",")]
        return _named(names, rows, delimiter, 0, asked) if len(names) == width else None
    if not any(map(_is_number, rows[0][2:])):
        return _named(rows[0], rows[1:], delimiter, above + 1, asked)
    if 12 <= width <= _WIDEST and _are_words(rows) and all(_is_hit(row) for row in rows):
        return _search(delimiter, width, 0, _SEARCH + [""] * (width - 12))
    if asked and width > 3 and _are_words(rows):
        return PairLayout(delimiter, width)
    return _unnamed(rows, delimiter)


def _search(delimiter: str | None, width: int, header: int, names: list[str]) -> PairLayout:
    layout = PairLayout(delimiter, width, header=header, names=names, is_search=True)
    layout.kind = "similarity"
    return layout


def _named(
    names: list[str], rows: list[list[str]], delimiter: str | None, header: int, asked: bool
) -> PairLayout | None:
    """Columns by their names; without names that are known, three that look like a pair.

    Where a score was asked for, there may be any others after two ids.
    """
    lower = [name.lower() for name in names]
    scores = [
        c for c, name in enumerate(lower) if any(name in known for known in _COLUMNS.values())
    ]
    query = next((c for c, name in enumerate(lower) if name in _QUERY), None)
    target = next((c for c, name in enumerate(lower) if name in _TARGET), None)
    if query is not None and target is not None and scores:
        layout = _search(delimiter, len(names), header, names)
        layout.first, layout.second, layout.score = query, target, scores[-1]
        return layout
    scored = [c for c, name in enumerate(lower) if c > 1 and name in _NEAR | _FAR]
    # Of several, the one that is the same in both directions.
    score = min(scored, key=lambda c: (lower[c] != "jaccard", c), default=None)
    is_pair = lower[0] in _FIRST and score is not None
    is_pair |= asked and len(names) > 3 and _are_words(rows)
    if (
        not rows
        or set(lower) & set(LABEL_NAMES) - {"y", "target"}
        or not (is_pair or (len(names) == 3 and _looks_like_pairs(lower, rows, score)))
    ):
        return None
    layout = PairLayout(delimiter, len(names), header=header, names=names)
    layout.score = 2 if score is None else score
    layout.second = next((c for c, name in enumerate(lower) if c and name in _SECOND), 1)
    name = lower[layout.score]
    layout.kind = "similarity" if name in _NEAR else "dissimilarity" if name in _FAR else None
    return layout


def _looks_like_pairs(lower: list[str], rows: list[list[str]], score: int | None) -> bool:
    """Whether two words and a number are a pair; a name, its kind and a year are none."""
    if score is None and lower[0] in {*ID_NAMES, *OBJECT_NAMES} - {""}:
        return False
    if not _are_scores(rows):
        return False
    return _are_words(rows) or (score is not None and _are_numbered_pairs(rows))


def _unnamed(rows: list[list[str]], delimiter: str | None) -> PairLayout | None:
    width = len(rows[0])
    layout = PairLayout(delimiter, width)
    if width == 5 and all(_SHARED_HASHES.fullmatch(row[4]) for row in rows):
        layout.kind = "dissimilarity"  # mash dist, mash triangle -E
        return layout
    if not all(_is_number(row[2]) for row in rows):
        return None
    if width == 5 and _are_words(rows) and all(_are_counts(row[3:]) for row in rows):
        layout.kind = "similarity"  # FastANI
        return layout
    if width == 3 and (_are_words(rows) or _are_numbered_pairs(rows)):
        return layout
    return None


def _are_words(rows: list[list[str]]) -> bool:
    """Whether both of the first columns hold anything but numbers."""
    return all(any(not _is_number(row[c]) for row in rows) for c in (0, 1))


def _are_scores(rows: list[list[str]]) -> bool:
    """Whether the third column holds numbers for the most part: one slip makes no words of it."""
    return sum(_is_number(row[2]) for row in rows) > len(rows) / 2


def _are_numbered_pairs(rows: list[list[str]]) -> bool:
    """Whether samples are numbers, and so many lines that three columns are no square block."""
    pairs = {(row[0], row[1]) for row in rows}
    counted = all(row[0].isdecimal() and row[1].isdecimal() for row in rows)
    several = {row[0] for row in rows} & {row[1] for row in rows}
    return counted and len(rows) > 3 and len(pairs) == len(rows) and bool(several)


def _is_hit(row: list[str]) -> bool:
    return all(map(_is_number, row[2:12])) and _are_counts(row[3:10])


def _are_counts(cells: list[str]) -> bool:
    return all(cell.isdecimal() for cell in cells)


def _is_number(cell: str) -> bool:
    if cell.lower() in MISSING_WORDS:
        return True
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _cells(line: str, delimiter: str | None) -> list[str]:
    if '"' in line and delimiter is not None:  # ids may hold the separator
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
    return [cell.strip().strip('"') for cell in line.split(delimiter)]
