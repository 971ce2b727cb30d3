"""Delimited text (CSV and its relatives): Arrow reads it; where it fails, the place is looked up line by line.

Arrow decides a column's type by its first block. Here the whole column decides: a column that turns out otherwise is read
again as text and typed as one, so that it does not matter where in the file an odd cell stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treewright import _core
from treewright.errors import DataFormatError, shown
from treewright.table.files.cells import LEADING_ZEROS, hold_codes, looks_typed, odd_cell, odd_error, typed
from treewright.table.files.given_kinds import Kind, Misfit, fitted, misfit_error
from treewright.table.files.number_formats import Reading
from treewright.table.files.records import records
from treewright.table.files.sniff import Dialect, nul_error, open_quote
from treewright.table.files.source import LONGEST_LINE, Source, decoded
from treewright.table.written import Written, with_written

_COLUMN = re.compile(r"CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\w+)")  # the row, where one thread reads
_PATIENCE = 3  # readings before everything is read as text
_CODE = 32  # bytes of a code that may lie across two pieces of a file
_BLOCK = 1 << 20  # bytes Arrow parses at once: larger ones leave the cache; longer lines are read again by the longest allowed


def read_delimited(
    source: Source,
    dialect: Dialect,
    text: Sequence[str],
    given: Mapping[str, Kind],
    how: Reading,
    only: Sequence[str] | None = None,
    quotes: _core.Quotes | None = None,
) -> tuple[Any, dict[str, str]]:
    """Read a delimited file as an Arrow table, with notes on what is not obvious about how columns were read.

    Columns in ``text`` are not typed, those in ``given`` have the kinds they are given. ``only``: some of the columns, which are
    read as they are beside the others; ``quotes``: what those of the file do, where its bytes have been checked.
    """
    import pyarrow as pa

    quotes = check_bytes(source, dialect) if quotes is None else quotes
    columns = dialect.names if only is None else only
    block = _BLOCK
    kinds: dict[str, Any] = {name: pa.string() for name in text if name in dialect.names}
    for name, kind in given.items():
        quick = kind.name == "number" and how.of(kind.written).decimal == dialect.decimal
        kinds[name] = pa.float64() if quick else pa.string()
    table = None
    for _ in range(_PATIENCE + 1):
        try:
            table = _arrow(source, dialect, how.absent, kinds, quotes, block, only)
            break
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) and block < LONGEST_LINE:
                block = LONGEST_LINE
                continue
            if "conversion error" not in str(error):
                raise _parse_error(source, dialect, str(error)) from error
            found = _COLUMN.search(str(error))
            if found is None:
                break
            # A column of whole numbers may go on with others; anything else is read as text first.
            name = dialect.names[int(found[1])]
            kinds[name] = pa.float64() if found[2].startswith("int") else pa.string()
    again = [name for name, kind in kinds.items() if kind == pa.string() and name not in text]
    if table is None:
        again = [name for name in columns if name not in text]
        table = _arrow(source, dialect, how.absent, dict.fromkeys(dialect.names, pa.string()), quotes, LONGEST_LINE, only)
    codes = _codes(
        table, source, dialect, [*text, *given], lambda kinds: _arrow(source, dialect, how.absent, kinds, quotes, block, only)
    )
    if table.num_rows == 0:
        raise DataFormatError("there is no row below the column names", source.name, remedy="it needs one line per row")
    for name, column in codes.items():
        table = table.set_column(table.column_names.index(name), name, column)
    table, notes = _finished(table, source, dialect, again, [*text, *codes], given, how)
    return table, notes | dict.fromkeys(codes, LEADING_ZEROS)


def _codes(
    table: Any, source: Source, dialect: Dialect, known: Sequence[str], read: Callable[[dict[str, Any]], Any]
) -> dict[str, Any]:
    """The columns that Arrow read as whole numbers and that hold codes with leading zeros, as text."""
    import pyarrow as pa

    whole = [field.name for field in table.schema if pa.types.is_integer(field.type) and field.name not in known]
    if not whole or not _leading_zeros(source, dialect.delimiter):
        return {}
    kinds = {field.name: pa.string() if field.name in whole else field.type for field in table.schema}
    cells = read(kinds)
    return {name: column for name in whole if hold_codes(column := cells.column(name))}


def _leading_zeros(source: Source, delimiter: str) -> bool:
    """Whether some cell may be a whole number that begins with a zero."""
    before = [delimiter.encode(), b"\n", b"\r", b'"']
    ends = re.escape(b"".join(before))
    # A pattern each: what begins with a literal is found at the speed of memory.
    patterns = [re.compile(re.escape(sign) + rb"[ \t]*[+-]?0[0-9]+[ \t]*[" + ends + rb"]") for sign in before]
    rest = b"\n"
    for chunk in source.chunks():
        piece = rest + bytes(chunk)
        if any(pattern.search(piece) for pattern in patterns):
            return True
        rest = piece[-_CODE:]
    return any(pattern.search(rest + b"\n") for pattern in patterns)


def _arrow(
    source: Source,
    dialect: Dialect,
    missing: list[str],
    kinds: dict[str, Any],
    quotes: _core.Quotes,
    block: int,
    only: Sequence[str] | None,
) -> Any:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    names, skip = list(dialect.names), int(dialect.header)
    # Blocks handed from thread to thread cost a quarter more than the same blocks read in turn.
    threads = pa.cpu_count() > 1
    read = arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=skip, block_size=block, use_threads=threads)
    parse = arrow_csv.ParseOptions(
        delimiter=dialect.delimiter, newlines_in_values=quotes.hold_lines, quote_char='"' if quotes.count else False
    )
    convert = arrow_csv.ConvertOptions(
        column_types=kinds,
        include_columns=None if only is None else list(only),
        null_values=missing,
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        decimal_point=dialect.decimal,
    )
    with source.arrow(unbroken=quotes.hold_returns) as stream:
        # Arrow's own pool requests huge pages, which cost the system up to a second to clear where memory is fragmented.
        return arrow_csv.read_csv(stream, read, parse, convert, pa.system_memory_pool())


def _finished(
    table: Any,
    source: Source,
    dialect: Dialect,
    again: Sequence[str],
    text: Sequence[str],
    given: Mapping[str, Kind],
    how: Reading,
) -> tuple[Any, dict[str, str]]:
    """Type the columns that were read as text; refuse those in which nearly all cells, but not all, have one type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    notes: dict[str, str] = {}
    for at, name in enumerate(table.column_names):
        column, j = table.column(at), dialect.names.index(name)
        written = Written(dialect.decimal) if pa.types.is_integer(column.type) or pa.types.is_floating(column.type) else Written()
        if pa.types.is_binary(column.type):
            _refuse_bytes(source)
        if dialect.spaced and pa.types.is_string(column.type):
            column = pc.utf8_trim_whitespace(column)
            column = pc.if_else(pc.is_in(column, pa.array(how.absent, pa.string())), pa.scalar(None, pa.string()), column)
        if name in given:
            kind = given[name]
            try:
                column, written = fitted(column, kind, how), kind.written or Written()
            except Misfit as error:
                raise misfit_error(error, name, kind, source.name, _place(source, dialect, error.row)[0], j + 1) from error
        elif pa.types.is_string(column.type) and name not in text:
            formatted = looks_typed(column)
            if name in again or dialect.spaced or formatted:
                column, notes[name], written = typed(column, how)
            if formatted and pa.types.is_string(column.type) and (odd := odd_cell(column, dialect.decimal)) is not None:
                row, n, what = odd
                raise odd_error(column[row].as_py(), n, what, name, source.name, _place(source, dialect, row)[0], j + 1)
        if pa.types.is_floating(column.type) and pc.any(overflow := pc.is_inf(column)).as_py():
            line, cells = _place(source, dialect, pc.index(overflow, True).as_py())
            raise DataFormatError(
                f"column {shown(name)}: {shown(cells[j] if j < len(cells) else 'inf')} is beyond all numbers",
                source.name,
                line,
                j + 1,
                remedy="replace it by a number, or name it as missing",
            )
        field = with_written(pa.field(name, column.type), replace(written, missing=how.missing))
        table = table.set_column(at, field, column)
    return table, {name: note for name, note in notes.items() if note}


