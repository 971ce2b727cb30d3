"""From raw columns to the arrays the core takes: at fit the schema is learned, at predict rows are matched to it by label."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treewright.errors import TreewrightWarning, UnseenLevelWarning, out_of_range, outside, shown, unknown
from treewright.table.frames import as_matrix, column_names, is_frame, native, raw_columns
from treewright.table.raw import Array, Raw
from treewright.table.schema import ColumnSchema, TableSchema

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
    X: Any, nominal: Any = None, ordered_as_nominal: bool = False, keep: Array | None = None
) -> tuple[list[ColumnSchema], list[Array]]:
    """Read a training table: the schema of its columns, and the arrays for the core.

    Parameters
    ----------
    X : array or frame
        The table.
    nominal : sequence of names, positions or a mask, optional
        Columns to be read as nominal whatever their type.
    ordered_as_nominal : bool
        Ordered categories become nominal.
    keep : array of bool, optional
        Rows to keep; the others do not exist.

    Returns
    -------
    schema, arrays
        One schema per column. Consecutive numeric columns of a matrix stay together in one two-dimensional array.
    """
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
        column, array = _learn_column(raw if keep is None else raw.rows(keep), j in chosen, ordered_as_nominal)
        schema.append(column)
        arrays.append(array)
    return schema, arrays


def _positions(nominal: Any, names: Sequence[str]) -> set[int]:
    if nominal is None:
        return set()
    one = isinstance(nominal, str) or not isinstance(nominal, Iterable)
    entries: list[Any] = [nominal] if one else list(nominal)
    if len(entries) == len(names) and all(isinstance(e, (bool, np.bool_)) for e in entries):
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
            raise out_of_range("categorical_features", entry, f"a column name or a position below {len(names)}")
    return out


def _learn_column(raw: Raw, nominal: bool, ordered_as_nominal: bool) -> tuple[ColumnSchema, Array]:
    if raw.levels is None:
        if nominal:
            values, codes = _factorise(raw)
            return ColumnSchema(raw.name, "nominal", tuple(values), raw.zone), codes
        column = ColumnSchema(raw.name, raw.kind, zone=raw.zone)
        _warn_inexact(raw.values, [column], raw.whole)
        return column, raw.values
    if raw.kind == "ordered" and not nominal and not ordered_as_nominal:
        codes = raw.values.astype(np.float64)
        codes[raw.values < 0] = np.nan
        return ColumnSchema(raw.name, "ordered", tuple(raw.levels)), codes
    if raw.kind != "text":
        return ColumnSchema(raw.name, "nominal", tuple(raw.levels)), raw.values
    # Text (and numbers read as levels) declare nothing: the levels are those that occur, sorted.
    occurs = np.zeros(len(raw.levels) + 1, bool)
    occurs[raw.values] = True
    order = sorted((i for i in range(len(raw.levels)) if occurs[i]), key=lambda i: _rank(raw.levels[i]))  # type: ignore[index]
    place = np.full(len(raw.levels) + 1, -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return ColumnSchema(raw.name, "nominal", tuple(raw.levels[i] for i in order)), place[raw.values]


def _rank(level: Any) -> tuple[int, Any]:
    return (1, level) if isinstance(level, str) else (0, level) if isinstance(level, (int, float)) else (2, str(level))


def _factorise(raw: Raw) -> tuple[list[Any], Array]:
    """Return the distinct numbers (or dates) of a column as levels, ascending, and the codes of its cells."""
    values = raw.values
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    if values.dtype.kind == "f" and np.any(np.isinf(values)):
        raise ValueError(f"column {raw.name!r} holds infinity: replace it by a number, or by NaN where it is missing")
    found, inverse = np.unique(values[~missing], return_inverse=True)
    codes = np.full(len(values), -1, np.int32)
    codes[~missing] = inverse
    if raw.kind == "bool":
        return [bool(v) for v in found], codes
    column = ColumnSchema(raw.name, raw.kind, zone=raw.zone)
    return [column.cell_value(v.item()) for v in found], codes


def _warn_inexact(values: Array, schema: Sequence[ColumnSchema], whole: bool = False) -> None:
    wide = values.dtype.kind in "iu" and values.dtype.itemsize == 8
    if not (wide or whole) or values.size == 0:
        return
    columns = values if values.ndim == 2 else values[:, None]
    for j, column in enumerate(schema):
        cells = columns[:, j]
        cells = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
        limit = _EXACT - 1 if whole else _EXACT  # as floats, 2**53 and its successor are one
        if cells.size and (int(cells.max()) > limit or int(cells.min()) < -limit):
            warnings.warn(
                f"column {column.name!r} holds whole numbers beyond 2**53, compared as 64-bit floats: "
                "neighbours may count as equal; name it in categorical_features to keep every value distinct",
                TreewrightWarning,
                stacklevel=outside(),
            )


def read_cells(X: Any, schema: TableSchema) -> tuple[list[Array], int]:
    """Match rows to a schema: the arrays for the core, and the number of rows."""
    columns = schema.columns
    matrix = plain_matrix(X)
    if matrix is not None and all(column.kind == "number" for column in columns):
        _check_count(matrix.shape[1], schema)
        _refuse_infinity([matrix], columns)
        if schema.missing == "refuse":
            _refuse_missing([matrix], columns)
        return [matrix], matrix.shape[0]
    _check_names(X, schema)
    raws = raw_columns(X, {j for j, column in enumerate(columns) if column.nominal})
    strange: dict[str, dict[Any, int]] = {}
    arrays = []
    for j, (raw, column) in enumerate(zip(raws, columns, strict=True)):
        known = schema.known[j] if schema.known and column.nominal else None
        arrays.append(_match_column(raw, column, known, strange))
    n_rows = len(arrays[0])
    _refuse_infinity(arrays, columns)
    if strange:
        _report_unseen(strange, n_rows, "error" if schema.missing == "refuse" else schema.unseen)
    if schema.missing == "refuse":
        _refuse_missing(arrays, columns)
    return arrays, n_rows


def _check_count(found: int, schema: TableSchema) -> None:
    if found != len(schema.columns):
        raise ValueError(f"X has {found} columns, the model was fitted with {len(schema.columns)}: {shown(schema.names)}")


def _check_names(X: Any, schema: TableSchema) -> None:
    names, wanted = column_names(X), schema.names
    if not is_frame(X) or not schema.named:
        return _check_count(len(names), schema)
    absent = [name for name in wanted if name not in names]
    extra = [name for name in names if name not in wanted]
    if absent or extra:
        parts = [f"missing: {shown(absent)}"] * bool(absent) + [f"not known: {shown(extra)}"] * bool(extra)
        raise ValueError(f"the columns are not those of the training table; {', '.join(parts)}")
    if names != wanted:
        raise ValueError(f"the columns stand in another order than in training: {shown(names)}; use X[{shown(wanted)}]")
    return None


def _match_column(raw: Raw, column: ColumnSchema, known: tuple[int, ...] | None, strange: dict[str, dict[Any, int]]) -> Array:
    wrong = _misfit(raw, column)
    if wrong is not None and not raw.empty:  # a column of missing cells has no type
        raise ValueError(wrong)
    if column.levels or column.nominal:
        return _match_levels(raw, column, known, strange)
    return raw.values if raw.levels is None else np.full(len(raw.values), np.nan)


_TIMES = ("date", "duration")


def _misfit(raw: Raw, column: ColumnSchema) -> str | None:
    """Why a column cannot be what it was in training, or None."""
    was = f"column {column.name!r} was {column.kind} in training and"
    if not column.nominal and column.kind != "ordered":
        if raw.levels is not None:
            held = np.flatnonzero(raw.values >= 0)[:1]
            return (
                f"{was} now holds {shown(raw.levels[raw.values[held[0]]])}: convert it to the type it had" if len(held) else None
            )
        if (raw.kind in _TIMES or column.kind in _TIMES) and raw.kind != column.kind:
            return f"{was} is {raw.kind} now: convert it to the type it had"
        if column.kind == "bool" and raw.kind != "bool":
            odd = np.flatnonzero(~np.isnan(raw.values) & (raw.values != 0) & (raw.values != 1))
            if len(odd):
                return f"{was} holds {raw.values[odd[0]].item()!r} in row {odd[0]}: only True, False, 1 and 0 are known to it"
    # Dates as levels are dates too: those with and those without a zone are never equal.
    if raw.kind == "date" and (raw.zone is None) != (column.zone is None) and (column.kind == "date" or _dates(column)):
        then, now = ((zone or "no time zone") for zone in (column.zone, raw.zone))
        remedy = f"dt.tz_localize({column.zone!r})" if raw.zone is None else "dt.tz_localize(None)"
        return f"column {column.name!r} was in {then} in training and is in {now} now: use {remedy} on it"
    return None


def _dates(column: ColumnSchema) -> bool:
    return bool(column.levels) and isinstance(column.levels[0], dt.date)


def _match_levels(raw: Raw, column: ColumnSchema, known: tuple[int, ...] | None, strange: dict[str, dict[Any, int]]) -> Array:
    levels, codes = (raw.levels, raw.values) if raw.levels is not None else _factorise(raw)
    assert levels is not None
    # Labels match by equality, so 1 and 1.0 are one level.
    allowed = range(len(column.levels)) if known is None else known
    index = {column.levels[code]: code for code in allowed}
    place = np.array([index.get(level, -1) for level in levels] + [-1], np.int32)
    unseen = [i for i in range(len(levels)) if place[i] < 0]
    if unseen:
        counts = np.bincount(codes[codes >= 0], minlength=len(levels))
        found = {levels[i]: int(counts[i]) for i in unseen if counts[i] > 0}
        if found:
            strange[column.name] = found
    matched = place[codes]
    if column.nominal:
        return matched
    ordered = matched.astype(np.float64)
    ordered[matched < 0] = np.nan
    return ordered


def _refuse_infinity(arrays: Sequence[Array], schema: Sequence[ColumnSchema]) -> None:
    from treewright import _core

    at = 0
    for array in arrays:
        if array.dtype.kind == "f":
            found = _core.first_infinite(array)
            if found is not None:
                row, column = found
                raise ValueError(
                    f"column {schema[at + column].name!r} holds infinity in row {row}: "
                    "replace it by a number, or by NaN where it is missing"
                )
        at += array.shape[1] if array.ndim == 2 else 1


def _refuse_missing(arrays: Sequence[Array], schema: Sequence[ColumnSchema]) -> None:
    at = 0
    for array in arrays:
        for cells in array.T if array.ndim == 2 else [array]:
            gone = np.isnan(cells) if cells.dtype.kind == "f" else (cells < 0 if schema[at].nominal else None)
            if gone is not None and np.any(gone):
                raise ValueError(
                    f"column {schema[at].name!r} is missing (NaN) in row {int(np.flatnonzero(gone)[0])} and missing='refuse': "
                    "fill it, or fit with another missing= policy"
                )
            at += 1


def _report_unseen(strange: dict[str, dict[Any, int]], n_rows: int, unseen: str) -> None:
    cells = sum(sum(found.values()) for found in strange.values())
    parts = []
    for name, found in list(strange.items())[:5]:
        levels = ", ".join(f"{shown(level, 40)} {count}" for level, count in list(found.items())[:5])
        parts.append(f"{name}: {levels}" + (", …" if len(found) > 5 else ""))
    text = f"{cells} cells in {n_rows} rows hold levels never seen in training ({'; '.join(parts)})"
    if unseen == "error":
        raise ValueError(text + "; fit with unseen='missing' to treat them as missing")
    warnings.warn(text + "; treated as missing", UnseenLevelWarning, stacklevel=outside())
