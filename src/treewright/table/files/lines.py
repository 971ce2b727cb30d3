"""JSON lines: one object per line, read by Arrow; where it fails, the place is looked up line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from treewright.errors import DataFormatError, shown
from treewright.table.files.cells import as_moments, looks_typed
from treewright.table.files.given_kinds import Kinds
from treewright.table.files.source import LONGEST_LINE, Source, decoded

# A null outside an object ends the process inside Arrow 26: lines that could hold one are not given to it.
_NULL = re.compile(rb"}\s*n")


def read_lines(source: Source, kinds: Kinds | None = None) -> Any:
    """Read a file of JSON objects, one per line, as an Arrow table."""
    import pyarrow as pa
    import pyarrow.json as arrow_json

    try:
        if not all(_harmless(line, source, number) for number, line in enumerate(source.lines(), 1)):
            table = pa.Table.from_pylist(list(_rows(source)))
        else:
            options = arrow_json.ReadOptions(block_size=LONGEST_LINE)
            with source.arrow() as stream:
                table = arrow_json.read_json(stream, options)
            # Arrow takes text for moments where it can: columns that are given as text are read again as such.
            given = kinds(_names(table)) if kinds is not None else {}
            text = [name for name, kind in given.items() if kind.name == "text"]
            again = [name for name in text if pa.types.is_temporal(table.schema.field(name).type)]
            if again:
                schema = arrow_json.ParseOptions(explicit_schema=pa.schema([(name, pa.string()) for name in again]))
                with source.arrow() as stream:
                    table = arrow_json.read_json(stream, options, schema).select(table.column_names)
            table = _with_moments(table, text)
    except pa.ArrowException as error:
        for _ in _rows(source):
            pass
        message = str(error).partition("\n")[0][:200]
        raise DataFormatError(f"the lines cannot be read ({message})", source.name) from error
    try:
        for column in table.schema:
            if pa.types.is_nested(column.type):
                what = f"column {shown(column.name)} holds {column.type}, not single values"
                raise DataFormatError(what, source.name, remedy="write its parts as columns of their own")
    except UnicodeDecodeError:  # in a name, which Arrow does not look at; the second reader does
        for _ in _rows(source):
            pass
        raise
    if table.num_rows == 0:
        raise DataFormatError("the file is empty", source.name, remedy="it needs one object a line")
    return table


def _with_moments(table: Any, text: Sequence[str]) -> Any:
    """Read the moments that Arrow leaves as text, those with fractions of seconds or a time zone; columns in ``text`` stay."""
    import pyarrow as pa

    for j, name in enumerate(_names(table)):
        if pa.types.is_string(table.schema.field(j).type) and name not in text and looks_typed(table.column(j)):
            moments = as_moments(table.column(j))
            table = table if moments is None else table.set_column(j, name, moments)
    return table


def _names(table: Any) -> list[str]:
    try:
        return list(table.column_names)
    except UnicodeDecodeError:  # refused later
        return []


def line_of(source: Source, row: int) -> int | None:
    """The line of a row."""
    filled = (number for number, line in enumerate(source.lines(), 1) if line.strip())
    return next((number for at, number in enumerate(filled) if at == row), None)


def _harmless(line: bytes, source: Source, number: int) -> bool:
    """Whether Arrow may read a line; refuses what is not UTF-8, which Arrow hands on."""
    if not line.isascii():
        decoded(line, source, number)
    bare = line.strip()
    return not bare or (bare.startswith(b"{") and _NULL.search(bare) is None)


def _rows(source: Source) -> Iterator[dict[str, Any]]:
    """Read line by line; refuse what is no object, and columns whose values are of two kinds."""
    kinds: dict[str, tuple[str, int]] = {}
    empty = True
    for number, raw in enumerate(source.lines(), 1):
        line = decoded(raw, source, number).strip()
        if not line:
            continue
        empty = False
        row = _object(line, source, number)
        for place, (name, value) in enumerate(row.items(), 1):
            kind = _kind(value)
            before = kinds.setdefault(name, (kind, number)) if kind else None
            if before is not None and before[0] != kind:
                raise DataFormatError(
                    f"column {shown(name)}: {shown(value)} is {kind}, in line {before[1]} there was {before[0]}",
                    source.name,
                    number,
                    place,
                    remedy="write all its values alike",
                )
        yield row
    if empty:
        raise DataFormatError("the file is empty", source.name, remedy="it needs one object a line")


def _object(line: str, source: Source, number: int) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            name = next(name for at, (name, _) in enumerate(pairs) if name in dict(pairs[:at]))
            raise DataFormatError(f"{shown(name)} occurs twice in one object", source.name, number)
        return found

    try:
        row = json.loads(line, object_pairs_hook=once, parse_int=_whole)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        what = f"{shown(error.object[error.start])} is half of a pair of surrogates, and no text"
        raise DataFormatError(what, source.name, number) from error
    except json.JSONDecodeError as error:
        what = f"this is not JSON ({error.msg}): {shown(line)}"
        raise DataFormatError(what, source.name, number, error.colno, remedy="it needs one object a line") from error
    except RecursionError as error:
        raise DataFormatError("the values are nested too deeply", source.name, number) from error
    if not isinstance(row, dict):
        remedy = "write one object a line, without brackets and commas around them (JSON lines)" if isinstance(row, list) else ""
        raise DataFormatError(
            f"the line holds {shown(row)}, not an object", source.name, number, 1, remedy=remedy or "it needs one object a line"
        )
    return row


def _whole(digits: str) -> int | float:
    """A whole number; as a float where 64 bits cannot hold it, as in Arrow."""
    value = int(digits) if len(digits) < 25 else 2**64
    return value if -(2**63) <= value < 2**63 else float(digits)


def _kind(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "a truth value"
    names = {int: "a number", float: "a number", str: "text", dict: "an object", list: "a list"}
    return names[type(value)]
