"""From columns of text to numbers, truth values, dates or text: decided by the whole column, wherever an odd cell stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.errors import DataFormatError, shown

# Cells that stand for nothing, unless others are named; quoted cells are text.
MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "?")
_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
_MOST = 0.9  # of the cells are numbers: then the others are mistakes, not levels
_LOOK = 1000


def number_mask(column: Any, decimal: str = ".") -> Any:
    """Which cells of a text column are numbers."""
    import pyarrow.compute as pc

    return pc.match_substring_regex(column, _NUMBER.replace(r"\.", "," if decimal == "," else r"\."))


def typed(column: Any, decimal: str = ".") -> Any:
    """Give a text column the type all of its cells agree on: number, truth value, date, else text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = pc.equal(pc.utf8_trim_whitespace(column), "")
    known = pc.drop_null(pc.if_else(blank, pa.scalar(None, column.type), column))
    if len(known) == 0:
        return pa.nulls(len(column))
    if pc.all(number_mask(known, decimal)).as_py():
        plain = pc.if_else(blank, pa.scalar(None, column.type), column)
        plain = pc.utf8_ltrim(pc.utf8_trim_whitespace(plain), "+")
        return pc.cast(pc.replace_substring(plain, ",", ".") if decimal == "," else plain, pa.float64())
    if pc.all(pc.match_substring_regex(known, r"^(?i:true|false)$")).as_py():
        return pc.equal(pc.utf8_lower(column), "true")
    for kind in (pa.date32(), pa.timestamp("us")):
        try:
            return pc.cast(pc.if_else(blank, pa.scalar(None, column.type), column), kind)
        except pa.ArrowInvalid:
            continue
    return column


def looks_numeric(column: Any, decimal: str = ".") -> bool:
    """Whether at least half of a sample of the cells of a text column are numbers."""
    import pyarrow.compute as pc

    known = pc.drop_null(column)
    look = known.take(list(range(0, len(known), max(1, len(known) // _LOOK))))
    return 2 * (pc.sum(number_mask(look, decimal)).as_py() or 0) >= len(look) > 0


def odd_cell(column: Any, decimal: str = ".") -> tuple[int, int] | None:
    """Return the row of the first cell that is no number where nearly all are, and how many cells are; else None."""
    import pyarrow.compute as pc

    numbers = pc.fill_null(pc.or_kleene(number_mask(column, decimal), pc.equal(pc.utf8_trim_whitespace(column), "")), True)
    n, odd = (pc.sum(number_mask(column, decimal)).as_py() or 0), len(column) - pc.sum(numbers).as_py()
    if odd == 0 or n < _MOST * (n + odd):
        return None
    return int(pc.index(numbers, False).as_py()), n


def not_a_number(cell: str, n: int, name: str, path: str, line: int | None, column: int | None) -> DataFormatError:
    """Build the error for a cell that is no number among many that are."""
    comma = "--decimal , or " if "," in cell else ""
    return DataFormatError(
        f"column {shown(name)}: {shown(cell)} is not a number, {n} other cells of this column are",
        path,
        line,
        column,
        remedy=f"use {comma}--categorical {shown(name)} or --missing {shown(cell)} (in Python decimal=, categorical=, missing=)",
    )


def declared(values: Sequence[Any], levels: Sequence[str]) -> Any:
    """Return codes as a column of declared levels."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(values, pa.int32()), pa.array(list(levels), pa.string()))
