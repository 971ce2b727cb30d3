"""From columns of text to numbers, truth values, dates or text: decided by the whole column, wherever an odd cell stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from treewright.errors import DataFormatError, shown
from treewright.table.files.given_kinds import no_dates
from treewright.table.files.hints import also_missing, is_placeholder
from treewright.table.files.number_formats import (
    SPACE,
    Ambiguous,
    Reading,
    all_match,
    as_number,
    formatted_number,
    formatted_pattern,
    number_mask,
    other_date,
    sample,
)
from treewright.table.written import Written

_MOST = 0.9  # if this share of the cells are numbers, or dates, the others are mistakes, not levels
# How numbers and dates begin.
_FORMED = rf"^{SPACE}$|^{SPACE}[+-]?{SPACE}[^A-Za-z\s]?{SPACE}[+-]?[\d.,]|^[A-Z]{{3}}{SPACE}[+-]?\d"
_CODE = r"^\s*[+-]?0\d+\s*$"
LEADING_ZEROS = "text, for its leading zeros"
_ISO = r"^\s*\d{4}-\d{2}-\d{2}([ T]|\s*$)"


def typed(column: Any, how: Reading) -> tuple[Any, str, Written]:
    """Type a text column by all of its cells: number, truth value, date, else text.

    Also returns a note where that is not obvious, and how the cells are written.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = pc.equal(pc.utf8_trim_whitespace(column), "")
    cells = pc.if_else(blank, pa.scalar(None, column.type), column)
    present = pc.drop_null(cells)
    if len(present) == 0:
        return pa.nulls(len(column)), "", Written()
    if pc.all(number_mask(present, how.decimal)).as_py():
        if hold_codes(present):
            return column, LEADING_ZEROS, Written()
        return as_number(cells, how.decimal), "", Written(how.decimal)
    if all_match(present, r"^(?i:true|false)$"):
        return pc.equal(pc.utf8_lower(cells), "true"), "", Written()
    if (moments := as_moments(cells)) is not None:
        return moments, "", Written()
    try:
        return formatted_number(cells, how) or other_date(cells, how.dates) or (column, "", Written())
    except Ambiguous:
        return column, "", Written()  # the description mentions it


def hold_codes(column: Any) -> bool:
    """Whether some cell of a text column of numbers is a code: a whole number with leading zeros, as of post and of articles."""
    import pyarrow.compute as pc

    return pc.any(pc.match_substring_regex(column, _CODE)).as_py() is True


def as_moments(cells: Any) -> Any:
    """Read a text column of dates or moments, year first; None if it holds others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for kind in (pa.date32(), pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return pc.cast(cells, kind)
        except pa.ArrowInvalid:
            continue
    return None


def looks_typed(column: Any) -> bool:
    """Whether at least half of a sample of the cells of a text column begin as numbers or dates do."""
    import pyarrow.compute as pc

    look = sample(column)
    return 2 * (pc.sum(pc.match_substring_regex(look, _FORMED)).as_py() or 0) >= len(look) > 0


def odd_cell(column: Any, decimal: str = ".") -> tuple[int, int, str] | None:
    """Return the row of the first cell that is no number (or date) where nearly all are, how many are, and which; else None."""
    import pyarrow.compute as pc

    if hold_codes(column):
        return None
    empty = pc.equal(pc.utf8_trim_whitespace(column), "")
    for mask, what in ((number_mask(column, decimal), "number"), (pc.match_substring_regex(column, _ISO), "date")):
        fits = pc.fill_null(pc.or_kleene(mask, empty), True)
        n, odd = (pc.sum(mask).as_py() or 0), len(column) - pc.sum(fits).as_py()
        if n < _MOST * (n + odd):
            continue
        if odd:
            return int(pc.index(fits, False).as_py()), n, what
        if what == "date" and (bad := [row for row, _ in no_dates(column)]) and n - len(bad) >= _MOST * n:  # 2024-02-30
            return bad[0], n - len(bad), what
    return None


def odd_error(cell: str, n: int, what: str, name: str, path: str, line: int | None, column: int | None) -> DataFormatError:
    """Build the error for a cell that is no number, or no date, among many that are."""
    missing = also_missing([cell.strip()]) if is_placeholder(cell) else f"--missing {shown(cell)}"
    comma = "--decimal . or " * bool(re.fullmatch(formatted_pattern("."), cell)) + "--decimal , or " if "," in cell else ""
    return DataFormatError(
        f"column {shown(name)}: {shown(cell)} is not a {what}, {n} other cells of this column are",
        path,
        line,
        column,
        remedy=f"use {comma}--categorical {shown(name)} or {missing} (in Python decimal=, categorical=, missing=)",
    )


def declared(values: Sequence[Any], levels: Sequence[str]) -> Any:
    """Return codes as a column of declared levels."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(values, pa.int32()), pa.array(list(levels), pa.string()))
