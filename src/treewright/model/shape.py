"""The shape of a tree: its nodes and leaves, the ways to them, and the steps in which it grew."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.branches import conditions_of
from treewright.model.condition import ByColumn, Condition, listed, with_condition
from treewright.model.node import Node
from treewright.model.node_columns import NodeColumns, NodeEntries
from treewright.model.splits import FAMILIES, Splits
from treewright.model.trace import Step, Trace
from treewright.table import ColumnSchema, TableSchema, TargetSchema

if TYPE_CHECKING:
    from treewright.model.leaves import LeafModel
    from treewright.model.tree import Tree


class Shape:
    """The nodes of a tree and how they hang together."""

    families: tuple[str, ...] = FAMILIES
    _core: _core.Tree
    schema: TableSchema
    target: TargetSchema
    leaf_model: LeafModel

    @property
    def columns(self) -> tuple[ColumnSchema, ...]:
        """The columns of the table the tree was grown from."""
        return self.schema.columns

    @property
    def missing(self) -> str:
        """The policy for missing cells."""
        return self.schema.missing

    def state(self) -> dict[str, Any]:
        """All columns of the core's tree by the names they have there and in model files; others read :attr:`node_columns`."""
        state: dict[str, Any] = self._core.state()
        return state

    @property
    def node_columns(self) -> NodeColumns:
        """The nodes as columns: parents and children, weights, what they predict; one entry per node."""
        return self.leaf_model.nodes

    @property
    def node_entries(self) -> NodeEntries:
        """The same columns, to be read one entry at a time."""
        return self.splits.entries

    @cached_property
    def splits(self) -> Splits:
        """Reads the tests of inner nodes: what is tested, how it is divided, where missing cells go."""
        return Splits(self.schema, self.node_columns)

    @cached_property
    def depths(self) -> NDArray[np.uint32]:
        """Number of splits above every node."""
        return np.asarray(self._core.depths())

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return int(self._core.size)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves, empty branches included."""
        return int(np.count_nonzero(self.node_columns.is_leaf))

    @property
    def n_splits(self) -> int:
        """Number of inner nodes."""
        return self.n_nodes - self.n_leaves

    @cached_property
    def depth(self) -> int:
        """Length of the longest path from the root."""
        return int(self.depths.max())

    @property
    def root(self) -> Node:
        """The node every row starts at."""
        return self._node(0)

    def node(self, id: int) -> Node:
        """Return the node of that number."""
        if not 0 <= id < self.n_nodes:
            raise IndexError(f"node {id} does not exist: the tree has nodes 0 to {self.n_nodes - 1}")
        return self._node(id)

    def nodes(self) -> Iterator[Node]:
        """All nodes; a parent comes before its children."""
        return (self._node(i) for i in range(self.n_nodes))

    def leaves(self) -> list[Node]:
        """All leaves, from the first branch to the last."""
        return [self._node(id) for id in self.leaf_model.ends]

    def paths(self) -> list[list[Node]]:
        """For every leaf the nodes from the root to it."""
        out = []
        for leaf in self.leaves():
            path = [leaf]
            while (up := path[-1].parent) is not None:
                path.append(up)
            out.append(path[::-1])
        return out

    def _walk(self) -> Iterator[tuple[Node, ByColumn, list[Condition]]]:
        """All nodes from the first branch to the last, each with the conditions that lead to it, and those of its branches."""
        splits, tree = self.splits.tuples(), cast("Tree", self)
        first, n_children = splits.entries.first_child, splits.entries.n_children
        open_: list[tuple[int, ByColumn]] = [(0, {})]
        while open_:
            id, path = open_.pop()
            conditions = conditions_of(tree, id, splits=splits) if n_children[id] else []
            yield self._node(id), path, conditions
            for branch in range(len(conditions) - 1, -1, -1):
                open_.append((first[id] + branch, with_condition(path, conditions[branch])))

    def trace(self) -> Trace:
        """The refinements in the order in which they were made: a greedy search, never taken back.

        Returns
        -------
        Trace
            A list of steps, which notebooks show as pictures; ``to_html("steps.html")`` writes them as a page.
        """
        entries, source = self.node_entries, self.splits.source
        splits = [(node, path, conditions) for node, path, conditions in self._walk() if conditions]
        steps: list[Step] = []
        leaves = 1
        for node, path, conditions in sorted(splits, key=lambda split: entries.step[split[0].id]):
            leaves += len(conditions) - 1
            column, family = source(node.id).column.name, self.families[entries.family[node.id]]
            into = tuple(condition.text() for condition in conditions)
            where = " and ".join(condition.text() for condition in listed(path)) or "all rows"
            number = entries.step[node.id]
            steps.append(Step(number, node.id, where, column, family, into, node.gain, len(conditions), leaves))
        return Trace(steps, cast("Tree", self))

    def seen_levels(self, column: int) -> tuple[int, ...]:
        """Codes of the levels of a column that the tree knows."""
        return self.schema.known[column]

    def _node(self, id: int) -> Node:
        return Node(cast("Tree", self), id)
