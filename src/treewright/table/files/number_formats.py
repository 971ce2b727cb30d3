"""Formats of numbers and dates in columns of text: 1,234.50 and 12 % and $5, 31.12.2024 and 12/31/2024.

A whole column decides. What it leaves open (1,234: a thousand, or one and a bit? 03/04/2024: which is the month?) stays text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from treewright.table.written import ORDERS, Written

NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
_MARK = r"[%‰$€£¥₹₽₩]|USD|EUR|GBP|CHF|JPY"
_BLANKS = " \u00a0\u202f"  # patterns of Arrow take only those of ASCII for blanks
_GAPS = f"{_BLANKS}'’"  # characters that can only separate thousands
SPACE = rf"[\s{_BLANKS}]*"
_DATE = r"^(\d{1,2})([./-])(\d{1,2})([./-])(\d{4})([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?$"
_YEAR_FIRST = r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})([ T]|$)"
_LOOK = 1000
MISSING = ("NA", "N/A", "NaN", "nan", "NULL", "null", "?")  # unless others are named; quoted cells are text


class Ambiguous(ValueError):
    """A column that can be read in two ways; names the option that decides."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How cells of text are read.

    Attributes
    ----------
    decimal : str
        The decimal sign: of the options, of the column a model was learned from, else the one the file seems to have.
    named : bool
        Whether the options gave it, so that there is no other.
    dates : str or None
        The order of dates that leave it open.
    missing : tuple of str or None
        The values to treat as missing besides empty cells; None for those that commonly do.
    learned : bool
        Whether the column is known to have had this decimal sign.
    thousands : bool
        Whether it is known to have had thousands marked, so that 1.234 (or 1,234) is one.
    """

    decimal: str = "."
    named: bool = False
    dates: str | None = None
    missing: tuple[str, ...] | None = None
    learned: bool = False
    thousands: bool = False

    @property
    def absent(self) -> list[str]:
        """The values to treat as missing."""
        return ["", *(MISSING if self.missing is None else self.missing)]

    def of(self, written: Written | None) -> Reading:
        """How a column is read that was once written so; what the options say comes first."""
        if written is None:
            return self
        out = replace(self, dates=self.dates or written.dates)
        if self.named or (written.decimal == "." and not written.thousands):  # the plain way: not worth a memory
            return out
        return replace(out, decimal=written.decimal, learned=True, thousands=written.thousands)


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
    point, group = "," if decimal == "," else r"\.", _group(decimal)
    return rf"^[+-]?([1-9]\d{{0,2}}({group}\d{{3}})+({point}\d*)?|(\d+({point}\d*)?|{point}\d+)([eE][+-]?\d+)?)$"


def bare_numbers(column: Any) -> Any:
    """The cells without a currency or per cent sign, and without blanks around them."""
    import pyarrow.compute as pc

    bare = pc.replace_substring_regex(
        pc.utf8_trim_whitespace(column), rf"^([+-]?){SPACE}(?:{_MARK}){SPACE}([+-]?[\d.,])", r"\1\2"
    )
    return pc.replace_substring_regex(bare, rf"{SPACE}(?:{_MARK})$", "")


def number_signs(column: Any) -> Any:
    """What the cells hold besides digits and what divides those: a currency or per cent sign, or nothing."""
    import pyarrow.compute as pc

    return pc.replace_substring_regex(column, rf"[eE][+-]?\d+|[\d\s.,+{_GAPS}-]", "")


def formatted_number(column: Any, how: Reading) -> tuple[Any, str, Written] | None:
    """Read a text column whose cells are all numbers, formatted or not; None if they are not.

    One currency or per cent sign for all cells. Where the decimal sign was not given, the cells must determine it, or the
    column is known to have had it. Also returns a note on what was left out, and how the cells are written.
    """
    import pyarrow.compute as pc

    present = pc.drop_null(column)
    marks = pc.unique(number_signs(present)).to_pylist()
    if len(marks) != 1:
        return None
    bare, note = bare_numbers(present), [f"{marks[0]} sign removed"] * bool(marks[0])
    plain, marked = how.decimal if pc.all(number_mask(bare, how.decimal)).as_py() else None, False
    if plain is None:
        signs = (how.decimal,) if how.named else (".", ",")
        fits = [sign for sign in signs if all_match(bare, formatted_pattern(sign))]
        dots_only = fits == [","] and not _any(bare, ",") and not _any(bare, f"[{_GAPS}]")
        if not fits or (dots_only and not how.named and not (how.learned and how.decimal == ",")):
            return None  # 1.234.567 may be anything
        if len(fits) > 1 and not how.thousands:
            raise Ambiguous("numbers? 1,234 can be a thousand or a decimal: --decimal . or --decimal , decides")
        plain = how.decimal if how.decimal in fits else fits[0]
        marked = _any(bare, _group(plain))
        note += ["decimal comma"] * (plain == "," != how.decimal) + ["thousands separators"] * marked
    numbers = as_number(pc.replace_substring_regex(bare_numbers(column), _group(plain), ""), plain)
    return numbers, ", ".join(note), Written(plain, marked)


def _group(decimal: str) -> str:
    """The pattern of a sign that separates thousands."""
    return f"[.{_GAPS}]" if decimal == "," else f"[,{_GAPS}]"


def other_date(column: Any, order: str | None) -> tuple[Any, str, Written] | None:
    """Read a text column whose cells are all dates written otherwise than 2024-12-31; None if they are not.

    A day beyond 12 determines the order; else it is ``order``, and with dots day, month, year. Also returns a note on the
    order, and how the cells are written.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    present = pc.drop_null(bare)
    if all_match(present, _YEAR_FIRST):
        iso = pc.replace_substring_regex(bare, r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})", r"\1-0\2-0\3")
        note, written = "year, month, day", Written()
    elif all_match(present, _DATE):
        ends = [pc.max(pc.cast(pc.replace_substring_regex(present, _DATE, rf"\{k}"), pa.int32())).as_py() for k in (1, 3)]
        if order is None and max(ends) <= 12 and not all_match(present, r"^\d+\.\d+\."):
            raise Ambiguous("dates? day and month cannot be told apart: --dates dmy or --dates mdy decides")
        order = ("mdy" if ends[1] > 12 else "dmy") if max(ends) > 12 else order or "dmy"
        groups = r"\5-0\3-0\1\6" if order == "dmy" else r"\5-0\1-0\3\6"
        iso, note, written = pc.replace_substring_regex(bare, _DATE, groups), ORDERS[order], Written(dates=order)
    else:
        return None
    iso = pc.replace_substring_regex(iso, r"-0(\d\d)", r"-\1")
    for kind in (pa.date32(), pa.timestamp("us")):
        try:
            return pc.cast(iso, kind), note, written
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
        if formatted_number(column, Reading()) is None and other_date(column, None) is None and all_match(column, _DATE_LIKE):
            return "dates? write them as 2024-12-31 to have them compared"
    except Ambiguous as error:
        return str(error)
    return ""


_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE_LIKE = rf"^\d{{1,4}}[./ -](\d{{1,2}}|{_MONTH})[./, -]+\d{{1,4}}([ T]\d{{1,2}}:\d{{2}}.*)?$|^{_MONTH} \d{{1,2}},? \d{{4}}$"
