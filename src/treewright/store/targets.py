"""The training targets of leaves as a section."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.model.targets import LeafTargets
from treewright.store.columns import array_form, array_of
from treewright.store.damage import need, only


def pack(targets: LeafTargets) -> dict[str, Any]:
    """Return the targets as a section."""
    weight = {} if targets.weight is None else {"weight": array_form(targets.weight)}
    return {"begin": array_form(targets.begin), "value": array_form(targets.value), **weight}


def unpack(section: dict[str, Any]) -> LeafTargets:
    """Return the targets of a section after checking them."""
    only(section, "kind", "begin", "value", "weight")
    begin = array_of(section.get("begin"), np.int64, "begin")
    value = array_of(section.get("value"), np.float64, "value")
    need(value, bool(np.all(np.isfinite(value))), "value: a target is not finite")
    whole = len(begin) > 1 and begin[0] == 0 and begin[-1] == len(value) and bool(np.all(np.diff(begin) >= 0))
    need(begin, whole, "begin: offsets that do not fit the targets")
    if "weight" not in section:
        return LeafTargets(begin, value, None)
    weight = array_of(section["weight"], np.float64, "weight")
    need(weight, len(weight) == len(value) and bool(np.all(np.isfinite(weight) & (weight > 0))), "weight: not positive numbers")
    return LeafTargets(begin, value, weight)
