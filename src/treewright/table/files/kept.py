"""Rows of a delimited file as they were written, byte for byte, with further cells at their end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treewright import _core
from treewright.errors import DataFormatError
from treewright.table.files.number_formats import NUMBER
from treewright.table.files.records import records
from treewright.table.files.sniff import Dialect
from treewright.table.files.source import Source, decoded

_RUN = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of a formula
_NUMBER = re.compile(NUMBER.replace(r"\.", "[.,]"))


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """The rows of a delimited file as they were written.

    Attributes
    ----------
    source : Source
        The file.
    dialect : Dialect
        How it is written.
    """

    source: Source
    dialect: Dialect

    def with_columns(self, columns: dict[str, Sequence[Any]], safe: bool = False) -> bytes:
        """The whole file with further columns at the end of its rows, and of its header if it has one.

        ``safe`` puts a quote before text that a spreadsheet would run, for which cells are written anew.
        """
        ends = self._ends(columns, safe)
        out = []
        for record in self._records():
            end = next(ends, None)
            if end is None:
                raise DataFormatError("the file has changed while it was read", self.source.name, remedy="try again")
            bare = record.rstrip(b"\r\n")
            out.append((self._safe(bare) if safe else bare) + end + record[len(bare) :])
        if next(ends, None) is not None:
            raise DataFormatError("the file has changed while it was read", self.source.name, remedy="try again")
        return self.source.as_written(b"".join(out))

    def _records(self) -> Iterator[bytes]:
        """The lines of every record with their ends; empty lines are none."""
        quotes, record = _core.Quotes(self.dialect.delimiter), b""
        for line in self.source.lines():
            quotes.feed(line)
            if record or line.rstrip(b"\r\n"):
                record += line
            if record and not quotes.open:
                yield record
                record = b""
        if record:
            yield record

    def _ends(self, columns: dict[str, Sequence[Any]], safe: bool) -> Iterator[bytes]:
        if self.dialect.header:
            yield self._end(list(columns), safe)
        for row in zip(*columns.values(), strict=True):
            yield self._end(row, safe)

    def _end(self, cells: Sequence[Any], safe: bool) -> bytes:
        sign = self.dialect.delimiter
        return "".join(f"{sign}{self._cell(cell, safe)}" for cell in cells).encode("utf-8", "surrogatepass")

    def _cell(self, cell: Any, safe: bool) -> str:
        """A cell as this file would have it: its decimal sign, and quotes where they are needed."""
        text = "" if cell is None else str(cell)
        if isinstance(cell, float):
            text = text.replace(".", self.dialect.decimal)
        elif safe and isinstance(cell, str) and text.startswith(_RUN):
            text = f"'{text}"
        needs = any(sign in text for sign in (self.dialect.delimiter, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if needs else text

    def _safe(self, record: bytes) -> bytes:
        _, cells = next(records(decoded(record, self.source).splitlines(keepends=True), self.dialect.delimiter))
        written = (f"'{cell}" if cell.startswith(_RUN) and not _NUMBER.match(cell) else cell for cell in cells or ())
        return self.dialect.delimiter.join(self._cell(cell, False) for cell in written).encode()
