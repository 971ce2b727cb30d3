"""Columns whose kinds are given by a model or another table: a file is read accordingly, whatever its cells look like."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import DataFormatError, TreewrightWarning, outside, shown
from treewright.table.files.number_formats import (
    MISSING,
    Ambiguous,
    Reading,
    as_number,
    bare_numbers,
    formatted_number,
    formatted_pattern,
    number_mask,
    number_signs,
    other_date,
)
from treewright.table.schema import ColumnSchema, TableSchema, TargetSchema
from treewright.table.written import ORDERS, Written, written_of


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a column's cells: number, text, bool, date or duration; dates with the zone they were in.

    Columns that were read from a file know how they were ``written`` there.
    """

    name: str
    zone: str | None = None
    written: Written | None = None


Kinds = Callable[[Sequence[str]], Mapping[str, Kind]]  # by the names of a file's columns


def kinds_of_model(schema: TableSchema, target: TargetSchema) -> Kinds:
    """The kinds of the columns of a model and of its target, by name; by position where the model has no names."""

    def found(names: Sequence[str]) -> dict[str, Kind]:
        by_position = not schema.named and not set(schema.names) <= set(names)
        labels = names if by_position else schema.names
        goal = (
            ColumnSchema(target.name, "number", written=target.written)
            if target.classes is None
            else ColumnSchema(target.name, "nominal", target.classes, written=target.written)
        )
        columns = dict(zip(labels, schema.columns, strict=False))
        columns.setdefault(target.name, goal)
        out = {name: kind_of(column) for name, column in columns.items() if name in names}
        return {name: kind for name, kind in out.items() if kind is not None}

    return found


def kinds_of_table(table: Any) -> Kinds:
    """The kinds of the columns of an Arrow table, by name."""
    out = {field.name: kind for field in table.schema if (kind := _kind_of_field(field)) is not None}
    return lambda names: {name: kind for name, kind in out.items() if name in names}


def remembered(given: Mapping[str, Kind]) -> tuple[str, ...] | None:
    """The cells that were named as missing in the file of which columns were learned; None where none were."""
    lists = [kind.written.missing if kind.written is not None else None for kind in given.values()]
    if all(each is None for each in lists):
        return None
    return tuple(dict.fromkeys(cell for each in lists for cell in (MISSING if each is None else each)))


def kind_of(column: ColumnSchema) -> Kind | None:
    """The kind of a column of a model; None if its levels are of several types."""
    if column.kind not in ("nominal", "ordered"):
        return Kind(column.kind, column.zone, column.written)
    kinds: list[tuple[Any, str]] = [(str, "text"), (bool, "bool"), ((int, float), "number"), (dt.date, "date")]
    for type, name in kinds:
        if column.levels and all(isinstance(level, type) for level in column.levels):
            return Kind(name, column.zone, column.written)
    return None


def _kind_of_field(field: Any) -> Kind | None:
    import pyarrow as pa

    is_, found, written = pa.types, field.type, written_of(field)
    if is_.is_dictionary(found):
        found = found.value_type
    if is_.is_string(found) or is_.is_large_string(found):
        return Kind("text", written=written)
    if is_.is_boolean(found):
        return Kind("bool", written=written)
    if is_.is_time(found) or is_.is_duration(found):
        return Kind("duration", written=written)
    if is_.is_temporal(found):
        return Kind("date", getattr(found, "tz", None), written)
    return Kind("number", written=written) if is_.is_integer(found) or is_.is_floating(found) or is_.is_decimal(found) else None


class Misfit(Exception):
    """A cell that does not fit the kind of its column: its row, and the reason."""

    def __init__(self, row: int, cell: Any, what: str, remedy: str) -> None:
        super().__init__(what)
        self.row, self.cell, self.what, self.remedy = row, cell, what, remedy


def fitted(column: Any, kind: Kind, how: Reading) -> Any:
    """Return a column as its kind; raise Misfit at the first cell that does not fit."""
    import pyarrow as pa

    is_ = pa.types
    found = column.type
    if is_.is_dictionary(found):
        if kind.name == "text":
            return column
        column = column.cast(found.value_type)
        found = column.type
    if is_.is_null(found):
        return column
    text = is_.is_string(found) or is_.is_large_string(found)
    if kind.name == "text":
        return column if text else column.cast(pa.string())
    return _READERS[kind.name](column, kind, how.of(kind.written)) if text else column


