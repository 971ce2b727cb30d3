"""Columns of a table to predict against those of the training table, as scikit-learn compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from treewright.errors import misspelt, shown
from treewright.inspect import one_row
from treewright.table.frames import as_matrix, column_names, is_frame
from treewright.table.objects import as_floats
from treewright.table.raw import is_missing
from treewright.table.sparse import is_sparse
from treewright.table.streams import as_table


def match_columns(estimator: Any, X: Any) -> Any:
    """Return the table, whose columns must be those of the training table, in their order; the error says how to pick them."""
    names = getattr(estimator, "feature_names_in_", None)
    if isinstance(X, Mapping) and names is not None:
        X = _row(X, names.tolist())
        if isinstance(X, np.ndarray):
            return X
    elif isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping) and names is not None:
        X = _rows(X, names.tolist())
    X = as_table(X)
    if not is_sparse(X) and not is_frame(X):
        X = as_matrix(X)
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        if "feature names" not in str(error):
            raise
        # scikit-learn's checks want its lines as they are.
        wanted = "list(model.feature_names_in_)"
        remedy = f"X[{wanted}]" if hasattr(X, "iloc") else f"X.select({wanted})"
        lacks = "now missing" in str(error)
        given = column_names(X)
        absent = [name for name in estimator.feature_names_in_.tolist() if name not in given]
        slip = misspelt(absent, [name for name in given if name not in estimator.feature_names_in_])
        slip = f"{slip[0].upper()}{slip[1:]} " if slip else ""
        raise ValueError(f"{error}{slip}{'Add the missing columns; then use' if lacks else 'Use'} {remedy}.") from None
    return X


def _rows(rows: Sequence[Any], names: Sequence[str]) -> Any:
    """Rows that are dicts of cells by column name, as a table; cells of None are missing."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {name: [] for name in names}
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {at} is {shown(row)}, row 0 a dict of cells by column: give all rows in one form")
        if lacks := [name for name in names if name not in row]:
            raise ValueError(f"row {at} has no cell for {shown(lacks[0])}: name every column, with None where it is missing")
        if more := [name for name in row if name not in columns]:
            raise ValueError(f"row {at} has a cell for {shown(more[0])}, of which the model knows nothing: leave it out")
        for name in names:
            columns[name].append(None if is_missing(row[name]) else row[name])
    table = {}
    for name, cells in columns.items():
        try:
            table[name] = pa.array(cells)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise ValueError(f"the cells of column {name!r} are of several kinds: {error}") from error
    return pa.table(table)


def _row(X: Mapping[str, Any], names: Sequence[str]) -> Any:
    """A row that is a dict of cells by column name: numbers as a matrix, which is read soonest, other cells as a table."""
    if X.keys() == set(names) and all(type(cell) in (int, float) for cell in X.values()):
        return np.array([[as_floats(f"column {name!r}", [X[name]])[0][0] for name in names]])
    return one_row(X, names)
