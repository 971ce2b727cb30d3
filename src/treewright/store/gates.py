"""Gates as sections: one entry per node in every column; of sigmoid gates the tests of their nodes say the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.model import Tree
from treewright.model.gates import Gate, SigmoidGate, SoftThreshold
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


def pack_sigmoids(gates: Mapping[int, Gate]) -> dict[str, Any]:
    """Return the sigmoid gates of a tree as a section: where they are, how steep, and what missing cells of a column count as."""
    each = [gate for _, gate in sorted(gates.items()) if isinstance(gate, SigmoidGate)]
    fill = [np.nan if one.fill is None else one.fill for one in each]
    return {
        "node": array_form(np.array([one.node for one in each], np.int64)),
        "slope": array_form(np.array([one.slope for one in each], np.float64)),
        "fill": array_form(np.array(fill, np.float64)),
    }


def unpack_sigmoids(section: dict[str, Any], tree: Tree) -> dict[int, Gate]:
    """Return the sigmoid gates of a section, on the tests of their tree."""
    only(section, "node", "slope", "fill")
    node = array_of(section.get("node"), np.int64, "node").tolist()
    slope, fill = (array_of(section.get(name), np.float64, name).tolist() for name in ("slope", "fill"))
    need(node, len(node) == len(slope) == len(fill) > 0, "gates: their columns differ in length, or there are none")
    need(node, len(set(node)) == len(node), "a node has two gates")
    out: dict[int, Gate] = {}
    for id, steep, filled in zip(node, slope, fill, strict=True):
        need(id, 0 <= id < tree.n_nodes, f"there is no node {id} with a gate")
        split = tree.node(id).split
        need(id, split is not None and split.family == "threshold", f"the gate of node {id} is not on a threshold")
        need(steep, 0 < steep < np.inf, f"the gate of node {id} has no slope above 0")
        need(filled, not np.isinf(filled), f"the gate of node {id} fills missing cells with infinity")
        source = tree.splits.source(id)
        plain = source.equation is None
        need(filled, plain or filled != filled, f"the gate of node {id} fills cells of a number that is derived")
        at = tree.splits.threshold(id)[0]
        out[id] = SigmoidGate(id, source.column.name, at, steep, None if filled != filled else filled)
    return out


def check(gates: Mapping[int, SoftThreshold], tree: Tree) -> None:
    """Refuse gates that are not on the tests of a tree."""
    for node, gate in gates.items():
        need(node, 0 <= node < tree.n_nodes, f"there is no node {node} with a soft threshold")
        split = tree.node(node).split
        fits = split is not None and split.family == "threshold" and (split.column, split.cuts[0]) == (gate.column, gate.cut)
        need(node, fits, f"the soft threshold of node {node} is not on its test")
