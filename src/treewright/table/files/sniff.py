"""The dialect of a delimited text file, learned from its first lines: delimiter, decimal sign, header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from treewright.errors import DataFormatError, shown
from treewright.table.files.given_kinds import Kinds
from treewright.table.files.records import records
from treewright.table.files.source import HEAD, LONGEST_LINE, Source, decoded

DELIMITERS = (",", ";", "\t", "|")
MOST_COLUMNS = 100_000
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
_DOT = re.compile(r"\s*[+-]?\d*\.\d+\s*")
_SAMPLE = 200  # records


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited file is written.

    Attributes
    ----------
    delimiter, decimal : str
        The character between cells, and the one before the decimals of a number.
    header : bool
        Whether the first line holds the names.
    names : tuple of str
        The names of the columns.
    spaced : bool
        Whether every delimiter is followed by a blank that belongs to it.
    """

    delimiter: str
    decimal: str
    header: bool
    names: tuple[str, ...] = ()
    spaced: bool = False

    def text(self) -> str:
        """Describe how the file is written."""
        names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
        out = [f"{names.get(self.delimiter, repr(self.delimiter))}-separated"]
        out += ["decimal comma"] * (self.decimal == ",")
        out += ["no header"] * (not self.header)
        return ", ".join(out)


def sniff(source: Source, delimiter: str | None, decimal: str | None, header: bool | None, kinds: Kinds | None = None) -> Dialect:
    """Learn the dialect; what is given is not guessed, and the decimal sign is learned from columns that may be numbers."""
    lines = first_lines(source)
    if not any(line.strip() for line in lines):
        raise DataFormatError("the file is empty", source.name, remedy="it needs a line of column names and one line per row")
    found = delimiter or _delimiter(lines)
    rows = _split(lines, found)
    if not rows:
        raise open_quote(source, 1)
    first = rows[0]
    if len(first) > MOST_COLUMNS:
        raise DataFormatError(
            f"the first line has {len(first)} cells, more than the {MOST_COLUMNS} columns a table may have",
            source.name,
            1,
            remedy=f"is {shown(found)} the delimiter?",
        )
    spaced = len(first) > 1 and all(cell[:1] == " " for row in rows for cell in row[1:])
    if spaced:
        first = [cell.strip() for cell in first]
    named = not any(map(NUMBER.fullmatch, first)) if header is None else header
    names = _names(first, source) if named else tuple(f"x{j}" for j in range(len(first)))
    not_numbers = {name for name, kind in kinds(names).items() if kind.name != "number"} if kinds is not None else set()
    cells = [cell for row in rows for cell, name in zip(row, names, strict=False) if name not in not_numbers]
    commas = found != "," and any(map(_COMMA.fullmatch, cells)) and not any(map(_DOT.fullmatch, cells))
    return Dialect(found, decimal or ("," if commas else "."), named, names, spaced)


def first_lines(source: Source) -> list[str]:
    """Return the first lines as text, whole ones only."""
    contents = source.head()
    if len(contents) == HEAD:
        end = contents.rfind(b"\n") + 1 or contents.rfind(b"\r") + 1
        contents = contents[:end] if end else _first_line(source)
    if (at := contents.find(b"\0")) >= 0:
        raise nul_error(source, contents[:at].count(b"\n") + 1)
    text = decoded(contents, source)
    return [f"{line}\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def _first_line(source: Source) -> bytes:
    head = source.head(LONGEST_LINE + 1)
    ends = [at for at in (head.find(b"\n"), head.find(b"\r")) if at >= 0]
    if not ends and len(head) > LONGEST_LINE:
        raise source.too_long(1)
    return head[: min(ends)] if ends else head


def nul_error(source: Source, line: int) -> DataFormatError:
    """Build the error for a NUL byte."""
    return DataFormatError("there is a NUL byte: this is not text", source.name, line, remedy="is it a binary file, or UTF-16?")


def open_quote(source: Source, line: int) -> DataFormatError:
    """Build the error for a quote that is never closed."""
    return DataFormatError(
        "a quote opened here is not closed before the end of the file",
        source.name,
        line,
        remedy='close it, or write "" for a quote inside a quoted cell',
    )


def _split(lines: list[str], delimiter: str) -> list[list[str]]:
    rows = (cells for _, cells in records(lines, delimiter) if cells is not None)
    return list(islice(rows, _SAMPLE))


def _delimiter(lines: list[str]) -> str:
    best, score = ",", (0.0, 0)
    for candidate in DELIMITERS:
        if not any(candidate in line for line in lines[:_SAMPLE]):
            continue
        rows = _split(lines, candidate)
        wide = len(rows[0]) if rows else 0
        if wide < 2:
            continue
        alike = sum(len(row) == wide for row in rows) / len(rows)
        if (alike, wide) > score:
            best, score = candidate, (alike, wide)
    return best


def _names(first: list[str], source: Source) -> tuple[str, ...]:
    names: list[str] = []
    seen: dict[str, int] = {}
    for j, cell in enumerate(first, 1):
        name = cell if cell.strip() else f"column {j}"
        if name in seen:
            raise DataFormatError(
                f"two columns are named {shown(name)}, the first is number {seen[name]}",
                source.name,
                1,
                j,
                remedy="rename one of them",
            )
        seen[name] = j
        names.append(name)
    return tuple(names)
