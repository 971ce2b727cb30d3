"""Formats of numbers and dates in columns of text: 1,234.50 and 12 % and $5, 31.12.2024 and 12/31/2024.

A whole column decides. What it leaves open (1,234: a thousand, or one and a bit? 03/04/2024: which is the month?) stays text.
"""

from __future__ import annotations

from typing import Any

ORDERS = {"dmy": "day, month, year", "mdy": "month, day, year"}
NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
_MARK = r"[%‰$€£¥₹₽₩]|USD|EUR|GBP|CHF|JPY"
_GAPS = " \u00a0\u202f'’"  # characters that can only separate thousands
_DATE = r"^(\d{1,2})([./-])(\d{1,2})([./-])(\d{4})([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?$"
_YEAR_FIRST = r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})([ T]|$)"
_LOOK = 1000


class Ambiguous(ValueError):
    """A column that can be read in two ways; names the option that decides."""


def sample(column: Any) -> Any:
    """Some present cells of a text column, spread over it."""
    import pyarrow.compute as pc

    step = max(1, len(column) // _LOOK)
    return pc.drop_null(column.take(list(range(0, len(column), step))) if step > 1 else column)


def all_match(column: Any, pattern: str) -> bool:
    """Whether every cell of a text column that is not missing matches a pattern."""
    import pyarrow.compute as pc

    return pc.all(pc.match_substring_regex(column, pattern)).as_py() is not False


def _any(column: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return pc.any(pc.match_substring_regex(column, pattern)).as_py() is True


def number_mask(column: Any, decimal: str = ".") -> Any:
    """Which cells of a text column are plain numbers."""
    import pyarrow.compute as pc

    return pc.match_substring_regex(column, NUMBER.replace(r"\.", "," if decimal == "," else r"\."))


def as_number(column: Any, decimal: str = ".") -> Any:
    """Read a text column of plain numbers; empty cells are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    plain = pc.utf8_ltrim(pc.if_else(pc.equal(bare, ""), pa.scalar(None, bare.type), bare), "+")
    return pc.cast(pc.replace_substring(plain, ",", ".") if decimal == "," else plain, pa.float64())


def formatted_pattern(decimal: str) -> str:
    """The pattern of numbers that may have separators of thousands."""
    point, group = (",", rf"[.{_GAPS}]") if decimal == "," else (r"\.", f"[,{_GAPS}]")
    return rf"^[+-]?(\d{{1,3}}({group}\d{{3}})+|\d+)({point}\d*)?$|^[+-]?{point}\d+$"


def bare_numbers(column: Any) -> Any:
    """The cells without a currency or per cent sign, and without blanks around them."""
    import pyarrow.compute as pc

    bare = pc.replace_substring_regex(pc.utf8_trim_whitespace(column), rf"^([+-]?)\s*(?:{_MARK})\s*([+-]?[\d.,])", r"\1\2")
    return pc.replace_substring_regex(bare, rf"\s*(?:{_MARK})$", "")


def _marks(column: Any) -> list[str]:
    import pyarrow.compute as pc

    return [
        str(mark) for mark in pc.unique(pc.replace_substring_regex(column, r"[\d\s.,'’+-]", "")).to_pylist() if mark is not None
    ]


def formatted_number(column: Any, decimal: str, named: bool = False) -> tuple[Any, str] | None:
    """Read a text column whose cells are all formatted numbers, with a note on what was left out; None if they are not.

    One currency or per cent sign for all cells; ``named``: the decimal sign was given, else the cells must determine it.
    """
    import pyarrow.compute as pc

    present = pc.drop_null(column)
    marks = _marks(present)
    if len(marks) != 1:
        return None
    bare, note = bare_numbers(present), [f"{marks[0]} left out"] * bool(marks[0])
    plain = decimal if pc.all(number_mask(bare, decimal)).as_py() else None
    if plain is None:
        fits = [sign for sign in (".", ",") if (sign == decimal or not named) and all_match(bare, formatted_pattern(sign))]
        if fits == [","] and not named and not _any(bare, ",") and not _any(bare, f"[{_GAPS}]"):
            return None  # 1.234.567 may be anything
        if not fits:
            return None
        if len(fits) > 1:
            raise Ambiguous("numbers? 1,234 can be a thousand or a decimal: --decimal . or --decimal , decides")
        plain = fits[0]
        note += ["decimal comma"] * (plain == "," != decimal) + ["thousands marked"]
    group = f"[.{_GAPS}]" if plain == "," else f"[,{_GAPS}]"
    return as_number(pc.replace_substring_regex(bare_numbers(column), group, ""), plain), ", ".join(note)


def other_date(column: Any, order: str | None) -> tuple[Any, str] | None:
    """Read a text column whose cells are all dates of another order than year, month, day; None if they are not.

    A day beyond 12 determines the order; else it is ``order``, and with dots day, month, year.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    present = pc.drop_null(bare)
    if all_match(present, _YEAR_FIRST):
        iso = pc.replace_substring_regex(bare, r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})", r"\1-0\2-0\3")
        note = "year, month, day"
    elif all_match(present, _DATE):
        ends = [pc.max(pc.cast(pc.replace_substring_regex(present, _DATE, rf"\{k}"), pa.int32())).as_py() for k in (1, 3)]
        if order is None and max(ends) <= 12 and not all_match(present, r"^\d+\.\d+\."):
            raise Ambiguous("dates? day and month cannot be told apart: --dates dmy or --dates mdy decides")
        order = ("mdy" if ends[1] > 12 else "dmy") if max(ends) > 12 else order or "dmy"
        groups = r"\5-0\3-0\1\6" if order == "dmy" else r"\5-0\1-0\3\6"
        iso, note = pc.replace_substring_regex(bare, _DATE, groups), ORDERS[order]
    else:
        return None
    iso = pc.replace_substring_regex(iso, r"-0(\d\d)", r"-\1")
    for kind in (pa.date32(), pa.timestamp("us")):
        try:
            return pc.cast(iso, kind), note
        except pa.ArrowInvalid:
            continue
    return None


def hint(levels: Any) -> str:
    """What a text column of these levels may have been meant to be, and the option for it; empty where it looks like levels."""
    import pyarrow as pa

    column = pa.array([level for level in levels if isinstance(level, str) and level.strip()], pa.string())
    if not len(column):
        return ""
    try:
        if formatted_number(column, ".") is None and other_date(column, None) is None and all_match(column, _DATE_LIKE):
            return "dates? write them as 2024-12-31 to have them compared"
    except Ambiguous as error:
        return str(error)
    return ""


_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE_LIKE = rf"^\d{{1,4}}[./ -](\d{{1,2}}|{_MONTH})[./, -]+\d{{1,4}}([ T]\d{{1,2}}:\d{{2}}.*)?$|^{_MONTH} \d{{1,2}},? \d{{4}}$"
