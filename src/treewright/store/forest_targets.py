"""The training targets of the leaves of a forest as a section: those of one tree after the other."""

from __future__ import annotations

from typing import Any

from treewright.model.forest_targets import ForestTargets
from treewright.store import targets
from treewright.store.damage import entry, only, take


def pack(value: ForestTargets) -> dict[str, Any]:
    """Return the targets as a section."""
    return {"members": [targets.pack(each) for each in value.members]}


def unpack(section: dict[str, Any]) -> ForestTargets:
    """Return the targets of a section after checking them."""
    only(section, "kind", "members")
    return ForestTargets(tuple(targets.unpack(take(each, dict)) for each in entry(section, "members", list)))
