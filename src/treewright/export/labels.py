"""Columns and classes as programs know them: their names, kinds, and levels in a form every language can write."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from treewright.errors import shown
from treewright.table.schema import TableSchema

_EPOCH = dt.datetime(1970, 1, 1)
_MICRO = dt.timedelta(microseconds=1)


class Label(NamedTuple):
    """A level or a class in a form every language can write.

    ``tag`` is "t" (text), "n" (a number), "w" (a whole number beyond 2**53, as digits), "b" (0 or 1), "d" and "a" (a moment
    and a day, in microseconds since 1970), "u" (a duration in microseconds).
    """

    tag: str
    value: str | int | float


def label_of(value: Any, what: str) -> Label:
    """Return a level or class as a label; refuse what other languages have no word for."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{what}: {shown(value)} is no valid Unicode text and cannot be exported: rename it") from None
        return Label("t", str(value))
    if isinstance(value, bool):
        return Label("b", int(value))
    if isinstance(value, int):
        return Label("n", value) if abs(value) <= 2**53 else Label("w", str(value))
    if isinstance(value, float):
        return Label("n", float(value))
    if isinstance(value, Decimal) and value == float(value):
        return Label("n", float(value))
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        return Label("d", (dt.datetime.fromisoformat(value.isoformat()) - _EPOCH) // _MICRO)
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return Label("a", (dt.datetime(value.year, value.month, value.day) - _EPOCH) // _MICRO)
    if isinstance(value, dt.timedelta):
        return Label("u", value // _MICRO)
    kind = type(value).__name__
    raise ValueError(f"{what}: {shown(value)} of type {kind} cannot be exported: use text, numbers, booleans or dates")


@dataclass(frozen=True, slots=True)
class Input:
    """A column as a program reads it.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        number, bool, date, duration (both microseconds), ordered or nominal (both the number of a level).
    labels : tuple of (int, Label)
        The levels that training showed, by code.
    strict : bool
        Whether other levels are refused; else they count as missing.
    """

    name: str
    kind: str
    labels: tuple[tuple[int, Label], ...] = ()
    strict: bool = False

    @property
    def by_level(self) -> bool:
        """Whether cells are levels."""
        return self.kind in ("nominal", "ordered")


def inputs_of(schema: TableSchema) -> tuple[Input, ...]:
    """The columns of a table as inputs."""
    return tuple(_input(schema, j) for j in range(len(schema.columns)))


def _input(schema: TableSchema, j: int) -> Input:
    column = schema.columns[j]
    if not column.nominal and column.kind != "ordered":
        return Input(column.name, column.kind)
    seen = schema.known[j] if schema.known and column.nominal else range(len(column.levels))
    labels = tuple((code, label_of(column.levels[code], f"column {shown(column.name)}")) for code in seen)
    return Input(column.name, column.kind, labels, schema.unseen == "error" or schema.missing == "refuse")


def class_labels(classes: Sequence[Any] | None) -> tuple[Label, ...] | None:
    """The classes of a target as labels; None for numbers."""
    return None if classes is None else tuple(label_of(label, "class") for label in classes)
