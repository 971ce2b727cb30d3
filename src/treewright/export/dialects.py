"""What SQL engines write differently: names, texts, numbers, and how a cell becomes the number a program compares."""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction

from treewright.errors import shown
from treewright.export.labels import Input, Label

_EPOCH = dt.datetime(1970, 1, 1)
_EXACT = 15  # digits that every engine reads exactly
_NAN = "CAST('NaN' AS DOUBLE PRECISION)"


def name(text: str) -> str:
    """A quoted name."""
    if "\0" in text:
        raise ValueError(f"the name {shown(text)} holds a NUL character, which no SQL name can hold: rename the column")
    return '"' + text.replace('"', '""') + '"'


def joined(word: str, terms: Sequence[str]) -> str:
    """Terms joined by AND or OR; long lists in pairs of pairs, because engines limit how deep an expression may be."""
    if len(terms) <= 50:
        return f" {word} ".join(terms)
    half = len(terms) // 2
    return f"({joined(word, terms[:half])}) {word} ({joined(word, terms[half:])})"


def _vanishing(factor: float) -> float:
    """The largest number whose product with a factor is rounded to 0."""
    if factor == 0:
        return 0.0
    exact = Fraction(1, 2**1075) / abs(Fraction(factor))
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, 0)


def _digits(value: float) -> str:
    """The digits of a number that is finite."""
    if not math.isfinite(value):
        raise ValueError(f"the model holds the number {value}, which SQL cannot write: change its thresholds or answers")
    return repr(float(value))


def _listed(values: Sequence[float]) -> str:
    """Numbers as they stand in a text."""
    return ",".join(_digits(value) if isinstance(value, float) else str(value) for value in values)


def _kind(values: Sequence[float]) -> str:
    return "DOUBLE PRECISION" if isinstance(values[0], float) else "INTEGER"


def _whole_and_power(value: float) -> tuple[int, int]:
    """A float as a whole number and the power of two it is multiplied with."""
    _digits(value)  # refuses what is not finite
    whole, below = value.as_integer_ratio()
    power = 1 - below.bit_length()
    while abs(whole) >= 2**53:
        whole, power = whole // 2, power + 1
    return whole, power


