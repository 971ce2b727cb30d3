"""A tree as a section: the schema of its table, its target, and the core's own columns but for those that follow from others.

Whatever column the core has is written: a column over the nodes as such; of a pool (``cut_*``, ``level_*``, ...) its columns
and, per node, how many of its entries the node has (``cut_count``). Pools without entries are left out; parents follow from
children.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import shown
from treewright.model import Tree
from treewright.model.gates import SoftThreshold
from treewright.model.leaves import SECTIONS, kind_of
from treewright.model.node_columns import pool_of, pools
from treewright.store.columns import array_form, array_of, node_column, node_form
from treewright.store.damage import Damage, entry, need, only
from treewright.store.gates import check, pack_sigmoids, unpack_sigmoids
from treewright.store.kinds import from_section, to_section
from treewright.store.lean import FACTS, follow, full, lean
from treewright.store.schemas import cut_limits, read_table, read_target, table_form, target_form
from treewright.store.sections import Section, section_form
from treewright.table import ColumnSchema, TableSchema, TargetSchema

# Entries of a section beside the schemas.
NODES = ("n_nodes", "columns", "gates", "sigmoids", "by_hand", *SECTIONS)
# What a person can have done at a node.
BY_HAND = ("split by hand", "cut by hand", "said by hand", "merged by hand", "forced")
_PER_COLUMN = ("column_kind", "column_levels", "column_seen")
# Node columns that came after the first version, with what they are where a file does not have them.
_LATER: dict[str, Any] = {}


def pack(tree: Tree) -> dict[str, Any]:
    """Return a tree as a section."""
    return {"table": table_form(tree.schema), "target": target_form(tree.target), **pack_nodes(tree)}


def pack_nodes(tree: Tree) -> dict[str, Any]:
    """Return the section of a tree without the schemas of its table and target."""
    return _nodes_form(tree, _columns_form(tree.state()))


def pack_member(tree: Tree) -> dict[str, Any]:
    """Return the same of one of many trees, without columns that follow from others."""
    state = tree.state()
    return _nodes_form(tree, lean(_columns_form(state), state))


def _nodes_form(tree: Tree, columns: dict[str, Any]) -> dict[str, Any]:
    soft = {id: gate for id, gate in tree.gates.items() if isinstance(gate, SoftThreshold)}  # others follow from the leaves
    return {
        "n_nodes": tree.n_nodes,
        "columns": columns,
        **section_form(tree.leaf_model.pack()),
        **({"gates": to_section("soft_thresholds", soft)} if soft else {}),
        **({"sigmoids": pack_sigmoids(tree.gates)} if tree.smooth else {}),
        **({"by_hand": {str(id): word for id, word in sorted(tree.by_hand.items())}} if tree.by_hand else {}),
    }


def unpack(section: dict[str, Any]) -> Tree:
    """Return the tree of a section after checking all of it."""
    only(section, "kind", "table", "target", *NODES)
    return unpack_nodes(section, read_table(entry(section, "table", dict)), read_target(entry(section, "target", dict)))


def unpack_nodes(section: dict[str, Any], schema: TableSchema, target: TargetSchema) -> Tree:
    """Return the tree of a section whose schemas were read, after checking all of it."""
    return _tree(section, _read_columns(entry(section, "columns", dict), entry(section, "n_nodes", int)), schema, target)


def unpack_member(section: dict[str, Any], schema: TableSchema, target: TargetSchema) -> Tree:
    """Return the same of a tree whose section has no columns that follow from others."""
    form = entry(section, "columns", dict)
    state = _read_columns(full(form), entry(section, "n_nodes", int), ("step", "cut_at", *FACTS))
    follow(form, state)
    return _tree(section, state, schema, target)


def _tree(section: dict[str, Any], state: dict[str, Any], schema: TableSchema, target: TargetSchema) -> Tree:
    state["n_classes"] = len(target.classes or ())
    try:
        core = _core.Tree.from_state(state)
    except ValueError as error:
        raise Damage(str(error).removeprefix("the tree is damaged: ")) from error
    _check_together(state, schema)
    rows = float(state["weight"][0]) / target.row_weight
    need(target, 1 - 1e-9 <= rows <= 2**53 or target.row_weight == 1, f"row_weight: the tree would be of {rows:g} rows")
    try:
        leaves = kind_of(section, target).unpack(Section(section), core, schema, target)
    except ValueError as error:
        raise Damage(str(error).removeprefix("the linear models are damaged: ")) from error
    tree = Tree(core, schema, target, leaves, by_hand=_by_hand(section, core.size))
    if "sigmoids" in section:
        need(
            tree,
            not leaves.computed and "gates" not in section,
            "sigmoids: its leaves mix what they compute, or it has other gates",
        )
        return tree.with_gates(unpack_sigmoids(entry(section, "sigmoids", dict), tree))
    need(tree, "mixed" not in section, "mixed: a tree without gates mixes nothing")
    if "gates" not in section:
        return tree
    need(tree, not leaves.computed, "gates: its leaves compute what they answer, and mix it themselves")
    found = from_section(section["gates"], "soft_thresholds")
    check(found, tree)
    return tree.with_gates(found)


def _by_hand(section: dict[str, Any], n_nodes: int) -> dict[int, str]:
    """What a person did, by node."""
    if "by_hand" not in section:
        return {}
    out = {}
    for name, word in entry(section, "by_hand", dict).items():
        number = int(name) if name.isascii() and name.isdigit() and len(name) < 11 else -1
        need(name, str(number) == name and number < n_nodes, f"by_hand: {shown(name)} is no node")
        need(word, word in BY_HAND, f"by_hand: {shown(word)} is unknown")
        out[number] = word
    return out


# -- columns ---------------------------------------------------------------------------------------------------------------


def _columns_form(state: dict[str, Any]) -> dict[str, Any]:
    leaf = state["n_children"] == 0
    known = pools(_core.Tree.columns())
    out: dict[str, Any] = {"first_child": state["first_child"]}
    for name in _core.Tree.columns():
        column, pool = state[name], pool_of(name, known)
        if name in ("parent", "first_child") or len(column) == 0:
            continue
        if name in _PER_COLUMN:
            out[name] = array_form(column)
        elif pool is None:
            out[name] = node_form(column, leaf)
        elif name == f"{pool}_begin":
            out[f"{pool}_count"] = node_form(np.diff(column), leaf)
        else:
            out[name] = array_form(column)
    return out


def _read_columns(form: dict[str, Any], n_nodes: int, may_follow: tuple[str, ...] = ()) -> dict[str, Any]:
    types = _core.Tree.columns()
    known = pools(types)
    only(form, *types.keys() - {"parent"} - {f"{pool}_begin" for pool in known}, *(f"{pool}_count" for pool in known))
    # Listed in full, so that no document speaks of more nodes than it has signs.
    first = array_of(form.get("first_child"), types["first_child"], "first_child")
    need(first, len(first) == n_nodes > 0, f"first_child: {len(first)} entries for {n_nodes} nodes")
    leaf = first == 0
    state: dict[str, Any] = {"first_child": first}
    for name, dtype in types.items():
        pool = pool_of(name, known)
        if name in ("first_child", "parent"):
            continue
        if name == f"{pool}_begin":
            state[name] = _read_begin(form, pool or "", types, leaf)
        elif pool is not None or name in _PER_COLUMN:
            state[name] = array_of(form.get(name, []), dtype, name)
        elif name in form or name in _LATER:
            state[name] = node_column(form.get(name, _LATER.get(name)), leaf, dtype, name)
        else:
            need(name, name in ("label", "value", *may_follow), f"it has no {name!r}")
            state[name] = np.empty(0, dtype)
    state["parent"] = _parents(first, state["n_children"])
    return state


def _read_begin(form: dict[str, Any], pool: str, types: dict[str, str], leaf: NDArray[np.bool_]) -> NDArray[Any]:
    """Offsets of a pool from the counts of its nodes."""
    dtype = types[f"{pool}_begin"]
    if f"{pool}_count" not in form:
        return np.empty(0, dtype)
    counts = node_column(form[f"{pool}_count"], leaf, dtype, f"{pool}_count")
    begin = np.zeros(len(counts) + 1, np.uint64)
    np.cumsum(counts, out=begin[1:])
    need(begin, int(begin[-1]) <= np.iinfo(dtype).max, f"{pool}_count: too many entries")
    return begin.astype(dtype)


def _parents(first: NDArray[np.uint32], count: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Parent of every node, from the children of all."""
    n = len(first)
    inner = np.flatnonzero(count)
    many, start = count[inner].astype(np.int64), first[inner].astype(np.int64)
    need(many, int(many.sum()) == n - 1, f"its splits have {int(many.sum())} children, there are {n} nodes")
    need(start, not len(start) or int((start + many).max()) <= n, "a child that is not there")
    parent = np.full(n, -1, np.int32)
    offset = np.arange(n - 1) - np.repeat(np.cumsum(many) - many, many)
    parent[np.repeat(start, many) + offset] = np.repeat(inner, many)
    return parent


