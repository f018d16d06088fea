"""How a notebook shows a block: what it is, and its first rows and columns."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from similearn.data.values import filled
from similearn.errors import readable

if TYPE_CHECKING:
    from similearn.data.pairwise import Pairwise

_AT_MOST = 5


def corner_page(block: "Pairwise") -> str:
    """Return the corner of a block as an HTML table, everything of the user's escaped."""
    m, n = (min(size, _AT_MOST) for size in block.shape)
    corner = block[np.ix_(np.arange(m), np.arange(n))]
    rows, columns = _names(corner.row_ids, m), _names(corner.column_ids, n)
    head = "".join(f"<th>{name}</th>" for name in columns)
    lines = [
        f"<tr><th>{name}</th>" + "".join(f"<td>{_told(value)}</td>" for value in row) + "</tr>"
        for name, row in zip(rows, filled(corner.values, np.nan), strict=True)
    ]
    return (
        f"<div><p>{escape(repr(block))}</p><table><thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _names(ids: object, n: int) -> list[str]:
    return [escape(readable(str(one))) for one in (range(n) if ids is None else ids)]  # type: ignore[attr-defined]


def _told(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"
