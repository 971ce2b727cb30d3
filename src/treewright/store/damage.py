"""How readers of this room say that something is not as it must be; whoever opened the file says which file it was."""

from __future__ import annotations

from typing import Any

from treewright.errors import shown


class Damage(ValueError):
    """A part of a model file that is not as it must be."""


def need(value: Any, holds: bool, what: str) -> Any:
    """Return the value if the condition holds."""
    if not holds:
        raise Damage(what)
    return value


def take(value: Any, kind: type) -> Any:
    """Return the value if it is of exactly that type."""
    if type(value) is not kind:
        raise Damage(f"{shown(value)} is no {kind.__name__}")
    return value


def entry(section: dict[str, Any], name: str, kind: type) -> Any:
    """Return an entry of a section that must be there and be of that type."""
    if name not in section:
        raise Damage(f"it has no {name!r}")
    if type(section[name]) is not kind:
        raise Damage(f"{name}: {shown(section[name])} is no {kind.__name__}")
    return section[name]


def only(section: dict[str, Any], *names: str) -> None:
    """Refuse entries that are not known."""
    others = sorted(section.keys() - set(names))
    if others:
        raise Damage(f"it has {shown(others)}, which this version of treewright does not know")