def _stripped(column: Any) -> Any:
    """The cells without blanks around them; empty ones are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.equal(bare, ""), pa.scalar(None, bare.type), bare)


def _misfit(bad: Any, column: Any, what: str, remedy: str) -> Misfit:
    import pyarrow.compute as pc

    row = max(0, pc.index(pc.fill_null(bad, False), True).as_py())
    return Misfit(row, column[row].as_py(), what, remedy)


def _numbers(column: Any, _: Kind, how: Reading) -> Any:
    import pyarrow.compute as pc

    cells = _stripped(column)
    plain = number_mask(cells, how.decimal)
    if pc.all(plain).as_py() is not False:
        return as_number(cells, how.decimal)
    try:
        read = formatted_number(cells, how)
    except Ambiguous as error:
        raise _misfit(pc.invert(plain), cells, "can be a thousand or a decimal", "use --decimal . or --decimal ,") from error
    if read is not None:
        return read[0]
    fits = pc.or_(plain, pc.match_substring_regex(bare_numbers(cells), formatted_pattern(how.decimal)))
    if pc.all(fits).as_py() is not False and len(pc.unique(signs := pc.drop_null(number_signs(cells)))) > 1:
        first = signs[0].as_py()
        before = f"with {shown(first)}" if first else "without a sign"
        other = pc.not_equal(number_signs(cells), first)
        raise _misfit(other, cells, f"is written otherwise than the cells before it, {before}", "write all cells alike")
    misfit = _misfit(pc.invert(fits), cells, "is not a number", "")
    comma = "use --decimal , or " if "," in misfit.cell else ""
    misfit.remedy = f"{comma}fix the cell, or name it as missing: --missing {shown(misfit.cell)}"
    raise misfit


def _booleans(column: Any, _: Kind, __: Reading) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    lower = pc.utf8_lower(_stripped(column))
    fits = pc.is_in(lower, pa.array(["true", "false", "1", "0"]))
    if pc.all(pc.if_else(pc.is_valid(lower), fits, True)).as_py() is False:
        bad = pc.and_(pc.invert(fits), pc.is_valid(lower))
        raise _misfit(bad, column, "is neither true nor false", "write true, false, 1, 0 or nothing")
    return pc.if_else(pc.is_valid(lower), pc.is_in(lower, pa.array(["true", "1"])), pa.scalar(None, pa.bool_()))


def _dates(column: Any, kind: Kind, how: Reading) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _stripped(column)
    wanted = [pa.date32(), pa.timestamp("us")] if kind.zone is None else [pa.timestamp("us", tz=kind.zone)]
    for each in wanted:
        try:
            return pc.cast(cells, each)
        except pa.ArrowInvalid:
            continue
    if kind.zone is None:
        try:
            read = other_date(cells, how.dates)
        except Ambiguous as error:
            raise _misfit(
                pc.is_valid(cells), cells, "is a date whose day and month cannot be told apart", "use --dates dmy or --dates mdy"
            ) from error
        if read is not None:
            _tell_order(cells, read[2].dates, kind.written, how.dates)
            return read[0]
    row, what = next(no_dates(cells, kind.zone, how.dates), (0, "is no date that can be compared with the others"))
    raise Misfit(row, cells[row].as_py(), what, "write it as 2024-12-31, or as a missing cell")


_OPEN = r"^(0?[1-9]|1[0-2])[./-](0?[1-9]|1[0-2])[./-]"  # dates whose day may be the month


def _tell_order(cells: Any, found: str | None, written: Written | None, wanted: str | None) -> None:
    """Warn where some cells leave the order of day and month open, and others contradict that which a model was learned with."""
    import pyarrow.compute as pc

    if found is None or written is None or written.dates is None or found in (written.dates, wanted):
        return
    if not pc.any(pc.match_substring_regex(cells, _OPEN)).as_py():
        return
    warnings.warn(
        f"dates were written {ORDERS[written.dates]} where the model was learned; cells of this file can only be "
        f"{ORDERS[found]}, so that all of the column are read like that: if that is wrong, mend those cells",
        TreewrightWarning,
        stacklevel=outside(),
    )


def no_dates(cells: Any, zone: str | None = None, order: str | None = None) -> Iterator[tuple[int, str]]:
    """The rows of the cells of a text column that are no dates, and why."""
    for row, cell in enumerate(cells.to_pylist()):
        if cell is None or not cell.strip():
            continue
        try:
            moment = dt.datetime.fromisoformat(_iso(cell.strip(), order))
        except ValueError:
            yield row, "is no date"
            continue
        if (moment.tzinfo is None) != (zone is None):
            yield row, "has a time zone, the others have none" if zone is None else f"has no time zone, the column is in {zone}"


def _iso(cell: str, order: str | None) -> str:
    if (found := re.match(r"(\d{4})[./](\d{1,2})[./](\d{1,2})", cell)) is not None:
        year, month, day = found.groups()
    elif (found := re.match(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", cell)) is not None:
        month, day = (found[1], found[2]) if order == "mdy" else (found[2], found[1])
        year = found[3]
    else:
        return cell
    return f"{year}-{month:0>2}-{day:0>2}{cell[found.end() :]}"


def _durations(column: Any, _: Kind, __: Reading) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _stripped(column)
    clock = r"^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$"
    fits = pc.match_substring_regex(cells, clock)
    if pc.all(fits).as_py() is False:
        raise _misfit(pc.invert(fits), cells, "is no time of day", "write it as 12:30:00, or as a missing cell")
    padded = pc.replace_substring_regex(cells, r"^(\d):", r"0\1:")
    moments = pc.cast(pc.binary_join_element_wise("1970-01-01", padded, " "), pa.timestamp("us"))
    return pc.cast(pc.cast(moments, pa.int64()), pa.duration("us"))


_READERS: dict[str, Callable[[Any, Kind, Reading], Any]] = {
    "number": _numbers,
    "bool": _booleans,
    "date": _dates,
    "duration": _durations,
}


def fit_table(table: Any, kinds: Mapping[str, Kind], how: Reading, name: str, place: Callable[[int], int | None] | None) -> Any:
    """Return a table with its columns as their kinds; a cell that does not fit is an error with its place."""
    for column, kind in kinds.items():
        j = table.column_names.index(column)
        try:
            cells = fitted(table.column(j), kind, how)
            table = table.set_column(j, table.schema.field(j).with_type(cells.type), cells)
        except Misfit as error:
            line = None if place is None else place(error.row)
            raise misfit_error(error, column, kind, name, line, j + 1) from error
    return table


def misfit_error(error: Misfit, column: str, kind: Kind, name: str, line: int | None, at: int) -> DataFormatError:
    """Build the error for a cell that does not fit the given kind of its column."""
    row = "" if line is not None else f" (row {error.row + 1})"
    what = f"column {shown(column)} holds {_PLURAL[kind.name]}: {shown(error.cell)}{row} {error.what}"
    return DataFormatError(what, name, line, at, remedy=error.remedy)


_PLURAL = {"number": "numbers", "text": "text", "bool": "truth values", "date": "dates", "duration": "durations"}
