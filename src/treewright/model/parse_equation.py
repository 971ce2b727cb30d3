"""Equations written as text, read back."""

from __future__ import annotations

import re

from treewright.errors import shown
from treewright.model.linear import Equation, LinearTerm
from treewright.model.sentence import Text, code_of, column_of, number_of
from treewright.table.schema import TableSchema

_PLUS = re.compile(r" ([+-]) ")
_FILL = re.compile(r" \[(\S+) if missing\]$", re.IGNORECASE)


def parse_equation(text: str, schema: TableSchema, what: str) -> Equation:
    """Read an equation such as ``2.5 + 3 * x [1.5 if missing] - 4 * (color = red or blue)``; ``what`` it is, for errors.

    Where it is not said what a missing cell counts as, it counts 0.
    """
    read = Text(text)
    signs = list(_PLUS.finditer(read.shadow))
    ends = [0, *(place for found in signs for place in found.span()), len(read.text)]
    first, *others = [read.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)]
    terms = []
    for sign, part in zip(signs, others, strict=True):
        size, star, rest = part.partition(" * ")
        if not star:
            raise ValueError(f"{what} is not understood: {shown(part)} must read 'number * column'")
        coefficient = number_of(size, what) * (-1.0 if sign[1] == "-" else 1.0)
        terms.append(_term(rest.strip(), coefficient, schema, what))
    return Equation(number_of(first, what), tuple(terms))


def _term(text: str, coefficient: float, schema: TableSchema, what: str) -> LinearTerm:
    missing = 0.0
    if found := _FILL.search(Text(text).shadow):
        missing, text = number_of(found[1], what), text[: found.start()]
    if not text.startswith("("):
        column, index = column_of(text, schema)
        if column.nominal:
            raise ValueError(f"{what} is not understood: {shown(text)} has levels, name some, as in (column = level)")
        return LinearTerm.of(column, index, coefficient, None, missing)
    parts = Text(text[1:-1]).split(" *==? *")
    column, index = column_of(parts[0], schema)
    if len(parts) != 2 or not text.endswith(")") or not column.nominal:
        raise ValueError(f"{what} is not understood: {shown(text)} must read '(column = level or level)'")
    codes = tuple(sorted({code_of(column, part.strip()) for part in Text(parts[1]).split(" +or +")}))
    return LinearTerm.of(column, index, coefficient, codes, missing)
