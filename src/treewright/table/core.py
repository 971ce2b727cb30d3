"""Columns and arrays as the core takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from treewright import _core
from treewright.table.schema import ColumnSchema, TargetSchema
from treewright.table.sparse import SparseColumns


def core_table(
    columns: Sequence[ColumnSchema],
    arrays: Sequence[NDArray[Any]],
    target: TargetSchema,
    codes: NDArray[Any],
    weights: NDArray[Any] | None = None,
    unseen_classes: int = 0,
    row_weight: float = 1.0,
) -> _core.TableInput:
    """A table for the core; codes may name up to ``unseen_classes`` classes beyond those declared; rows count ``row_weight``."""
    table = _core.TableInput(len(codes))
    at = 0
    for array in arrays:
        width = array.shape[1] if array.ndim == 2 else 1
        if columns[at].nominal:
            table.add_nominal(array, len(columns[at].levels), columns[at].name)
        elif isinstance(array, SparseColumns):
            names = [column.name for column in columns[at : at + width]]
            table.add_sparse(array.values, array.rows, array.begin, names)
        else:
            table.add_numeric(array, [column.name for column in columns[at : at + width]])
        at += width
    if target.classes is not None:
        table.set_classes(codes, len(target.classes) + unseen_classes)
    elif target.outputs:
        table.set_vectors(codes)
    else:
        table.set_numbers(codes)
    if weights is not None:
        table.set_weights(weights, row_weight)
    return table
