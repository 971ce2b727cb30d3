"""At fit: the schema of a table learned from its columns, and the columns as the arrays the core takes."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import TreewrightWarning, counted, out_of_range, outside, unknown
from treewright.table.frames import as_matrix, column_names, is_frame, native, raw_columns
from treewright.table.raw import Array, Raw
from treewright.table.schema import ColumnSchema
from treewright.table.sparse import is_sparse, sparse_arrays
from treewright.table.written import written_of

_EXACT = 2**53


def plain_matrix(X: Any) -> Array | None:
    """Return X as a numeric matrix if it is one already (no text, no dates, no names), else None."""
    if isinstance(X, np.ndarray) and not isinstance(X, np.ma.MaskedArray) and X.ndim == 2 and X.dtype.kind in "iuf":
        return native(X)
    if is_frame(X):
        return None
    matrix = as_matrix(X)
    return native(matrix) if matrix.dtype.kind in "iuf" else None


def learn_schema(
    X: Any, nominal: Any = None, by_level: Container[str] = (), keep: Array | None = None
) -> tuple[list[ColumnSchema], list[Array]]:
    """Read a training table: the schema of its columns, and the arrays for the core.

    Parameters
    ----------
    X : array or frame
        The table.
    nominal : sequence of names, positions or a mask, optional
        Columns to be read as nominal whatever their type.
    by_level : container of {"ordered", "bool"}
        Kinds of columns that become nominal though they could be cut.
    keep : array of bool, optional
        Rows to keep; the others do not exist.

    Returns
    -------
    schema, arrays
        One schema per column. Consecutive numeric columns of a matrix stay together in one two-dimensional array.
    """
    if is_sparse(X):
        return _learn_sparse(X, nominal, keep)
    matrix = plain_matrix(X)
    if matrix is not None and nominal is None:
        matrix = matrix if keep is None else matrix[keep]
        schema = [ColumnSchema(f"x{j}", "number") for j in range(matrix.shape[1])]
        _warn_inexact(matrix, schema)
        return schema, [matrix]
    names = column_names(X)
    chosen = _positions(nominal, names)
    raws = raw_columns(X, chosen)
    schema, arrays = [], []
    for j, raw in enumerate(raws):
        column, array = _learn_column(raw if keep is None else raw.rows(keep), j in chosen, by_level)
        schema.append(column)
        arrays.append(array)
    if hasattr(X, "num_rows"):  # Arrow, whose fields say how the cells were written
        schema = [replace(column, written=written_of(field)) for column, field in zip(schema, X.schema, strict=True)]
    return schema, arrays


def _learn_sparse(X: Any, nominal: Any, keep: Array | None) -> tuple[list[ColumnSchema], list[Any]]:
    if _positions(nominal, column_names(X)):
        raise ValueError("the columns of a sparse table are numbers: pass those named in categorical_features as a frame")
    return [ColumnSchema(name, "number") for name in column_names(X)], sparse_arrays(X, keep)


def _positions(nominal: Any, names: Sequence[str]) -> set[int]:
    if nominal is None:
        return set()
    one = isinstance(nominal, str) or not isinstance(nominal, Iterable) or getattr(nominal, "shape", None) == ()
    entries: list[Any] = [nominal] if one else list(nominal)
    if entries and all(isinstance(e, (bool, np.bool_)) for e in entries):
        if len(entries) != len(names):
            has = f"a mask of {counted(len(entries), 'entry', 'entries')}, X has {counted(len(names), 'column')}"
            raise ValueError(f"categorical_features is {has}: give one truth value per column, or names")
        return {j for j, e in enumerate(entries) if e}
    out: set[int] = set()
    for entry in entries:
        if isinstance(entry, str):
            if entry not in names:
                raise unknown("categorical_features: column", entry, names)
            out.add(names.index(entry))
        elif isinstance(entry, (int, np.integer)) and not isinstance(entry, (bool, np.bool_)) and 0 <= entry < len(names):
            out.add(int(entry))
        else:
            allowed = f"a column name or a position below {len(names)}"
            if str(entry) in names:
                allowed += f"; the column of that name is {str(entry)!r}"
            raise out_of_range("categorical_features", entry, allowed)
    return out


def _learn_column(raw: Raw, nominal: bool, by_level: Container[str]) -> tuple[ColumnSchema, Array]:
    if raw.levels is None:
        if nominal or (raw.kind == "bool" and "bool" in by_level):
            values, codes = factorise(raw)
            return ColumnSchema(raw.name, "nominal", tuple(values), raw.zone), codes
        column = ColumnSchema(raw.name, raw.kind, zone=raw.zone)
        _warn_inexact(raw.values, [column], raw.whole)
        return column, raw.values
    if raw.kind == "ordered" and not nominal and "ordered" not in by_level:
        codes = raw.values.astype(np.float64)
        codes[raw.values < 0] = np.nan
        return ColumnSchema(raw.name, "ordered", tuple(raw.levels)), codes
    if raw.kind != "text":
        return ColumnSchema(raw.name, "nominal", tuple(raw.levels)), raw.values
    # Text (and numbers read as levels) declare nothing.
    occurs = np.zeros(len(raw.levels) + 1, bool)
    occurs[raw.values] = True
    order = level_order(raw.levels, occurs)
    place = np.full(len(raw.levels) + 1, -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return ColumnSchema(raw.name, "nominal", tuple(raw.levels[i] for i in order)), place[raw.values]


def level_order(levels: Sequence[Any], occurs: Array) -> list[int]:
    """The levels of a column that declares none: those that occur, sorted."""
    return sorted((i for i in range(len(levels)) if occurs[i]), key=lambda i: _rank(levels[i]))


def _rank(level: Any) -> tuple[int, Any]:
    return (1, level) if isinstance(level, str) else (0, level) if isinstance(level, (int, float)) else (2, str(level))


def factorise(raw: Raw) -> tuple[list[Any], Array]:
    """Return the distinct numbers (or dates) of a column as levels, ascending, and the codes of its cells.

    Truth values are two levels, whether both occur or not.
    """
    values = raw.values
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    if raw.kind == "bool":
        return [False, True], np.where(missing, -1, values == 1).astype(np.int32)
    if values.dtype.kind == "f" and np.any(np.isinf(values)):
        raise ValueError(f"column {raw.name!r} holds infinity: replace it by a number, or by NaN where it is missing")
    found, inverse = np.unique(values[~missing], return_inverse=True)
    codes = np.full(len(values), -1, np.int32)
    codes[~missing] = inverse
    column = ColumnSchema(raw.name, raw.kind, zone=raw.zone)
    return [column.cell_value(v.item()) for v in found], codes


def _warn_inexact(values: Array, schema: Sequence[ColumnSchema], whole: bool = False) -> None:
    if values.dtype.kind not in "iu" and not whole:
        return
    columns = values if values.ndim == 2 else values[:, None]
    for j, column in enumerate(schema):
        if beyond_exact(columns[:, j]):
            warnings.warn(
                f"column {column.name!r} holds whole numbers beyond 2**53, compared as 64-bit floats: "
                "neighbours may count as equal; name it in categorical_features to keep every value distinct",
                TreewrightWarning,
                stacklevel=outside(),
            )


def beyond_exact(cells: Array) -> bool:
    """Whether some of these whole numbers are no 64-bit floats; those that are floats by now were whole before."""
    if cells.dtype.kind != "f" and cells.dtype.itemsize < 8:
        return False
    limit = _EXACT
    if cells.dtype.kind == "f":
        cells, limit = cells[np.isfinite(cells)], _EXACT - 1  # as floats, 2**53 and its successor are one
    return bool(cells.size) and (int(cells.max()) > limit or int(cells.min()) < -limit)
