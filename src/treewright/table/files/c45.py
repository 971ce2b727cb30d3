"""C4.5's pair of files (Quinlan 1993): ``.names`` declares the classes and attributes, ``.data`` or ``.test`` holds the rows.

The classes come first, then ``name: continuous.``, ``name: ignore.``, ``name: discrete N.`` or ``name: level, level.``; a bar
begins a comment, a backslash takes the next character as it is, ``?`` is a missing cell, and the last cell of a row is its class.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from treewright.errors import DataFormatError, shown
from treewright.table.files.arff import Attribute, typed_array, with_given_kinds
from treewright.table.files.given_kinds import Kinds
from treewright.table.files.plain import plain_columns
from treewright.table.files.source import Source, decoded, find_source

CLASS = "class"


@dataclass(slots=True)
class _Word:
    text: str
    line: int
    end: str  # the character after it: , : . or none


def is_pair(path: str) -> bool:
    """Whether a path is one half of a pair whose other half is there."""
    stem, ending = os.path.splitext(path.removesuffix(".gz"))
    return ending in (".data", ".test", ".names") and _names_file(stem) is not None


def _names_file(stem: str) -> str | None:
    return next((path for path in (f"{stem}.names", f"{stem}.names.gz") if os.path.isfile(path)), None)


def rows_of(path: str, encoding: str | None = None, max_unpacked: int | None = None) -> tuple[str, Source]:
    """The file of declarations and the rows of a pair, of which one half is named."""
    stem, ending = os.path.splitext(path.removesuffix(".gz"))
    names = _names_file(stem)
    if names is None:
        raise DataFormatError("there is no .names file beside it", path, remedy=f"put the declarations into {stem}.names")
    rows = f"{stem}.data" if ending == ".names" else path
    if ending == ".names" and not os.path.isfile(rows) and os.path.isfile(f"{rows}.gz"):
        rows = f"{rows}.gz"
    return names, find_source(rows, encoding, max_unpacked)


def line_of(source: Source, row: int) -> int | None:
    """The line of a row."""
    filled = (number for number, raw in enumerate(source.lines(), 1) if _row(decoded(raw, source, number)) is not None)
    return next((number for at, number in enumerate(filled) if at == row), None)


def read_c45(names: str, source: Source, encoding: str | None = None, kinds: Kinds | None = None) -> Any:
    """Read a pair of files as an Arrow table, the class as its last column."""
    import pyarrow as pa

    attributes = with_given_kinds(read_names(find_source(names, encoding, source.max_unpacked)), kinds)
    kept = [j for j, attribute in enumerate(attributes) if attribute.kind != "ignore"]
    labels = [attributes[j].name for j in kept]
    # The last cell of a row may end in a full stop, and blanks inside a cell count as one: both need the exact reader.
    contents = source.rows()
    odd = contents.endswith(b".") or any(mark in contents for mark in (b".\n", b".\r", b"  ", b"\t"))
    read_as = [Attribute(each.name, "text") if each.kind == "ignore" else each for each in attributes]
    quick = None if odd else plain_columns(contents, b"\\|", read_as)
    if quick is not None:
        return pa.table([quick[j] for j in kept], names=labels)
    columns: list[list[Any]] = [[] for _ in attributes]
    codes: list[dict[str, int]] = [{level: i for i, level in enumerate(attribute.levels)} for attribute in attributes]
    for number, raw in enumerate(source.lines(), 1):
        line = decoded(raw, source, number)
        cells = _row(line)
        if cells is None:
            continue
        if len(cells) != len(attributes):
            raise DataFormatError(
                f"the row has {len(cells)} cells, {len(attributes)} are declared in {names}: {shown(line.strip())}",
                source.name,
                number,
                min(len(cells), len(attributes) + 1),
                remedy="the attributes in their order, then the class",
            )
        for j, cell in enumerate(cells):
            columns[j].append(_value(cell, attributes[j], codes[j], source, number, j + 1))
    if not columns[0]:
        raise DataFormatError("there is no row", source.name, remedy="it needs one line per row")
    arrays = [typed_array(attributes[j], columns[j]) for j in kept]
    return pa.table(arrays, names=labels)


def read_names(source: Source) -> list[Attribute]:
    """Read the declarations: the attributes, then the class."""
    words = _words(source)
    entries: list[list[_Word]] = [[]]
    for word in words:
        entries[-1].append(word)
        if word.end == ".":
            entries.append([])
    entries = [entry for entry in entries if entry]
    if not entries:
        raise DataFormatError("nothing is declared", source.name, remedy="the classes come first, separated by commas")
    head, *rest = entries
    if any(word.end == ":" for word in head):
        raise DataFormatError("the classes are not declared before the attributes", source.name, head[0].line)
    goal = Attribute(CLASS, "nominal", _levels(head, "the class", source))
    attributes = [_declared(entry, source) for entry in rest]
    names = [attribute.name for attribute in attributes] + [CLASS]
    for j, name in enumerate(names):
        if name in names[:j]:
            raise DataFormatError(f"attribute {shown(name)} is declared twice", source.name, remedy="rename one of them")
    return [*attributes, goal]


def _declared(entry: list[_Word], source: Source) -> Attribute:
    name, *values = entry
    if name.end != ":" or not values:
        raise DataFormatError(
            f"{shown(name.text)} declares no values",
            source.name,
            name.line,
            remedy="write name: continuous. or name: a, b.",
        )
    first = values[0].text
    if len(values) == 1 and first in ("continuous", "ignore"):
        return Attribute(name.text, "numeric" if first == "continuous" else "ignore")
    if len(values) == 1 and first.split()[:1] == ["discrete"] and first.split()[1:2] and first.split()[1].isdigit():
        return Attribute(name.text, "text")  # the levels are those that occur
    return Attribute(name.text, "nominal", _levels(values, shown(name.text), source))


def _levels(words: list[_Word], what: str, source: Source) -> tuple[str, ...]:
    levels = tuple(word.text for word in words)
    if len(set(levels)) < len(levels):
        double = next(level for i, level in enumerate(levels) if level in levels[:i])
        raise DataFormatError(f"level {shown(double)} of {what} is declared twice", source.name, words[0].line)
    return levels


def _words(source: Source) -> list[_Word]:
    """Divide the declarations: a word ends at a comma, a colon, a full stop before a blank, or the end of its line."""
    out: list[_Word] = []
    characters: list[str] = []

    def close(end: str, line: int) -> None:
        text = " ".join("".join(characters).split())
        if text:
            out.append(_Word(text, line, end))
        elif out and end == ".":
            out[-1].end = end
        characters.clear()

    for number, raw in enumerate(source.lines(), 1):
        line = decoded(raw, source, number).rstrip("\r\n")
        at = 0
        while at < len(line) and line[at] != "|":
            ch, after = line[at], line[at + 1 : at + 2]
            if ch == "\\" and after:
                characters.append(after)
                at += 1
            elif ch in ",:" or (ch == "." and (not after or after.isspace() or after == "|")):
                close(ch, number)
            else:
                characters.append(ch)
            at += 1
        if "".join(characters).strip():
            close(".", number)
        characters.clear()
    if out:
        out[-1].end = "."
    return out


def _row(line: str) -> list[str] | None:
    """Return the cells of a row; None for an empty line."""
    if "\\" not in line and "|" not in line:
        bare = line.strip().removesuffix(".")
        return [" ".join(cell.split()) for cell in bare.split(",")] if bare else None
    cells: list[str] = []
    characters: list[str] = []
    at, line = 0, line.rstrip("\r\n")
    while at < len(line) and line[at] != "|":
        if line[at] == "\\" and at + 1 < len(line):
            characters.append(line[at + 1])
            at += 1
        elif line[at] == ",":
            cells.append(" ".join("".join(characters).split()))
            characters.clear()
        else:
            characters.append(line[at])
        at += 1
    last = " ".join("".join(characters).split())
    if not cells and not last:
        return None
    return [*cells, last.removesuffix(".")]


def _value(cell: str, attribute: Attribute, codes: dict[str, int], source: Source, line: int, column: int) -> Any:
    if cell == "?" or attribute.kind == "ignore":
        return None
    if attribute.kind == "numeric":
        try:
            value = float(cell) if cell.isascii() and "_" not in cell else float("nan")
        except ValueError:
            value = float("nan")
        if value - value == 0:  # neither infinite nor NaN
            return value
        what = f"column {shown(attribute.name)}: {shown(cell)} is not a number"
        raise DataFormatError(what, source.name, line, column, remedy="write ? for a missing cell")
    if attribute.kind == "text":
        return cell
    if cell not in codes:
        raise DataFormatError(
            f"column {shown(attribute.name)}: {shown(cell)} is not one of the declared levels",
            source.name,
            line,
            column,
            remedy="declare it, or write ? for a missing cell",
        )
    return codes[cell]
