"""A column of a file as a target, with its name and, where they are declared, its classes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.arrow import numbers_of
from treewright.table.written import Written


class TargetColumn:
    """An Arrow column without missing cells, as estimators take targets."""

    def __init__(self, name: str, column: Any, written: Written | None = None) -> None:
        import pyarrow as pa

        self.name, self.written = name, written
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        levels = None
        if pa.types.is_dictionary(whole.type):
            levels = whole.dictionary.to_pylist()
            whole = whole.cast(whole.type.value_type)
        self._values = whole
        self.dtype = SimpleNamespace(categories=levels)

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import pyarrow as pa

        if pa.types.is_string(self._values.type) or pa.types.is_large_string(self._values.type):
            # Every distinct text is one object, which rows share.
            coded = self._values.dictionary_encode()
            levels = np.empty(len(coded.dictionary), object)
            levels[:] = coded.dictionary.to_pylist()
            return levels[numbers_of(coded.indices)]
        numbers = numbers_of(self._values)
        return np.asarray(self._values.to_numpy(zero_copy_only=False) if numbers is None else numbers, dtype)

    @property
    def cells(self) -> Any:
        """The cells as an Arrow array."""
        return self._values

    def counts(self) -> dict[Any, int]:
        """Return how often every value occurs."""
        return {each["values"].as_py(): each["counts"].as_py() for each in self._values.value_counts()}

    def take(self, rows: Any) -> TargetColumn:
        """Return the target of some rows, with the same declared classes."""
        out = TargetColumn(self.name, self._values.take(rows), self.written)
        out.dtype = self.dtype
        return out
