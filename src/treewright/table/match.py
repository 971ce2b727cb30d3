"""At predict: columns matched to the schema of the model, levels by label, as the arrays the core takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.errors import UnseenLevelWarning, counted, misspelt, shown, visible, warn_once
from treewright.table.frames import column_names, is_frame, matrix_of_frame, raw_columns
from treewright.table.learn import factorise, plain_matrix
from treewright.table.objects import kinds_of
from treewright.table.raw import Array, Raw
from treewright.table.schema import ColumnSchema, TableSchema
from treewright.table.sparse import SparseColumns, dense, is_sparse


def read_cells(X: Any, schema: TableSchema) -> tuple[list[Array], int]:
    """Match rows to a schema: the arrays for the core, and the number of rows."""
    columns = schema.columns
    if is_sparse(X):
        X = dense(X)
    numbers = all(column.kind == "number" for column in columns)
    matrix = matrix_of_frame(X, schema.names if schema.named else None) if numbers else None
    matrix = plain_matrix(X) if matrix is None else matrix
    if matrix is not None and numbers:
        _check_count(matrix.shape[1], schema)
        refuse_infinity([matrix], columns)
        if schema.missing == "refuse":
            refuse_missing([matrix], columns)
        return [matrix], matrix.shape[0]
    _check_names(X, schema)
    raws = raw_columns(X, {j for j, column in enumerate(columns) if column.nominal})
    unseen: dict[str, dict[Any, int]] = {}
    arrays = []
    for j, (raw, column) in enumerate(zip(raws, columns, strict=True)):
        seen = schema.known[j] if schema.known and column.nominal else None
        arrays.append(_match_column(raw, column, seen, unseen))
    n_rows = len(arrays[0])
    refuse_infinity(arrays, columns)
    if unseen:
        _report_unseen(unseen, n_rows, schema)
    if schema.missing == "refuse":
        refuse_missing(arrays, columns)
    return arrays, n_rows


def unseen_levels(X: Any, schema: TableSchema) -> dict[str, dict[Any, int]]:
    """By column, the levels of rows that a schema does not know, with how many rows have each; such cells count as missing."""
    unseen: dict[str, dict[Any, int]] = {}
    if any(column.levels for column in schema.columns):
        X = dense(X) if is_sparse(X) else X
        raws = raw_columns(X, {j for j, column in enumerate(schema.columns) if column.nominal})
        for j, (raw, column) in enumerate(zip(raws, schema.columns, strict=True)):
            if column.levels:
                _match_column(raw, column, schema.known[j] if schema.known and column.nominal else None, unseen)
    return unseen


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
        if [underscored(name) for name in names] == wanted:
            return None
        differences = [f"missing: {shown(absent)}"] * bool(absent) + [f"not known: {shown(extra)}"] * bool(extra)
        slip = f"; {slip}" if (slip := misspelt(absent, extra)) else ""
        raise ValueError(f"the columns are not those of the training table; {', '.join(differences)}{slip}")
    if names != wanted:
        raise ValueError(f"the columns stand in another order than in training: {shown(names)}; use X[{shown(wanted)}]")
    return None


def underscored(name: str) -> str:
    """A name as LightGBM keeps it, whose models are asked about tables with the names as they were."""
    return name.replace(" ", "_")


def _match_column(raw: Raw, column: ColumnSchema, seen: tuple[int, ...] | None, unseen: dict[str, dict[Any, int]]) -> Array:
    wrong = _misfit(raw, column)
    if wrong is not None and not raw.empty:  # a column of missing cells has no type
        raise ValueError(wrong)
    if column.levels or column.nominal:
        return _match_levels(raw, column, seen, unseen)
    return raw.values if raw.levels is None else np.full(len(raw.values), np.nan)


_TIMES = ("date", "duration")


def _misfit(raw: Raw, column: ColumnSchema) -> str | None:
    """Why a column cannot be what it was in training, or None."""
    was = f"column {column.name!r} was {column.kind} in training and"
    if not column.nominal and column.kind != "ordered":
        if raw.levels is not None:
            present = np.flatnonzero(raw.values >= 0)[:1]
            cell = raw.levels[raw.values[present[0]]] if len(present) else None
            return f"{was} now holds {shown(cell)}: {_numbers_again(raw, column)}" if len(present) else None
        if (raw.kind in _TIMES or column.kind in _TIMES) and raw.kind != column.kind:
            return f"{was} is {raw.kind} now: convert it to the type it had"
        if column.kind == "bool" and raw.kind != "bool":
            odd = np.flatnonzero(~np.isnan(raw.values) & (raw.values != 0) & (raw.values != 1))
            if len(odd):
                return f"{was} holds {raw.values[odd[0]].item()!r} in row {odd[0]}: only True, False, 1 and 0 are known to it"
    elif (wrong := _other_labels(raw, column)) is not None:
        return wrong
    # Dates as levels are dates too: those with and those without a zone are never equal.
    if raw.kind == "date" and (raw.zone is None) != (column.zone is None) and (column.kind == "date" or _dates(column)):
        then, now = ((zone or "no time zone") for zone in (column.zone, raw.zone))
        remedy = f"dt.tz_localize({column.zone!r})" if raw.zone is None else "dt.tz_localize(None)"
        return f"column {column.name!r} was in {then} in training and is in {now} now: use {remedy} on it"
    return None


def _numbers_again(raw: Raw, column: ColumnSchema) -> str:
    """What to do with a column that held numbers and holds levels now."""
    if column.kind != "number":
        return "convert it to the type it had"
    what = "is categorical" if raw.kind in ("category", "ordered") else "is text"
    return f"it {what} now; convert it to the type it had, such as X[{column.name!r}].astype(float)"


def _other_labels(raw: Raw, column: ColumnSchema) -> str | None:
    """Why no cell of a column can be one of its levels: they were text and it holds none, or the other way round."""
    then = kinds_of(column.levels)
    if raw.levels is None:
        present = raw.values[~np.isnan(raw.values)] if raw.values.dtype.kind == "f" else raw.values
        now = {f"{raw.kind}s" if raw.kind != "bool" else "booleans": present[0].item()} if len(present) else {}
    else:
        held = kinds_of(raw.levels[code] for code in np.unique(raw.values[raw.values >= 0]).tolist())
        now = {kind: found.cell for kind, found in held.items()}
    if not then or not now or ("text" in then) == ("text" in now):
        return None
    (had, _), (holds, cell) = next(iter(then.items())), next(iter(now.items()))
    remedy = f", such as X[{column.name!r}].astype(str)" if "text" in then else ""
    return (
        f"column {column.name!r} held {had} in training and holds {holds} now, such as {shown(cell)}: "
        f"convert it to the type it had{remedy}"
    )


def _dates(column: ColumnSchema) -> bool:
    return bool(column.levels) and isinstance(column.levels[0], dt.date)


def _match_levels(raw: Raw, column: ColumnSchema, seen: tuple[int, ...] | None, unseen: dict[str, dict[Any, int]]) -> Array:
    levels, codes = (raw.levels, raw.values) if raw.levels is not None else factorise(raw)
    assert levels is not None
    # Labels match by equality, so 1 and 1.0 are one level.
    allowed = range(len(column.levels)) if seen is None else seen
    index = {column.levels[code]: code for code in allowed}
    place = np.array([index.get(level, -1) for level in levels] + [-1], np.int32)
    unmatched = [i for i in range(len(levels)) if place[i] < 0]
    if unmatched:
        counts = np.bincount(codes[codes >= 0], minlength=len(levels))
        found = {levels[i]: int(counts[i]) for i in unmatched if counts[i] > 0}
        if found:
            unseen[column.name] = found
    matched = place[codes]
    if column.nominal:
        return matched
    ordered = matched.astype(np.float64)
    ordered[matched < 0] = np.nan
    return ordered


def refuse_infinity(arrays: Sequence[Array], schema: Sequence[ColumnSchema]) -> None:
    """Refuse infinite cells, by column and row."""
    from treewright import _core

    at = 0
    for array in arrays:
        if isinstance(array, SparseColumns):
            found = array.first_infinite()
        elif array.dtype.kind == "f":
            found = _core.first_infinite(array)
        else:
            found = None
        if found is not None:
            row, column = found
            raise ValueError(
                f"column {schema[at + column].name!r} holds infinity in row {row}: "
                "replace it by a number, or by NaN where it is missing"
            )
        at += array.shape[1] if array.ndim == 2 else 1


def missing_cell(arrays: Sequence[Array], schema: Sequence[ColumnSchema]) -> tuple[str, int] | None:
    """Return column and row of the first missing cell of the first column that has one, or None."""
    at = 0
    for array in arrays:
        if isinstance(array, SparseColumns):  # which have none
            at += array.shape[1]
            continue
        for cells in array.T if array.ndim == 2 else [array]:
            missing = np.isnan(cells) if cells.dtype.kind == "f" else (cells < 0 if schema[at].nominal else None)
            if missing is not None and np.any(missing):
                return schema[at].name, int(np.flatnonzero(missing)[0])
            at += 1
    return None


def refuse_missing(
    arrays: Sequence[Array], schema: Sequence[ColumnSchema], policies: str = "missing='most_common' or missing='fraction'"
) -> None:
    """Refuse missing cells, by column and row; ``policies``: what would take them."""
    if (found := missing_cell(arrays, schema)) is not None:
        raise ValueError(f"{_hole(*found)} and missing='refuse': fill it, or fit with e.g. {policies}")


def refuse_holes(arrays: Sequence[Array], schema: Sequence[ColumnSchema]) -> None:
    """Refuse missing cells where nothing would take them."""
    if (found := missing_cell(arrays, schema)) is not None:
        raise ValueError(f"{_hole(*found)}: fill it, or leave the row or the column out")


def _hole(column: str, row: int) -> str:
    return f"column {column!r} is missing (NaN) in row {row}"


def _report_unseen(unseen: dict[str, dict[Any, int]], n_rows: int, schema: TableSchema) -> None:
    cells = sum(sum(found.values()) for found in unseen.values())
    columns = []
    for name, found in list(unseen.items())[:5]:
        levels = ", ".join(f"{shown(level, 40)} {count}" for level, count in list(found.items())[:5])
        columns.append(f"{visible(name)}: {levels}" + (", …" if len(found) > 5 else ""))
    hold = "holds a level" if cells == 1 else "hold levels"
    text = f"{counted(cells, 'cell')} in {counted(n_rows, 'row')} {hold} never seen in training ({'; '.join(columns)})"
    needed = ["unseen='missing'"] * (schema.unseen == "error")
    if schema.missing == "refuse":
        needed.append("a policy for missing cells, such as missing='majority'")
    if needed:
        raise ValueError(f"{text}; fit with {' and '.join(needed)} to treat {'it' if cells == 1 else 'them'} as missing")
    declared = {column.name: set(column.levels) for column in schema.columns if column.name in unseen}
    # A level that was declared (pandas, Arrow) is no news, though no row of the training table had it.
    if any(level not in declared[name] for name, found in unseen.items() for level in found):
        warn_once(text + "; treated as missing", UnseenLevelWarning, ("unseen", *unseen))
