"""What a loader returns: one table with a target, and how it is built from plain columns.

Nothing heavy is imported until a data set is made; pandas is used if it is there, pyarrow otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class Dataset:
    """A table and its target.

    Attributes
    ----------
        name: The name `load` knows it by.
        X: The columns without the target: a pandas DataFrame, or a pyarrow Table where pandas is not installed.
        y: The target: a pandas Series, or a pyarrow array.
        target: The name of the target column.
        about: Where the rows come from, and which of them, if any, are made up.
    """

    name: str
    X: Any
    y: Any
    target: str
    about: str

    def frame(self) -> Any:
        """Return `X` with the target appended as the last column."""
        if hasattr(self.X, "append_column"):
            return self.X.append_column(self.target, self.y)
        return self.X.assign(**{self.target: self.y})


def make(
    name: str,
    columns: Mapping[str, Any],
    levels: Mapping[str, Sequence[str]],
    target: str,
    about: str,
) -> Dataset:
    """Build a `Dataset` from columns of plain values.

    A column named in `levels` is nominal with exactly these levels, in this order; `None` is a missing cell.
    """
    columns = dict(columns)
    goal = columns.pop(target)
    about = " ".join(about.split())
    if find_spec("pandas") is not None:
        import pandas as pd

        def typed(column: str, values: Any) -> Any:
            return pd.Categorical(values, categories=list(levels[column])) if column in levels else values

        X = pd.DataFrame({column: typed(column, values) for column, values in columns.items()})
        return Dataset(name, X, pd.Series(typed(target, goal), name=target), target, about)

    import pyarrow as pa

    def encoded(column: str, values: Any) -> Any:
        if column not in levels:
            return pa.array(values)
        code = {level: i for i, level in enumerate(levels[column])}
        codes = [None if value is None else code[value] for value in values]
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(list(levels[column])))

    X = pa.table({column: encoded(column, values) for column, values in columns.items()})
    return Dataset(name, X, encoded(target, goal), target, about)


def columns_of(header: str, rows: str) -> dict[str, list[str | None]]:
    """Read a small table written as text: one row per line, cells apart by blanks, `?` for a missing cell."""
    cells = [line.split() for line in rows.strip().splitlines()]
    names = header.split()
    return {column: [None if row[j] == "?" else row[j] for row in cells] for j, column in enumerate(names)}
