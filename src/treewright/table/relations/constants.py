"""Constants as relations and clauses hold them: plain values of Python, so that equal ones are written alike everywhere."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from treewright.errors import as_float, shown
from treewright.table.raw import is_missing

_AS_THEY_ARE = (str, int, bool, dt.date, dt.datetime)


def plain(value: Any) -> Any:
    """A constant as Python's own kinds have it; None where nothing is known.

    Numbers of NumPy, fractions and decimals become whole numbers and floats, times without nanoseconds become ``datetime``.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        return None if value != value else value
    if is_missing(value):
        return None
    if isinstance(value, (np.datetime64, np.timedelta64)):
        exact = value.astype(f"{'datetime64' if isinstance(value, np.datetime64) else 'timedelta64'}[us]")
        return exact.item() if exact == value and not isinstance(exact.item(), int) else value
    if isinstance(value, np.generic):
        return plain(value.item()) if type(value.item()) is not kind else value
    if isinstance(value, dt.datetime) and kind is not dt.datetime and not getattr(value, "nanosecond", 0):
        return dt.datetime.combine(value.date(), value.timetz())
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (Real, Decimal)):
        number = as_float(value)
        if not math.isfinite(number):
            return number if number == number else None
        return int(number) if number.is_integer() and int(number) == value else number
    return value


def kind_of(value: Any) -> str:
    """What a plain constant is: a number, a truth value, or anything else."""
    return "truth values" if isinstance(value, bool) else "numbers" if isinstance(value, (int, float)) else "other constants"


def one_kind(where: str, values: Iterable[Any]) -> str | None:
    """The kind of plain constants, None where there are none; refused where there are several, or numbers that are not finite."""
    first: dict[str, Any] = {}
    kinds: set[type] = set()
    for value in values:
        if value is not None and type(value) not in kinds:
            kinds.add(type(value))
            first.setdefault(kind_of(value), value)
    if len(first) > 1:
        (one, a), (other, b) = list(first.items())[:2]
        raise ValueError(
            f"{where} holds {one} ({shown(a)}) and {other} ({shown(b)}): make all of them numbers, or all of them text"
        )
    return next(iter(first), None)


def finite(where: str, values: Iterable[Any]) -> None:
    """Refuse numbers that are not finite, or beyond all floats."""
    for value in values:
        if not math.isfinite(as_float(value)):
            raise ValueError(f"{where} holds {shown(value)}: numbers must be finite")
