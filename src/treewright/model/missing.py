"""The same tree, answering rows with missing cells another way than it was grown for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright import _core, parts

if TYPE_CHECKING:
    from treewright.model.tree import Tree

_EVERY = -2  # a missing cell goes down every branch
ALL = ("fraction", "spread")
# At a node the most common value is in the branch that most rows take, and of a new row the class is not known.
ONE = ("majority", "ignore", "most_common", "most_common_in_class")


def with_missing(tree: Tree, policy: str) -> Tree:
    """Return the tree with other ways for missing cells; see :meth:`Tree.with_missing`."""
    parts.check_name("missing", policy, (*ALL, *ONE, "refuse"))
    if tree.missing in ("own", "surrogate"):
        raise ValueError(f"missing={tree.missing!r} is a part of how this tree was grown: fit with missing={policy!r} instead")
    if tree.models is not None or tree.vectors is not None:
        raise ValueError("only trees with one class or number a leaf can answer missing cells another way")
    if policy == tree.missing:
        return tree
    schema = replace(tree.schema, missing=policy)
    if policy == "refuse":
        return type(tree)(tree._core, schema, tree.target)
    state = dict(tree._state)
    ways = np.array(state["missing_to"], np.int32)
    for node in np.flatnonzero(state["n_children"]).tolist():
        first, count = int(state["first_child"][node]), int(state["n_children"][node])
        ways[node] = _EVERY if policy in ALL else int(np.argmax(state["weight"][first : first + count]))
    state["missing_to"] = ways
    return type(tree)(_core.Tree.from_state(state), schema, tree.target)