def check_bytes(source: Source, dialect: Dialect) -> _core.Quotes:
    """Refuse bytes that Arrow would take for text, and a quote that is never closed; return what the quotes do."""
    quotes, place = _core.Quotes(dialect.delimiter), 0
    for chunk in source.chunks():
        if (at := chunk.find(b"\0")) >= 0:
            raise nul_error(source, _line_of(source, place + at))
        place += len(chunk)
        quotes.feed(chunk)
    if quotes.open:
        for line, cells in _records(source, dialect):
            if cells is None:
                raise open_quote(source, line)
    return quotes


def _line_of(source: Source, place: int) -> int:
    """The line of a byte."""
    line = 1
    for chunk in source.chunks():
        line += chunk[: max(0, place)].count(b"\n")
        place -= len(chunk)
    return line


def _refuse_bytes(source: Source) -> None:
    line = 1
    for chunk in source.lines():
        decoded(chunk, source, line)
        line += 1


def _records(source: Source, dialect: Dialect) -> Iterator[tuple[int, list[str] | None]]:
    """Return every record, the header included, with the number of its first line."""
    lines = (decoded(line, source, number) for number, line in enumerate(source.lines(), 1))
    return records(lines, dialect.delimiter)


def _place(source: Source, dialect: Dialect, row: int) -> tuple[int | None, list[str]]:
    """Return the line of a row and its cells."""
    for at, (line, cells) in enumerate(_records(source, dialect)):
        if at == row + int(dialect.header):
            return line, cells or []
    return None, []


def _parse_error(source: Source, dialect: Dialect, message: str) -> DataFormatError:
    """Find the place at which Arrow failed."""
    wide = len(dialect.names)
    for line, cells in _records(source, dialect):
        if cells is None:
            return open_quote(source, line)
        if len(cells) != wide:
            return DataFormatError(
                f"the line has {len(cells)} {'cell' if len(cells) == 1 else 'cells'}, the first has {wide}: "
                f"{shown(dialect.delimiter.join(cells))}",
                source.name,
                line,
                min(len(cells), wide + 1),
                remedy=f"quote cells that hold {shown(dialect.delimiter)}, or fix the line",
            )
    if "straddl" in message:
        limit = f"a row is longer than {LONGEST_LINE >> 20} MiB"
        return DataFormatError(limit, source.name, remedy="is the delimiter another?")
    return DataFormatError(f"the text cannot be divided into cells ({message.partition(chr(10))[0][:200]})", source.name)