class Dialect:
    """Standard SQL."""

    name = "ansi"
    materialized = ""
    nesting = 16  # tests that may stand inside one another
    regions = 2  # into how many a tree is cut that has more
    longest_name = 63  # bytes; what follows may be cut off
    sums_in_order = False  # whether SUM(x ORDER BY y) adds floats one after another, and nothing else

    def text(self, value: str) -> str:
        """A text literal."""
        if "\0" in value:
            raise ValueError(f"{shown(value)} holds a NUL character, which {self.name} cannot write: rename it")
        return "'" + value.replace("'", "''") + "'"

    def same_name(self, text: str) -> bytes:
        """What two names share that an engine may take for one."""
        return text.lower().encode()[: self.longest_name]

    def holds(self, label: Label) -> bool:
        """Whether a cell can hold a level at all."""
        return not (label.tag == "t" and "\0" in str(label.value))

    def number(self, value: float) -> str:
        """A number of double precision."""
        text = _digits(value)
        return text if "e" in text else text + "e0"

    def begin(self, value: float) -> str:
        """The number a sum begins with, so that all of it is of double precision."""
        # PostgreSQL takes all numbers that are written for decimal ones, and adds these without rounding.
        return f"CAST({self.number(value)} AS DOUBLE PRECISION)"

    def product(self, factor: float, cell: str) -> str:
        """A number times a cell of double precision."""
        plain = f"{self.number(factor)} * {cell}"
        # Engines may take a product that rounds to 0 for an error (PostgreSQL does): such cells are not multiplied.
        small = _vanishing(factor)
        between = f"{self.number(-small)} AND {self.number(small)}"
        return f"CASE WHEN {cell} BETWEEN {between} THEN 0 ELSE {plain} END" if small else plain

    def compared(self, value: float) -> str:
        """A number that is compared with one of double precision: plain where that is exact."""
        text = _digits(value)
        digits = text.lstrip("-0.").replace(".", "")
        if "e" in text or len(digits) > _EXACT or abs(value) >= 1e15:
            return self.number(value)
        return text.removesuffix(".0")

    def label(self, label: Label) -> str:
        """A level or class as a literal."""
        tag, value = label
        if tag == "t":
            return self.text(str(value))
        if tag == "b":
            return "TRUE" if value else "FALSE"
        if tag in ("d", "a"):
            return self.moment(_EPOCH + dt.timedelta(microseconds=int(value)), day=tag == "a")
        if tag == "u":
            return self.span(int(value))
        return self.number(value) if isinstance(value, float) else str(value)

    def moment(self, at: dt.datetime, day: bool) -> str:
        """A date literal."""
        return f"DATE '{at.date().isoformat()}'" if day else f"TIMESTAMP '{at.isoformat(' ')}'"

    def span(self, micro: int) -> str:
        """A duration literal."""
        return str(micro)

    def table(self, name: str, columns: Mapping[str, Sequence[float]]) -> str:
        """A table of whole numbers and floats as a common table expression, by the names of its columns.

        Engines take long for many numbers that are written as expressions; those that can read them from one text do.
        """
        texts = [[self.number(value) if isinstance(value, float) else str(value) for value in each] for each in columns.values()]
        rows = ",\n  ".join(f"({', '.join(row)})" for row in zip(*texts, strict=True))
        return f"{name}({', '.join(columns)}) AS (VALUES\n  {rows})"

    def greatest(self, values: Sequence[str]) -> str:
        """The largest of some expressions."""
        return f"GREATEST({', '.join(values)})" if len(values) > 1 else values[0]

    def cell(self, one: Input, column: str) -> str:
        """The number of a cell, NULL where it is missing; levels are not meant here."""
        if one.kind == "bool":
            return f"CASE WHEN {column} THEN 1 WHEN NOT {column} THEN 0 END"
        if one.kind == "date":
            return self.date(column)
        if one.kind == "duration":
            return self.duration(column)
        return self.real(column)

    def real(self, column: str) -> str:
        """A number of double precision from a column of any numeric type."""
        return f"CAST({column} AS DOUBLE PRECISION)"

    def date(self, column: str) -> str:
        """Microseconds since 1970."""
        # Days of the civil calendar, counted from March: standard SQL can take moments apart, not measure them.
        year = f"(EXTRACT(YEAR FROM {column}) - CASE WHEN EXTRACT(MONTH FROM {column}) <= 2 THEN 1 ELSE 0 END)"
        month = f"(EXTRACT(MONTH FROM {column}) + CASE WHEN EXTRACT(MONTH FROM {column}) <= 2 THEN 9 ELSE -3 END)"
        leap = " ".join(f"{sign} FLOOR({year} / {every}.0)" for sign, every in (("+", 4), ("-", 100), ("+", 400)))
        days = f"365 * {year} {leap} + FLOOR((153 * {month} + 2) / 5.0) + EXTRACT(DAY FROM {column}) - 719469"
        seconds = (
            f"(({days}) * 24 + EXTRACT(HOUR FROM {column})) * 3600 "
            f"+ EXTRACT(MINUTE FROM {column}) * 60 + EXTRACT(SECOND FROM {column})"
        )
        return f"CAST(({seconds}) * 1000000 AS DOUBLE PRECISION)"

    def duration(self, column: str) -> str:
        """Microseconds; where an engine has no durations, a number of them."""
        return self.real(column)

    def same_text(self, column: str) -> str:
        """A column of text that is compared character by character."""
        return column


class _DuckDB(Dialect):
    """DuckDB."""

    name = "duckdb"
    materialized = "MATERIALIZED "
    nesting = 32  # fewer nodes are found by their whole path, which is faster here
    longest_name = sys.maxsize

    def text(self, value: str) -> str:
        parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\0")]
        return f"({' || chr(0) || '.join(parts)})" if len(parts) > 1 else parts[0]

    def holds(self, label: Label) -> bool:
        return True

    def span(self, micro: int) -> str:
        return f"to_microseconds({micro})"

    def table(self, name: str, columns: Mapping[str, Sequence[float]]) -> str:
        lists = (f"unnest(CAST('[{_listed(each)}]' AS {_kind(each)}[])) AS {column}" for column, each in columns.items())
        return f"{name} AS MATERIALIZED (SELECT {', '.join(lists)})"

    def begin(self, value: float) -> str:
        return self.number(value)

    def product(self, factor: float, cell: str) -> str:
        return f"{self.number(factor)} * {cell}"

    def real(self, column: str) -> str:
        return f"NULLIF({super().real(column)}, {_NAN})"

    def date(self, column: str) -> str:
        return f"CAST(epoch_us({column}) AS DOUBLE PRECISION)"

    duration = date


