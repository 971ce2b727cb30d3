"""How the cells of a column were written in the file a model was learned from, so that rows for the model are read alike."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

ORDERS = {"dmy": "day, month, year", "mdy": "month, day, year"}
_KEY = b"treewright.written"  # in the metadata of an Arrow field, which columns keep when a table is divided


@dataclass(frozen=True, slots=True)
class Written:
    """How the cells of a column were written, where that is not the plain way.

    Attributes
    ----------
    decimal : {".", ","}
        The sign before the decimals.
    thousands : bool
        Whether thousands were marked, as in 1.234,50.
    dates : {"dmy", "mdy"} or None
        Whether the day or the month comes first.
    missing : tuple of str or None
        The cells that stood for nothing, where they were named.
    """

    decimal: str = "."
    thousands: bool = False
    dates: str | None = None
    missing: tuple[str, ...] | None = None

    def form(self) -> dict[str, Any]:
        """What differs from the plain way, as JSON has it."""
        out = {field.name: getattr(self, field.name) for field in fields(self) if getattr(self, field.name) != field.default}
        return out | ({"missing": list(self.missing)} if self.missing is not None else {})


def read_written(form: Any) -> Written | None:
    """Return what a form says; None where it is no such form."""
    if not isinstance(form, dict) or not form or not form.keys() <= {field.name for field in fields(Written)}:
        return None
    missing = form.get("missing")
    if missing is not None and not (isinstance(missing, list) and all(isinstance(cell, str) for cell in missing)):
        return None
    decimal, thousands, dates = form.get("decimal", "."), form.get("thousands", False), form.get("dates")
    if decimal not in (".", ",") or not isinstance(thousands, bool) or dates not in (None, *ORDERS):
        return None
    return Written(decimal, thousands, dates, None if missing is None else tuple(missing))


def with_written(field: Any, written: Written | None) -> Any:
    """Return an Arrow field that knows how its cells were written."""
    form = written.form() if written is not None else {}
    others = {key: value for key, value in (field.metadata or {}).items() if key != _KEY}
    return field.with_metadata(others | ({_KEY: json.dumps(form).encode()} if form else {}))


def written_of(field: Any) -> Written | None:
    """How the cells of an Arrow field were written; None where nothing is known, or a file says what we never would."""
    try:
        return read_written(json.loads((field.metadata or {})[_KEY]))
    except (KeyError, ValueError, RecursionError):
        return None
