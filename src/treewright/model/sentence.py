"""Text that people or rules wrote, taken apart: quoted names are whole, words may be upper or lower case, blanks may be many."""

from __future__ import annotations

import math
import re
from ast import literal_eval

from treewright.errors import shown, unknown
from treewright.table.schema import ColumnSchema, TableSchema

_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")


class Text:
    """A text and its shadow, in which quoted strings are blanked, so that signs and words inside them are not seen."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.shadow = _QUOTED.sub(lambda found: "'" * len(found[0]), self.text)

    def split(self, pattern: str, most: int = 0) -> list[str]:
        """The parts between what a pattern finds, at ``most`` so many times (0: always); words in upper or lower case."""
        out, at = [], 0
        for n, found in enumerate(re.finditer(pattern, self.shadow, re.IGNORECASE)):
            if most and n == most:
                break
            out.append(self.text[at : found.start()])
            at = found.end()
        return [*out, self.text[at:]]


def is_quoted(text: str) -> bool:
    """Whether a text is one quoted string."""
    return _QUOTED.fullmatch(text) is not None


def name_of(text: str) -> str:
    """A name as it is, without quotes."""
    text = text.strip()
    if not is_quoted(text):
        return text
    try:
        return str(literal_eval(text))
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{shown(text)} is no quoted name") from error


def number_of(text: str, what: str) -> float:
    """A finite number; ``what`` it is, for errors."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{what} must be a number, not {shown(text.strip())}") from None
    return finite(number, text, what)


def finite(number: float, text: str, what: str) -> float:
    """The number that a text says, if it is finite."""
    if not math.isfinite(number):
        raise ValueError(f"{what} must be a finite number (up to 1.8e308), not {shown(text.strip())}")
    return number


def column_of(text: str, schema: TableSchema) -> tuple[ColumnSchema, int]:
    """The column of a name, and its position."""
    name = name_of(text)
    if name not in schema.names:
        raise unknown("column", name, schema.names)
    index = schema.names.index(name)
    return schema.columns[index], index


def code_of(column: ColumnSchema, text: str, what: str | None = None) -> int:
    """The position of a level; ``what`` it is called in errors."""
    texts = {column.level_text(code): code for code in range(len(column.levels))}
    if text not in texts and is_quoted(text):
        texts = {str(level): code for code, level in enumerate(column.levels)}
        text = name_of(text)
    if text not in texts:
        truth = {str(level).lower(): code for code, level in enumerate(column.levels) if isinstance(level, bool)}
        if text.lower() not in truth:
            raise unknown(what or f"level of {column.name!r}", text, texts)
        return truth[text.lower()]
    return texts[text]
