"""The same tree, answering rows with missing cells another way than it was grown for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright import _core, parts
from treewright.model.splits import EVERY

if TYPE_CHECKING:
    from treewright.model.tree import Tree

ALL = ("fraction", "spread")
# At a node the most common value is in the branch that most rows take, and of a new row the class is not known.
ONE = ("majority", "ignore", "most_common", "most_common_in_class")


def with_missing(tree: Tree, policy: str) -> Tree:
    """Return the tree with other ways for missing cells; see :meth:`Tree.with_missing`."""
    parts.check_name("missing", policy, (*ALL, *ONE, "refuse"))
    if tree.missing in ("own", "surrogate"):
        raise ValueError(f"missing={tree.missing!r} is a part of how this tree was grown: fit with missing={policy!r} instead")
    if not tree.leaf_model.by_nodes:
        raise ValueError("only trees with one class or number per leaf can answer missing cells another way")
    if policy == tree.missing:
        return tree
    schema = replace(tree.schema, missing=policy)
    if policy == "refuse":
        return type(tree)(tree._core, schema, tree.target, tree.leaf_model.moved(tree._core, schema), tree.gates)
    nodes = tree.node_columns
    ways = np.array(nodes.missing_to, np.int32)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        first, count = int(nodes.first_child[node]), int(nodes.n_children[node])
        ways[node] = EVERY if policy in ALL else int(np.argmax(nodes.weight[first : first + count]))
    core = _core.Tree.from_state({**tree.state(), "missing_to": ways})
    return type(tree)(core, schema, tree.target, tree.leaf_model.moved(core, schema), tree.gates)
