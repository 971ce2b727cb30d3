"""ARFF, Weka's format: declared attributes, then rows, dense or sparse. One pass over the characters, no regular expressions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treewright.errors import DataFormatError, shown
from treewright.table.files.cells import declared
from treewright.table.files.given_kinds import Kinds
from treewright.table.files.plain import plain_columns
from treewright.table.files.source import Source, decoded

_NUMERIC = ("numeric", "real", "integer")
# Java's date patterns as Python's; the longer ones first.
_DATE = [("yyyy", "%Y"), ("yy", "%y"), ("MM", "%m"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"), ("SSS", "%f")]
_DATE += [("'T'", "T")]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column: numeric, nominal (with levels), text or date (with a pattern)."""

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as written; ``quoted`` ones are never missing."""

    text: str
    quoted: bool


def read_arff(source: Source, kinds: Kinds | None = None) -> Any:
    """Read an ARFF file as an Arrow table; nominal columns have their declared levels, unless ``kinds`` gives others."""
    import pyarrow as pa

    consumed = 0

    def counted() -> Iterator[tuple[int, str]]:
        nonlocal consumed
        for number, raw in enumerate(source.lines(), 1):
            consumed += len(raw)
            yield number, decoded(raw, source, number)

    lines = counted()
    written = _header(lines, source)
    if not written:
        raise DataFormatError("no attribute is declared before @data", source.name, remedy="declare columns by @attribute")
    attributes = with_given_kinds(written, kinds)
    names = [attribute.name for attribute in attributes]
    quick = plain_columns(source.rows(consumed), b"'\"\\{%", attributes)
    if quick is not None:
        return pa.table(quick, names=names)
    makers = [_maker(attribute, source, j) for j, attribute in enumerate(attributes, 1)]
    columns: list[list[Any]] = [[] for _ in attributes]
    for number, line in lines:
        bare = line.strip()
        if not bare or bare[0] == "%":
            continue
        if bare[0] == "{":
            cells = _sparse(bare, written, source, number)
        elif "'" in bare or '"' in bare or "\\" in bare:
            cells = split_cells(bare, source, number)
        else:
            cells = [Cell(cell.strip(), False) for cell in bare.split(",")]
        if len(cells) != len(attributes):
            raise DataFormatError(
                f"the row has {len(cells)} cells, {len(attributes)} attributes are declared: {shown(bare)}",
                source.name,
                number,
                min(len(cells), len(attributes) + 1),
                remedy="quote a cell that holds a comma, or fix the row",
            )
        for cell, make, column in zip(cells, makers, columns, strict=True):
            column.append(None if not cell.quoted and cell.text == "?" else make(cell.text, number))
    if not columns[0]:
        raise DataFormatError("there is no row after @data", source.name, remedy="it needs one line per row")
    arrays = [typed_array(attribute, column) for attribute, column in zip(attributes, columns, strict=True)]
    return pa.table(arrays, names=names)


def with_given_kinds(attributes: list[Attribute], kinds: Kinds | None) -> list[Attribute]:
    """The declared columns, those given as numbers or text as such: no cell is converted twice."""
    given = {} if kinds is None else kinds([attribute.name for attribute in attributes])
    out = []
    for each in attributes:
        name = given[each.name].name if each.name in given and each.kind != "ignore" else ""
        if name == "number" and each.kind != "date":
            out.append(Attribute(each.name, "numeric"))
        else:
            out.append(Attribute(each.name, "text") if name and each.kind == "numeric" else each)
    return out


def line_of(source: Source, row: int) -> int | None:
    """The line of a row."""
    lines = ((number, decoded(raw, source, number).strip()) for number, raw in enumerate(source.lines(), 1))
    for _, line in lines:
        if line.lower().startswith("@data"):
            break
    filled = (number for number, line in lines if line and line[0] != "%")
    return next((number for at, number in enumerate(filled) if at == row), None)


def typed_array(attribute: Attribute, values: list[Any]) -> Any:
    """Return the values of a column as an Arrow array of the declared type."""
    import pyarrow as pa

    if attribute.kind == "nominal":
        return declared(values, attribute.levels)
    kinds = {"numeric": pa.float64(), "text": pa.string(), "date": pa.timestamp("us")}
    return pa.array(values, kinds[attribute.kind])


def _header(lines: Iterator[tuple[int, str]], source: Source) -> list[Attribute]:
    attributes: list[Attribute] = []
    seen: dict[str, int] = {}
    for number, line in lines:
        bare = line.strip()
        if not bare or bare[0] == "%":
            continue
        word = bare.split(None, 1)[0].lower()
        if word == "@relation":
            continue
        if word == "@data":
            return attributes
        if word != "@attribute":
            raise DataFormatError(
                f"{shown(bare)} is neither @relation, @attribute nor @data", source.name, number, remedy="is this an ARFF file?"
            )
        attribute = _attribute(bare[len("@attribute") :].strip(), source, number)
        if attribute.name in seen:
            raise DataFormatError(
                f"attribute {shown(attribute.name)} was declared in line {seen[attribute.name]} already", source.name, number
            )
        seen[attribute.name] = number
        attributes.append(attribute)
    raise DataFormatError("the file ends before @data", source.name, remedy="the rows follow a line @data")


def _attribute(text: str, source: Source, line: int) -> Attribute:
    name, rest = _word(text, source, line)
    if rest.startswith("{"):
        if not rest.endswith("}"):
            raise DataFormatError(f"the levels of {shown(name)} are not closed by }}", source.name, line)
        levels = tuple(cell.text for cell in split_cells(rest[1:-1], source, line)) if rest[1:-1].strip() else ()
        if len(set(levels)) < len(levels):
            double = next(level for i, level in enumerate(levels) if level in levels[:i])
            raise DataFormatError(f"level {shown(double)} of {shown(name)} is declared twice", source.name, line)
        return Attribute(name, "nominal", levels)
    kind, _, pattern = rest.partition(" ")
    kind = kind.lower()
    if kind in _NUMERIC:
        return Attribute(name, "numeric")
    if kind == "string":
        return Attribute(name, "text")
    if kind == "date":
        return Attribute(name, "date", pattern=_pattern(pattern.strip().strip("\"'"), source, line))
    raise DataFormatError(
        f"attribute {shown(name)} has the type {shown(rest)}",
        source.name,
        line,
        remedy="known are numeric, real, integer, string, date and {level, level, ...}",
    )


def _pattern(java: str, source: Source, line: int) -> str:
    out, at, java = "", 0, java or "yyyy-MM-dd'T'HH:mm:ss"
    while at < len(java):
        found = next(((j, p) for j, p in _DATE if java.startswith(j, at)), None)
        if found is not None:
            if found[1].startswith("%") and found[1] in out.replace("%%", ""):
                raise DataFormatError(f"date pattern {shown(java)} has {found[0]} twice", source.name, line)
            out, at = out + found[1], at + len(found[0])
        elif java[at].isalpha() or java[at] == "'":
            raise DataFormatError(f"date pattern {shown(java)} is not understood", source.name, line)
        else:
            out, at = out + java[at].replace("%", "%%"), at + 1
    return out


def _word(text: str, source: Source, line: int) -> tuple[str, str]:
    """Take a name, quoted or not, from the front of a text."""
    if not text:
        raise DataFormatError("an attribute has no name", source.name, line)
    if text[0] in "'\"":
        cell, end = _quoted(text, 0, source, line)
        return cell, text[end:].strip()
    end = next((at for at, ch in enumerate(text) if ch.isspace() or ch == "{"), len(text))
    return text[:end], text[end:].strip()


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _quoted(text: str, at: int, source: Source, line: int) -> tuple[str, int]:
    """Read a quoted text that begins at ``at``: the text and the index after it."""
    mark = text[at]
    out = []
    i = at + 1
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text):
            out.append(_ESCAPES.get(text[i + 1], text[i + 1]))
            i += 2
            continue
        if text[i] == mark:
            return "".join(out), i + 1
        out.append(text[i])
        i += 1
    raise DataFormatError(f"a quote is not closed: {shown(text[at:])}", source.name, line, at + 1)


def split_cells(text: str, source: Source, line: int) -> list[Cell]:
    """Divide a line at its commas, except those inside quotes or after a backslash."""
    cells: list[Cell] = []
    at, n = 0, len(text)
    while True:
        while at < n and text[at].isspace():
            at += 1
        if at < n and text[at] in "'\"":
            content, at = _quoted(text, at, source, line)
            while at < n and text[at].isspace():
                at += 1
            if at < n and text[at] != ",":
                raise DataFormatError(f"{shown(text[at:])} follows a closing quote", source.name, line, len(cells) + 1)
            cells.append(Cell(content, True))
        else:
            out = []
            while at < n and text[at] != ",":
                if text[at] == "\\" and at + 1 < n:
                    at += 1
                out.append(text[at])
                at += 1
            cells.append(Cell("".join(out).strip(), False))
        if at >= n:
            return cells
        at += 1


def _sparse(text: str, attributes: list[Attribute], source: Source, line: int) -> list[Cell]:
    """Read ``{index value, ...}``; what is not listed is 0, or the first declared level."""
    if not text.endswith("}"):
        raise DataFormatError(f"the sparse row is not closed by }}: {shown(text)}", source.name, line)
    row: dict[int, Cell] = {}
    for cell in split_cells(text[1:-1], source, line) if text[1:-1].strip() else []:
        index, _, rest = cell.text.partition(" ")
        inner = split_cells(rest.strip(), source, line)[0] if rest.strip() else Cell("", False)
        if not (index.isascii() and index.isdigit()) or int(index[:12]) >= len(attributes) or len(index) > 12:
            raise DataFormatError(
                f"index {shown(index)} of the sparse row is not one of the {len(attributes)} attributes (0 is the first)",
                source.name,
                line,
            )
        if int(index) in row:
            raise DataFormatError(f"index {index} occurs twice in the sparse row", source.name, line)
        row[int(index)] = inner
    return [row.get(j) or _default(attribute) for j, attribute in enumerate(attributes)]


def _default(attribute: Attribute) -> Cell:
    if attribute.kind == "nominal" and attribute.levels:
        return Cell(attribute.levels[0], True)
    return Cell("0", False) if attribute.kind == "numeric" else Cell("?", False)


def _maker(attribute: Attribute, source: Source, j: int) -> Any:
    """Return the function that makes a value of a cell of a column."""

    def refuse(text: str, line: int, why: str, remedy: str) -> DataFormatError:
        return DataFormatError(f"column {shown(attribute.name)}: {shown(text)} {why}", source.name, line, j, remedy=remedy)

    def number(text: str, line: int) -> float:
        try:
            if text.isascii() and "_" not in text and text.lower().lstrip("+-") not in ("nan", "inf", "infinity"):
                value = float(text)
                if abs(value) != float("inf"):
                    return value
        except ValueError:
            pass
        raise refuse(text, line, "is not a number", "write ? for a missing cell")

    place = {level: code for code, level in enumerate(attribute.levels)}

    def level(text: str, line: int) -> int:
        if text in place:
            return place[text]
        raise refuse(text, line, "is not one of the declared levels", "declare it, or write ? for a missing cell")

    def date(text: str, line: int) -> dt.datetime:
        try:
            return dt.datetime.strptime(text, attribute.pattern)
        except ValueError as error:
            why = f"is not a date of the pattern {shown(attribute.pattern)}"
            raise refuse(text, line, why, "write ? for a missing cell") from error

    return {"numeric": number, "nominal": level, "date": date, "text": lambda text, _: text}[attribute.kind]
