"""A tree of two-way splits, however its nodes are numbered, as one of ours: renumbered, checked by the core, with a schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFormatError, shown
from treewright.model import Tree
from treewright.model.leaves import Vectors
from treewright.model.node_columns import core_tree, offsets
from treewright.table import ColumnSchema, TableSchema, TargetSchema

Array = NDArray[Any]
_THRESHOLD, _SUBSET, _PRESENCE = (Tree.families.index(name) for name in ("threshold", "subset", "presence"))
NOWHERE = -1


@dataclass
class Binary:
    """Columns over the nodes as another library numbers them.

    ``left`` and ``right`` are -1 for leaves. Splits test ``column`` by ``cut`` (``x < cut`` if strict) or, where ``levels`` names
    them by node, by levels: those listed go left. ``missing_left`` says where missing cells go; a presence split sends all known
    cells left. ``shares`` are the class weights of the nodes, else ``value`` is what they say, or the mean of the ``vectors``.
    """

    left: Array
    right: Array
    column: Array
    cut: Array
    below: Array
    above: Array
    missing_left: Array
    weight: Array
    impurity: Array
    gain: Array
    value: Array | None = None
    shares: Array | None = None
    vectors: Array | None = None
    strict: bool = False
    presence: Array | None = None
    levels: dict[int, list[int]] | None = None


def adopt(nodes: Binary, columns: Sequence[ColumnSchema], named: bool, target: TargetSchema, origin: str) -> Tree:
    """Return the tree; what does not hold together is a ModelFormatError of that origin."""
    order, first = _numbered(nodes.left, nodes.right, origin)
    place = {node: i for i, node in enumerate(order.tolist())}
    levels = {place[node]: codes for node, codes in (nodes.levels or {}).items() if node in place}
    inner = nodes.left[order] >= 0
    column = np.where(inner, nodes.column[order], -1)
    nominal = np.isin(np.arange(len(order)), list(levels))
    presence = np.zeros(len(order), bool) if nodes.presence is None else nodes.presence[order] & inner
    family = np.select([~inner, nominal, presence], [0, _SUBSET, _PRESENCE], _THRESHOLD)
    cuts = family == _THRESHOLD
    missing_to = np.where(presence, 1, np.where(nodes.missing_left[order].astype(bool), 0, 1))
    state: dict[str, Any] = {
        "n_classes": len(target.classes or ()),
        "column_kind": np.array([each.nominal for each in columns], np.uint8),
        "column_levels": np.array([len(each.levels) if each.nominal else 0 for each in columns], np.uint32),
        "column_seen": np.ones(sum(len(each.levels) for each in columns if each.nominal), np.uint8),
        "parent": _parents(first, inner),
        "first_child": first,
        "n_children": np.where(inner, 2, 0),
        "family": family,
        "strict": cuts & nodes.strict,
        "column": column,
        "otherwise": np.where(nominal, 1, NOWHERE),
        "missing_to": np.where(inner, missing_to, NOWHERE),
        "missing_seen": np.zeros(len(order)),
        "step": np.where(inner, np.cumsum(inner) - 1, -1),
        "weight": nodes.weight[order],
        "impurity": np.maximum(nodes.impurity[order], 0),
        "gain": np.where(inner, np.maximum(nodes.gain[order], 0), 0),
        "cut_begin": offsets(cuts),
        "cut_at": nodes.cut[order][cuts],
        "cut_below": nodes.below[order][cuts],
        "cut_above": nodes.above[order][cuts],
    }
    if nodes.shares is not None:
        weights = nodes.shares[order]
        state["label"] = np.argmax(weights, axis=1)
        _, state["class_id"] = np.nonzero(weights > 0)
        state["class_weight"], state["class_begin"] = weights[weights > 0], offsets(np.sum(weights > 0, axis=1))
    elif nodes.value is not None:
        state["value"] = nodes.value[order]
    if levels:
        counts = np.zeros(len(order), np.int64)
        for node, codes in levels.items():
            counts[node] = len(codes)
        state["level"] = np.concatenate([np.array(sorted(levels[node]), np.int64) for node in sorted(levels)])
        state["level_branch"], state["level_begin"] = np.zeros(len(state["level"])), offsets(counts)
    try:
        core = core_tree(state)
    except (ValueError, OverflowError) as error:
        raise ModelFormatError(str(error), origin) from error
    seen = tuple(tuple(range(len(each.levels) if each.nominal else 0)) for each in columns)
    schema = TableSchema(tuple(columns), named, seen, "missing", "learned")
    if nodes.vectors is None:
        return Tree(core, schema, target)
    vectors = np.ascontiguousarray(nodes.vectors[order], np.float64)
    return Tree(core, schema, target, Vectors(core, schema, target, vectors))


def _numbered(left: Array, right: Array, origin: str) -> tuple[Array, Array]:
    """Nodes in our order, parents first and children side by side; and where the children of each begin."""
    n = len(left)
    order, first, at = [0], [0] * n, 0
    lefts, rights = left.tolist(), right.tolist()
    while at < len(order):
        node = order[at]
        if lefts[node] >= 0:
            first[at] = len(order)
            order += [lefts[node], rights[node]]
            if len(order) > n or not (0 < lefts[node] < n and 0 < rights[node] < n):
                raise ModelFormatError(f"node {node} has children that are not there", origin)
        at += 1
    return np.array(order), np.array(first[: len(order)])


def _parents(first: Array, inner: Array) -> Array:
    parent = np.full(len(first), -1)
    splits = np.flatnonzero(inner)
    parent[first[splits]] = splits
    parent[first[splits] + 1] = splits
    return parent


def number_columns(names: Sequence[Any]) -> list[ColumnSchema]:
    """Return columns of numbers with these names, which must differ."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise ValueError(f"column names must be unique; these are {shown(texts)}")
    return [ColumnSchema(name, "number") for name in texts]


def chosen(trees: int, tree: int | None, what: str) -> int:
    """Return which tree of several was asked for."""
    if tree is None and trees == 1:
        return 0
    if type(tree) is not int or not 0 <= tree < trees:
        raise ValueError(f"{what} has {trees} trees, tree={shown(tree)} is none of them; give one from 0 to {trees - 1}")
    return tree
