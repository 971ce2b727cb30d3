"""Columns of Python objects: all numbers, all booleans, all text, all dates; anything else is refused by name."""

from __future__ import annotations

import datetime as dt
import numbers
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import shown
from treewright.table import times
from treewright.table.raw import Array, Raw, is_missing, refuse_half_characters

_TIMES = {"dates", "durations", "times of day"}
_KINDS: tuple[tuple[Any, str], ...] = (
    ((bool, np.bool_), "booleans"),
    (str, "text"),
    (bytes, "bytes"),
    ((dt.timedelta, np.timedelta64), "durations"),
    ((dt.date, np.datetime64), "dates"),
    (dt.time, "times of day"),
    (numbers.Real, "numbers"),
    (numbers.Complex, "complex numbers"),
    (numbers.Number, "numbers"),  # Decimal
)


class Example(NamedTuple):
    """A cell, and where it stands."""

    cell: Any
    at: int


def kinds_of(values: Iterable[Any]) -> dict[str, Example]:
    """The kinds of values there are, each with the first of them; missing ones do not count."""
    found: dict[str, Example] = {}
    by_type: dict[type, str] = {}
    for at, value in enumerate(values):
        kind = by_type.get(type(value))
        if kind is None:
            if is_missing(value):
                continue
            kind = next((name for types, name in _KINDS if isinstance(value, types)), f"type {type(value).__name__}")
            by_type[type(value)] = kind
        if kind not in found and not is_missing(value):
            found[kind] = Example(value, at)
    return found


def only_kind(name: str, values: Iterable[Any], place: str = "row") -> str | None:
    """The one kind of a column's cells, None where all are missing; refuses mixtures and what no column can hold.

    ``place``: what positions among the values count, in messages.
    """
    found = kinds_of(values)
    for kind, (value, at) in found.items():
        if kind == "complex numbers":
            raise ValueError(
                f"Complex data not supported: column {name!r} holds {shown(value)}; "
                "pass the real and the imaginary part as two columns"
            )
        if kind.startswith("type "):
            raise TypeError(
                f"column {name!r} holds {shown(value)} of {kind} in {place} {at}: each cell of a column "
                "argument must be a string or a number, not an object; convert it or leave it out"
            )
    if len(found) > 1:
        raise ValueError(f"column {name!r} mixes {mixture(found, place)}: convert it to one type (astype(str) makes it nominal)")
    return next(iter(found), None)


def mixture(found: dict[str, Example], place: str) -> str:
    """Kinds of cells in words, with the first cell of each; ``place``: what their positions count."""
    kinds = sorted(found)
    cells = ", ".join(f"{shown(found[kind].cell, 40)} in {place} {found[kind].at}" for kind in kinds)
    return f"{' and '.join(kinds)} ({cells})"


def object_column(name: str, values: Array, coded: bool = False) -> Raw:
    """Read a column of Python objects; ``coded``: with levels, unless they are dates or the like."""
    kind = only_kind(name, values)
    if kind in _TIMES:
        return times.from_objects(name, values)
    if kind in (None, "numbers", "booleans") and not (coded and kind):
        out, exact = as_floats(f"column {name!r}", values)
        return Raw(name, "bool" if kind == "booleans" else "number", out, whole=exact)
    index: dict[Any, int] = {}
    codes = np.empty(len(values), np.int32)
    for i, value in enumerate(values):
        codes[i] = -1 if is_missing(value) else index.setdefault(plain(value), len(index))
    return Raw(name, "text", codes, as_text(name, list(index)))


def as_floats(what: str, values: Iterable[Any]) -> tuple[Array, bool]:
    """Numbers as 64-bit floats, and whether all were exact before: whole numbers, decimals or fractions."""
    cells = [np.nan if is_missing(value) else value for value in values]
    exact = not any(isinstance(cell, (float, np.floating)) and cell == cell for cell in cells)
    out = np.empty(len(cells), np.float64)
    for i, cell in enumerate(cells):
        try:
            out[i] = cell
        except (OverflowError, ValueError):
            raise ValueError(
                f"{what} holds {shown(cell)} in row {i}, which is no 64-bit float: divide the numbers, or leave the row out"
            ) from None
    return out, exact


def as_text(name: str, levels: list[Any]) -> list[Any]:
    """Levels as they are compared: bytes become the text they are in UTF-8."""
    refuse_half_characters(f"column {name!r} holds", levels)
    try:
        return [level.decode() if isinstance(level, bytes) else level for level in levels]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"column {name!r} holds bytes that are no text in UTF-8, such as {shown(error.object)}: "
            "decode them, or leave the column out"
        ) from error


def plain(value: Any) -> Any:
    """A Python object for what NumPy or pandas wrapped."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    return value.item() if isinstance(value, np.generic) else value
