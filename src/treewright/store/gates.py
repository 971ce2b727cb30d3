"""Soft thresholds as a section: one entry per node in every column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.model import Tree
from treewright.model.gates import SoftThreshold
from treewright.store.columns import array_form, array_of
from treewright.store.damage import entry, need, only
from treewright.store.values import read, written

_NUMBERS = ("lower", "cut", "upper")


def pack(soft: Mapping[int, SoftThreshold]) -> dict[str, Any]:
    """Return soft thresholds as a section."""
    each = [soft[node] for node in sorted(soft)]
    numbers = {name: array_form(np.array([getattr(one, name) for one in each], np.float64)) for name in _NUMBERS}
    return {"node": np.array([one.node for one in each], np.int64), "column": [written(one.column) for one in each], **numbers}


def unpack(section: dict[str, Any]) -> dict[int, SoftThreshold]:
    """Return the soft thresholds of a section."""
    only(section, "kind", "node", "column", *_NUMBERS)
    node = array_of(section.get("node"), np.int64, "node").tolist()
    column = [read(name) for name in entry(section, "column", list)]
    numbers = [array_of(section.get(name), np.float64, name) for name in _NUMBERS]
    need(node, {len(node), len(column), *map(len, numbers)} == {len(node)}, "its columns differ in length")
    need(node, len(set(node)) == len(node), "a node has two soft thresholds")
    lower, cut, upper = numbers
    need(numbers, bool(np.all((lower <= cut) & (cut <= upper) & np.isfinite(cut))), "a threshold lies outside its bounds")
    with np.errstate(over="ignore"):
        reached = np.isfinite(cut - lower) & np.isfinite(upper - cut)
    need(numbers, bool(np.all(reached)), "the bounds of a threshold lie further away than numbers reach")
    rows = zip(node, column, lower.tolist(), cut.tolist(), upper.tolist(), strict=True)
    return {each[0]: SoftThreshold(*each) for each in rows}


def check(gates: Mapping[int, SoftThreshold], tree: Tree) -> None:
    """Refuse gates that are not on the tests of a tree."""
    for node, gate in gates.items():
        need(node, 0 <= node < tree.n_nodes, f"there is no node {node} with a soft threshold")
        split = tree.node(node).split
        fits = split is not None and split.family == "threshold" and (split.column, split.cuts[0]) == (gate.column, gate.cut)
        need(node, fits, f"the soft threshold of node {node} is not on its test")
