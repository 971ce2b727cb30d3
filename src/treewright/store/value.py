"""A single value, or an array, as a section."""

from __future__ import annotations

from typing import Any

from treewright.store.damage import need, only
from treewright.store.values import read, written


def pack(value: Any) -> dict[str, Any]:
    """Return a value as a section."""
    return {"value": written(value)}


def unpack(section: dict[str, Any]) -> Any:
    """Return the value of a section."""
    only(section, "kind", "value")
    return read(need(section, "value" in section, "it has no 'value'")["value"])
