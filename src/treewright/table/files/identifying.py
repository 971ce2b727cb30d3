"""Columns that tell nothing of new rows: row numbers, names, copies of the target, and what never varies."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from treewright.table.arrow import numbers_of

MANY, UNIQUE = 20, 0.9  # from how many present cells on, and from which share of them, different levels are called nearly unique
SAME_VALUE = "every cell is the same"
NO_VALUE = "every cell is missing"
ROW_NUMBER = "looks like a row number"
UNIQUE_VALUES = "almost every value is unique"
COPY = "a copy of the target"
# Names of identifiers: id, customer_id, customerId, order no.
_IDENTIFIER = re.compile(r"(?:^|[\W_])(?:id|ids|key|uuid|guid|nr|no|number|index|unnamed: 0)\.?$|[a-z](?:Id|ID|No|Nr)$")


def identifying(X: Any, y: Any) -> dict[str, str]:
    """The columns of an Arrow table that tell nothing of new rows, with the reason; ``y`` is the target as an Arrow column."""
    target = _Target(y)
    found = {name: _reason(name, column, target) for name, column in zip(X.column_names, X.columns, strict=True)}
    return {name: reason for name, reason in found.items() if reason}


def counts_rows(column: Any) -> bool:
    """Whether whole numbers count the rows, in any order."""
    import pyarrow.compute as pc

    if len(column) < MANY or column.null_count:
        return False
    ends = pc.min_max(column).as_py()
    return ends["max"] - ends["min"] == len(column) - 1 and pc.count_distinct(column).as_py() == len(column)


def nearly_unique(levels: int, present: int) -> bool:
    """Whether so many different levels among so many cells are nearly one each."""
    return present >= MANY and levels >= UNIQUE * present


def _reason(name: str, column: Any, target: _Target) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_, kind = pa.types, column.type
    if is_.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if is_.is_floating(kind) and pc.any(pc.is_nan(column)).as_py():
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    missing = column.null_count
    if missing == len(column):
        return NO_VALUE
    if not missing and len(column) > 1 and _constant(column):
        return SAME_VALUE
    if is_.is_integer(kind):
        if counts_rows(column):
            return ROW_NUMBER
        levels = pc.count_distinct(column).as_py()
        if not missing and levels == len(column) >= MANY and _IDENTIFIER.search(name):
            return UNIQUE_VALUES
    elif is_.is_string(kind) or is_.is_large_string(kind):
        if nearly_unique(pc.count_distinct(column).as_py(), len(column) - missing):
            return UNIQUE_VALUES
        column = _tidy(column)
        levels = pc.count_distinct(column).as_py()
    elif is_.is_boolean(kind):
        levels = 2
    elif is_.is_floating(kind) or is_.is_decimal(kind):
        levels = 0  # compared with targets that are numbers only
    else:
        return ""
    return COPY if target.is_in(column, levels) else ""


def _constant(column: Any) -> bool:
    import pyarrow.compute as pc

    first = column[0]
    return pc.all(pc.equal(column, first)).as_py() is True


class _Target:
    """The answers, compared with columns: the same classes under other names, or the same numbers in another unit."""

    def __init__(self, y: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        self.y = _tidy(y.cast(y.type.value_type) if pa.types.is_dictionary(y.type) else y)
        kind = self.y.type
        self.numeric = bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
        self.levels = 0 if pa.types.is_floating(kind) else pc.count_distinct(self.y).as_py()

    def is_in(self, column: Any, levels: int) -> bool:
        """Whether a column says in every row what the target says."""
        import pyarrow as pa

        if len(column) < MANY:
            return False
        number = not (
            pa.types.is_string(column.type) or pa.types.is_large_string(column.type) or pa.types.is_boolean(column.type)
        )
        if self.numeric and number and (self.levels == 0 or self.levels > 2):
            return self._in_another_unit(column)
        return bool(levels == self.levels > 1) and self._renamed(column)

    def _renamed(self, column: Any) -> bool:
        """Whether every level of the column stands beside one class, and every class beside one level."""
        codes = [_codes(each) for each in (column, self.y)]
        present = (codes[0] >= 0) & (codes[1] >= 0)
        if 2 * int(present.sum()) < len(present):
            return False
        pairs = np.unique(codes[0][present] * (self.levels + 1) + codes[1][present])
        return len(pairs) == self.levels

    def _in_another_unit(self, column: Any) -> bool:
        a, b = (_numbers(each) for each in (column, self.y))
        present = np.isfinite(a) & np.isfinite(b)
        if int(present.sum()) < max(MANY, len(a) // 2):
            return False
        a, b = a[present], b[present]
        a, b = a - a.mean(), b - b.mean()
        scale = np.abs(a).max() or 1.0, np.abs(b).max() or 1.0
        a, b = a / scale[0], b / scale[1]
        across = float(a @ b)
        return across != 0.0 and across * across >= (1 - 1e-12) * float(a @ a) * float(b @ b)


def _tidy(column: Any) -> Any:
    """Text without differences of case and blanks; other columns as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return pc.utf8_lower(pc.utf8_trim_whitespace(column)) if text else column


def _codes(column: Any) -> Any:
    """The levels of an Arrow column as whole numbers; -1 where the cell is missing."""
    import pyarrow.compute as pc

    pieces = [numbers_of(chunk.indices, -1) for chunk in pc.dictionary_encode(column).chunks]  # of one dictionary
    return np.concatenate([piece for piece in pieces if piece is not None]).astype(np.int64)


def _numbers(column: Any) -> Any:
    import pyarrow as pa

    return numbers_of(column.cast(pa.float64()))
