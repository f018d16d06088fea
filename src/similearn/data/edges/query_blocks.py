"""Blocks of new samples against given references, in the references' order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.pairwise import Pairwise
from similearn.data.values import Indices, Values
from similearn.errors import InputError


def against(
    block: Pairwise, references: Sequence[Any], name: str = "The block"
) -> tuple[Indices, Pairwise]:
    """Cut from a block what a model needs: new samples against its references.

    Parameters
    ----------
    block : (m, n) with column ids. Without them its columns must be as many as the references,
        and are taken to be them. Columns that are no references are left out. Of a block of
        samples with themselves, the rows that are no references are the new samples (all rows,
        if every one is a reference), and the other direction comes along.
    references : ids, in the order that is wanted
    name : of the block, for messages

    Returns
    -------
    positions of the rows that were kept, and the block
    """
    ids = [str(one) for one in references]
    everything = np.arange(len(block))
    if block.column_ids is None:
        if block.shape[1] != len(ids):
            raise InputError(
                f"{name} has {block.shape[1]} columns without ids, but there are {len(ids)} "
                "references; expected a column for each, in their order, or ids."
            )
        return everything, block
    place = {str(one): j for j, one in enumerate(block.column_ids)}
    unknown = [one for one in ids if one not in place]
    if unknown and not block.is_sparse:
        raise InputError(
            f"{name} has no column for the reference {unknown[0]!r} ({len(unknown)} such of "
            f"{len(ids)}); expected the values of each new sample to every reference."
        )
    if len(unknown) == len(ids):
        raise InputError(
            f"{name} has no column that is a reference: it names {block.column_ids[0]!r}, where "
            f"references are called such as {ids[0]!r}."
        )
    rows = everything
    if block.same_samples and block.row_ids is not None:
        known = set(ids)
        new = [i for i, one in enumerate(block.row_ids) if str(one) not in known]
        rows = np.array(new, dtype=np.intp) if new else everything
    found = [one for one in ids if one in place]
    columns = np.array([place[one] for one in found])
    part = block[np.ix_(rows, columns)]
    part = part.of_same_samples(False)
    return rows, _with_columns(part, ids, found) if unknown else part


def _with_columns(part: Pairwise, ids: list[str], found: list[str]) -> Pairwise:
    """Return a sparse block with empty columns for the references that it does not know."""
    place = {one: j for j, one in enumerate(ids)}
    columns = np.array([place[one] for one in found])
    return Pairwise(
        _spread(part.values, columns, len(ids)),
        part.kind,
        None if part.reverse is None else _spread(part.reverse, columns, len(ids)),
        part.self_values,
        part.row_ids,
        np.array(ids),
        same_samples=False,
    )


def _spread(values: Values, columns: Indices, n: int) -> Values:
    places = sparse.coo_array(values)
    kept = (places.data, (places.row, columns[places.col]))
    return sparse.csr_array(kept, shape=(values.shape[0], n))