class _PostgreSQL(Dialect):
    """PostgreSQL."""

    name = "postgresql"
    materialized = "MATERIALIZED "
    sums_in_order = True

    def span(self, micro: int) -> str:
        return f"INTERVAL '{micro} microseconds'"

    def table(self, name: str, columns: Mapping[str, Sequence[float]]) -> str:
        lists = ", ".join(f"CAST('{{{_listed(each)}}}' AS {_kind(each)}[])" for each in columns.values())
        return f"{name}({', '.join(columns)}) AS MATERIALIZED (SELECT * FROM unnest({lists}))"

    def real(self, column: str) -> str:
        return f"NULLIF({super().real(column)}, {_NAN})"

    def date(self, column: str) -> str:
        return f"CAST(EXTRACT(EPOCH FROM {column}) * 1000000 AS DOUBLE PRECISION)"

    duration = date

    def same_text(self, column: str) -> str:
        return f"{column}::text"


class _SQLite(Dialect):
    """SQLite: dates are ISO texts in UTC, durations numbers of microseconds."""

    name = "sqlite"
    materialized = "MATERIALIZED "
    nesting = 5  # its parser keeps a hundred open words
    regions = 8
    longest_name = sys.maxsize

    begin, product = _DuckDB.begin, _DuckDB.product

    def text(self, value: str) -> str:
        parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\0")]
        return f"({' || char(0) || '.join(parts)})" if len(parts) > 1 else parts[0]

    def holds(self, label: Label) -> bool:
        return True

    def number(self, value: float) -> str:
        # SQLite rounds long decimals its own way; whole numbers over powers of two are exact.
        plain = self.compared(value)
        if "/" in plain:
            return f"({plain})"
        return plain if "." in plain or "e" in plain else plain + ".0"

    def compared(self, value: float) -> str:
        text = _digits(value)
        mantissa, _, power = text.partition("e")
        digits = mantissa.lstrip("-0.").replace(".", "").removesuffix("0" if mantissa.endswith(".0") else "")
        if len(digits) <= _EXACT and not power and abs(value) < 1e15:
            return text.removesuffix(".0")
        top, bottom = value.as_integer_ratio()
        shift = 0
        while abs(top) >= 2**53:
            top, shift = top // 2, shift + 1
        steps = [f"* {2 ** min(62, shift - at)}.0" for at in range(0, shift, 62)]
        power_of_two = bottom.bit_length() - 1
        steps += [f"/ {2 ** min(62, power_of_two - at)}.0" for at in range(0, power_of_two, 62)]
        return f"{top}.0 {' '.join(steps)} /* {text} */" if steps else f"{top}.0"

    def label(self, label: Label) -> str:
        return str(label.value) if label.tag == "b" else super().label(label)

    def table(self, name: str, columns: Mapping[str, Sequence[float]]) -> str:
        # A float is a whole number and the power of two it is multiplied with: long decimals are not read exactly.
        entries: list[Sequence[int]] = []
        read = []
        for column, each in columns.items():
            at = f"json_extract(e.value, '$[{len(entries)}]')"
            if _kind(each) == "INTEGER":
                read.append(f"{at} AS {column}")
                entries.append([int(value) for value in each])
                continue
            pairs = [_whole_and_power(value) for value in each]
            powers = " ".join(f"WHEN {e} THEN {self.number(2.0**e)}" for e in sorted({e for _, e in pairs}))
            scale = f"CASE json_extract(e.value, '$[{len(entries) + 1}]') {powers} END"
            read.append(f"CAST({at} AS DOUBLE PRECISION) * {scale} AS {column}")
            entries += [[whole for whole, _ in pairs], [e for _, e in pairs]]
        rows = ",".join(f"[{','.join(map(str, row))}]" for row in zip(*entries, strict=True))
        return f"{name} AS MATERIALIZED (SELECT {', '.join(read)} FROM json_each('[{rows}]') AS e)"

    def moment(self, at: dt.datetime, day: bool) -> str:
        return f"'{at.date().isoformat()}'" if day else f"'{at.isoformat(' ')}'"

    def greatest(self, values: Sequence[str]) -> str:
        groups = [values[at : at + 100] for at in range(0, len(values), 100)]
        largest = [f"MAX({', '.join(group)})" if len(group) > 1 else group[0] for group in groups]
        return largest[0] if len(largest) == 1 else self.greatest(largest)

    def date(self, column: str) -> str:
        seconds = f"CAST(strftime('%s', substr({column}, 1, 19)) AS INTEGER)"
        return f"CAST({seconds} * 1000000 + CAST(substr(substr({column}, 21) || '000000', 1, 6) AS INTEGER) AS DOUBLE PRECISION)"

    def same_text(self, column: str) -> str:
        return f"{column} COLLATE BINARY"


DIALECTS = {dialect.name: dialect for dialect in (Dialect(), _DuckDB(), _SQLite(), _PostgreSQL())}
