"""A column as it was found in a table, before it is matched to a schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown

Array = NDArray[Any]


@dataclass(slots=True)
class Raw:
    """A column as found: numbers (``levels`` is None), or codes into ``levels`` with -1 for missing.

    ``kind`` is number, bool, date, duration, text (levels as found), category (levels as declared) or ordered. ``whole``:
    the numbers were exact, whole or decimal, before they became floats. ``zone`` is the time zone of dates that name one.
    """

    name: str
    kind: str
    values: Array
    levels: list[Any] | None = None
    whole: bool = False
    zone: str | None = None

    def rows(self, keep: Array) -> Raw:
        """Return the column with only the rows where ``keep`` is true."""
        return replace(self, values=self.values[keep])

    @property
    def empty(self) -> bool:
        """Whether every cell is missing."""
        if self.levels is not None:
            return not np.any(self.values >= 0)
        return self.values.dtype.kind == "f" and bool(np.all(np.isnan(self.values)))


def is_missing(value: Any) -> bool:
    """Whether a Python object is a missing cell."""
    if value is None:
        return True
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and bool(value != value)


def refuse_half_characters(what: str, texts: Iterable[Any]) -> None:
    """Refuse text with a lone surrogate: it could be written to no file and no screen."""
    for text in texts:
        if isinstance(text, str) and not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise ValueError(
                    f"{what} {shown(text)}, which is not valid text (half of a surrogate pair): "
                    "replace it, such as by text.encode('utf-8', 'replace').decode()"
                ) from error