def _check_together(state: dict[str, Any], schema: TableSchema) -> None:
    """Refuse a tree that does not fit its schema: the core knows only numeric and nominal columns."""
    columns = schema.columns
    need(columns, len(state["column_kind"]) == len(columns), "the tree has another number of columns than its table")
    for column, kind, levels in zip(columns, state["column_kind"].tolist(), state["column_levels"].tolist(), strict=True):
        fits = bool(kind) == column.nominal and levels == (len(column.levels) if column.nominal else 0)
        need(column, fits, f"column {shown(column.name)}: the levels of the tree are not those of the table")
    begin = state["cut_begin"]
    if len(begin):
        owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin).astype(np.int64))
        terms = np.diff(state["term_begin"]) if len(state["term_begin"]) else np.zeros(len(begin) - 1)
        plain = terms[owner] == 0  # a sum is of no column
        _check_cuts(state, columns, owner[plain], state["column"][owner[plain]], state["cut_at"][plain])
    begin = state["surrogate_begin"]
    if len(begin):
        owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin).astype(np.int64))
        cut = np.isfinite(state["surrogate_at"])
        _check_cuts(state, columns, owner[cut], state["surrogate_column"][cut], state["surrogate_at"][cut])


def _check_cuts(state: dict[str, Any], columns: tuple[ColumnSchema, ...], owner: Any, column: Any, cuts: Any) -> None:
    """Refuse cuts that cannot be spoken of in the terms of their columns."""
    limits = np.array([cut_limits(each) for each in columns])
    low, high = limits[column].T
    strict = state["strict"][owner] == 1
    at = np.where(strict, np.ceil(cuts), np.floor(cuts))
    outside = np.flatnonzero((at < low) | (at > high))
    if len(outside):
        node, name = int(owner[outside[0]]), columns[int(column[outside[0]])].name
        raise Damage(f"node {node}: {float(cuts[outside[0]])!r} is no value of column {shown(name)}")
