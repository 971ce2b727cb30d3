"""What the columns of a table hold, in a line each: kind, missing cells, levels and how often they occur, or the range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.errors import shown
from treewright.table.files.hints import level_hints, number_hint
from treewright.table.files.identifying import ROW_NUMBER, UNIQUE_VALUES, counts_rows, nearly_unique
from treewright.table.schema import number_text

MOST_LEVELS = 6  # written out
_CELL = 24  # characters of a level


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column as it will be read.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        number, category, ordered, bool, date, duration or nothing (every cell is missing).
    missing : int
        How many cells are missing.
    levels : dict
        The levels and how often they occur, in their order; empty for numbers and dates.
    low, high : object
        Least and greatest value of numbers and dates, else None.
    hints : tuple of str
        What the cells may have been meant to be, and the option for it; mostly empty.
    days : bool
        Whether all moments are days.
    """

    name: str
    kind: str
    missing: int
    levels: dict[Any, int]
    low: Any = None
    high: Any = None
    hints: tuple[str, ...] = ()
    days: bool = False

    @property
    def hint(self) -> str:
        """All hints as one text."""
        return "; ".join(self.hints)

    def text(self, room: int | None = None) -> str:
        """Describe what the column holds; with ``room``, in so many characters, with as many levels as fit."""
        if self.kind == "nothing":
            return "every cell is missing"
        missing = f"   {self.missing} missing" if self.missing else ""
        if self.low is not None:
            return f"{_value(self.low, self.days)} to {_value(self.high, self.days)}{missing}"
        whole = [f"{_cut(level)} {count}" for level, count in self.levels.items()] if len(self.levels) <= MOST_LEVELS else []
        text = " · ".join(whole)
        if whole and (room is None or len(text) + len(missing) <= room):
            return text + missing
        most = sorted(self.levels.items(), key=lambda entry: -entry[1])[: MOST_LEVELS - 2]
        while True:
            named = [f"{_cut(level)} {count}" for level, count in most]
            text = f"{len(self.levels)} levels: " + " · ".join([*named, "…"]) + missing
            if room is None or len(text) <= room or len(most) <= 1:
                return text
            most.pop()


def _cut(level: Any) -> str:
    text = str(level) if level != "" else "''"
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


def _value(value: Any, day: bool) -> str:
    if day:
        return str(value)[:10]
    return number_text(float(f"{value:.6g}")) if isinstance(value, float) else str(value)


def column_facts(name: str, column: Any) -> ColumnFacts:
    """Look at a column of an Arrow table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    missing = column.null_count
    if pa.types.is_floating(kind):
        nan = pc.is_nan(column)
        if pc.any(nan).as_py():
            missing += pc.sum(nan).as_py() or 0
            column = pc.if_else(nan, pa.scalar(None, kind), column)
    if missing == len(column):
        return ColumnFacts(name, "nothing", missing, {})
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind) or pa.types.is_boolean(kind):
        levels = _levels(column)
        return ColumnFacts(
            name, _level_kind(kind), missing, levels, hints=_hints(name, levels) if pa.types.is_string(kind) else ()
        )
    if pa.types.is_temporal(kind):
        word = "duration" if pa.types.is_duration(kind) or pa.types.is_time(kind) else "date"
    else:
        word = "number"
    ends = pc.min_max(column).as_py()
    low, high = ends["min"], ends["max"]
    advice = [number_hint(column, low, high)] if word == "number" else []
    if pa.types.is_integer(kind) and counts_rows(column):
        advice.append(f"{ROW_NUMBER}: --ignore {shown(name)} leaves it out")
    days = pa.types.is_timestamp(kind) and bool(pc.all(pc.equal(column, pc.floor_temporal(column, unit="day"))).as_py())
    return ColumnFacts(name, word, missing, {}, low, high, tuple(filter(None, advice)), days)


def _hints(name: str, levels: dict[Any, int]) -> tuple[str, ...]:
    advice = level_hints(levels)
    if not advice and nearly_unique(len(levels), sum(levels.values())):
        advice = [f"{UNIQUE_VALUES}, so it cannot help predict new rows: --ignore {shown(name)} leaves it out"]
    return tuple(advice)


def _level_kind(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return "bool"
    return "ordered" if pa.types.is_dictionary(kind) and kind.ordered else "category"


def _levels(column: Any) -> dict[Any, int]:
    """Levels with their counts: in declared order if they are declared, else sorted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    declared = None
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries()
        declared = whole.chunk(0).dictionary.to_pylist() if whole.num_chunks else []
        column = column.cast(column.type.value_type)
    counts = {entry["values"]: entry["counts"] for entry in pc.value_counts(column).to_pylist() if entry["values"] is not None}
    order = sorted(counts, key=lambda level: (str(type(level)), level)) if declared is None else declared
    return {level: counts.get(level, 0) for level in order}


def table_facts(table: Any) -> list[ColumnFacts]:
    """Look at every column of an Arrow table."""
    return [column_facts(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
