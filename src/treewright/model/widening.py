"""Models of some columns of a table, as models of the whole table that never ask for the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright import _core
from treewright.model.flat import rules_of, state_of
from treewright.model.forest import Forest
from treewright.model.protocol import Model
from treewright.model.rules import RuleSet
from treewright.model.tree import Tree
from treewright.table import TableSchema

_COLUMNS = ("column", "surrogate_column", "term_column", "weighed_column")  # of the core's tree


def widened(model: Model, schema: TableSchema, columns: Sequence[int]) -> Model:
    """Return a model over a whole table of which it was learned from some columns, given by their positions."""
    place = np.array(columns, np.int64)
    if isinstance(model, Tree):
        return _tree(model, schema, place)
    if isinstance(model, Forest):
        members = tuple(widened(member, schema, columns) for member in model.members)
        return Forest(members, schema, model.target, model.weights, model.combine)
    assert isinstance(model, RuleSet)
    state = state_of(model.rules, model.otherwise, model.ordered, model.target)
    for name in ("column", "term_column"):
        if name in state:
            state[name] = place[state[name]].astype(state[name].dtype)
    rules, otherwise, ordered = rules_of(state, schema, model.target)
    return RuleSet(tuple(rules), schema, model.target, ordered, otherwise)


def _tree(tree: Tree, schema: TableSchema, place: Any) -> Tree:
    state = dict(tree.state())
    for name in _COLUMNS:
        held = state[name]
        state[name] = np.where(held.astype(np.int64) >= 0, place[held.astype(np.int64)], -1).astype(held.dtype)
    nominal = [column.nominal for column in schema.columns]
    levels = [len(column.levels) if column.nominal else 0 for column in schema.columns]
    seen = [np.isin(np.arange(n), schema.known[j]) for j, n in enumerate(levels)]
    state["column_kind"] = np.array(nominal, np.uint8)
    state["column_levels"] = np.array(levels, np.uint32)
    state["column_seen"] = np.concatenate([np.zeros(0, bool), *seen]).astype(np.uint8)
    core = _core.Tree.from_state(state)
    return Tree(core, schema, tree.target, tree.leaf_model.widened(core, schema, place), tree._gates)
