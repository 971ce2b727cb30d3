"""What is known of a table's columns and target once it has been read: kinds, names, levels in declared order."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

Level = Hashable

_EPOCH = dt.datetime(1970, 1, 1)
_DIGITS = tuple(f"%.{digits}g" for digits in range(1, 17))  # pictures of large trees ask for many thresholds


def shortest_between(at: float, below: float, above: float, strict: bool) -> float:
    """Return the number to show for a threshold: itself if it is short, else the shortest that separates as it does."""
    if float("%.4g" % at) == at:  # noqa: UP031
        return at + 0.0
    for digits in _DIGITS:
        rounded = float(digits % at)
        if below < rounded <= above if strict else below <= rounded < above:
            return rounded + 0.0
    return at


def number_text(value: float) -> str:
    """Write a number without a needless ``.0`` and never as ``-0``."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))


def weight_text(value: float) -> str:
    """Write a weight with two decimals at most; very large and very small ones with three digits."""
    return number_text(round(value, 2)) if value == 0 or 0.005 <= abs(value) < 1e15 else f"{value:.3g}"


def share_text(share: float) -> str:
    """Write a share in per cent; only all is 100 %, only none 0 %."""
    whole = f"{share:.0%}"
    return whole if share in (0.0, 1.0) or whole not in ("0%", "100%") else f"{min(max(share, 0.001), 0.999):.1%}"


def value_text(value: Any) -> str:
    """Write a prediction: a number with six digits at most, a class as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def spread_text(spread: float) -> str:
    """Write a standard deviation with two digits; it says how far off a mean is, not what to compute with."""
    return f"± {number_text(float(f'{spread:.2g}'))}"


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column: its name, its kind, and for nominal and ordered columns its levels in declared order.

    Kinds ``number``, ``bool``, ``date``, ``duration`` and ``ordered`` are numeric to the core, ``nominal`` is not.
    Dates and durations are microseconds (dates since 1970, UTC), ordered categories the position of their level.
    """

    name: str
    kind: str
    levels: tuple[Level, ...] = ()

    @property
    def nominal(self) -> bool:
        """Whether the column is split by levels."""
        return self.kind == "nominal"

    def cut_text(self, at: float, below: float, above: float, strict: bool) -> str:
        """Write a threshold in the column's own terms, with the digits that separate its neighbours."""
        if self.kind == "date":
            return self._date_text(at, below, above, strict)
        if self.kind == "duration":
            return str(dt.timedelta(microseconds=at))
        if self.kind == "ordered":
            # A cut lies between two levels: name the last one below it, or the first one above for x < t.
            return str(self.levels[math.ceil(at)] if strict else self.levels[math.floor(at)])
        return number_text(shortest_between(at, below, above, strict))

    def cell_value(self, number: float) -> Any:
        """Return what the user would write for a number inside: a date or a duration where the column holds those."""
        if self.kind not in ("date", "duration") or not math.isfinite(number):
            return number
        try:
            span = dt.timedelta(microseconds=number)
            return _EPOCH + span if self.kind == "date" else span
        except OverflowError:
            return number

    def level_text(self, code: int) -> str:
        """Write a level; quoted unless it is plain words, so that it cannot be taken for a part of the sentence."""
        label = self.levels[code]
        if isinstance(label, dt.datetime) and label.time() == dt.time():
            return label.date().isoformat()
        text = str(label)
        if not isinstance(label, str):
            return text
        plain = all(word.replace("-", "").replace(".", "").replace("_", "").isalnum() for word in text.split(" "))
        return text if plain and not {"and", "or", "then", "missing"} & set(text.lower().split(" ")) else repr(label)

    def exact_text(self, at: float) -> str:
        """Write a threshold in full, so that the text compares as the model does."""
        if self.kind == "date":
            try:
                return (_EPOCH + dt.timedelta(microseconds=at)).isoformat(" ")
            except OverflowError:
                return number_text(at)
        return number_text(at) if self.kind == "number" else self.cut_text(at, at, at, strict=False)

    @staticmethod
    def _date_text(at: float, below: float, above: float, strict: bool) -> str:
        def inside(t: float) -> bool:
            return below < t <= above if strict else below <= t < above

        try:
            moment = _EPOCH + dt.timedelta(microseconds=at)
        except OverflowError:
            return number_text(at)
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        minute = moment.replace(second=0, microsecond=0)
        for rounded, text in ((day, day.date().isoformat()), (minute, minute.isoformat(" ", "minutes"))):
            if inside((rounded - _EPOCH) / dt.timedelta(microseconds=1)):
                return text
        return moment.isoformat(" ")


@dataclass(frozen=True, slots=True)
class TableSchema:
    """What rows must look like to be read by a model, and what happens where they do not.

    Attributes
    ----------
    columns : tuple of ColumnSchema
        The columns in table order.
    named : bool
        Whether training came as a frame: then frames must have the same columns in the same order.
    known : tuple of tuple of int
        Per column the codes of the levels a model knows; others are unseen, declared or not.
    unseen : {"missing", "error"}
        What happens to unseen levels.
    missing : str
        The model's policy for missing cells; "refuse" refuses them here too.
    """

    columns: tuple[ColumnSchema, ...]
    named: bool = False
    known: tuple[tuple[int, ...], ...] = ()
    unseen: str = "missing"
    missing: str = "learned"

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]


@dataclass(frozen=True, slots=True)
class TargetSchema:
    """The target: its classes in declared order, or None for numbers."""

    name: str
    classes: tuple[Any, ...] | None

    @property
    def nominal(self) -> bool:
        """Whether the target is a class."""
        return self.classes is not None
