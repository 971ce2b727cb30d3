"""A tree of two-way splits at thresholds as scikit-learn's parallel arrays, for code that walks these."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.model.answers import Answers
from treewright.model.leaves import ClassShares
from treewright.model.leaves.per_node import PerNode
from treewright.model.splits import EVERY, FAMILIES
from treewright.table.target import class_array

_LEAF, _NO_COLUMN = -1, -2  # what scikit-learn writes for a leaf
_THRESHOLD, _PRESENCE = FAMILIES.index("threshold"), FAMILIES.index("presence")


class ParallelArrays(Answers):
    """The nodes by the names that scikit-learn gives them: read-only, and only where they say all that a node does.

    A row goes left where its number is at most the threshold. Trees with other splits (by levels, of dates, with ``<``, into
    three branches, of several columns) have no such arrays: ``node(i)``, ``to_rules()`` and ``to_text()`` read every tree.
    """

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return self.n_nodes

    @property
    def max_depth(self) -> int:
        """Length of the longest path from the root."""
        return self.depth

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def n_outputs(self) -> int:
        """Number of numbers that are predicted; 1 for classes."""
        return len(self.leaf_model.outputs) or 1

    @cached_property
    def children_left(self) -> NDArray[np.int64]:
        """By node: the branch of numbers up to the threshold; -1 for a leaf."""
        return self._branch("children_left", 0)

    @cached_property
    def children_right(self) -> NDArray[np.int64]:
        """By node: the branch of numbers above the threshold; -1 for a leaf."""
        return self._branch("children_right", 1)

    @cached_property
    def feature(self) -> NDArray[np.int64]:
        """By node: position of the column that is compared; -2 for a leaf."""
        self._plain_splits("feature")
        nodes = self.node_columns
        return _fixed(np.where(nodes.is_leaf, _NO_COLUMN, np.asarray(nodes.column, np.int64)))

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """By node: what the number is compared with, infinity where any number goes left; -2 for a leaf."""
        self._plain_splits("threshold")
        nodes = self.node_columns
        out = np.full(len(nodes), float(_NO_COLUMN))
        family, inner = np.asarray(nodes.family), ~nodes.is_leaf
        out[inner & (family == _THRESHOLD)] = nodes.cut_at
        out[inner & (family == _PRESENCE)] = np.inf
        return _fixed(out)

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """By node: whether a row without the number goes left."""
        self._plain_splits("missing_go_to_left")
        nodes = self.node_columns
        inner, to = ~nodes.is_leaf, np.asarray(nodes.missing_to)
        if self.missing == "surrogate" or np.any(to[inner] == EVERY):
            self._none("missing_go_to_left", f"missing cells go another way (missing={self.missing!r})")
        return _fixed((inner & (to == 0)).astype(np.uint8))

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """By node: weight of its training rows with what their classes count; that of the root is the weight of the table."""
        return _fixed(self._counted)

    @cached_property
    def n_node_samples(self) -> NDArray[np.int64]:
        """By node: number of its training rows; weight 2 is the row twice."""
        weight = np.asarray(self.node_columns.weight)
        if self.target.row_weight != 1 or not np.array_equal(weight, np.rint(weight)):
            self._none("n_node_samples", "rows weigh parts of one: read weighted_n_node_samples")
        return _fixed(weight.astype(np.int64))

    @cached_property
    def impurity(self) -> NDArray[np.float64]:
        """By node: its impurity by the criterion."""
        nodes = self.node_columns
        return _fixed(np.asarray(nodes.impurity) * (np.asarray(nodes.weight) / self._counted))

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """By node: what it predicts, nodes x outputs x classes: shares in the order of ``classes_``, or numbers."""
        leaves = self.leaf_model
        if not isinstance(leaves, PerNode):
            self._none("value", "its leaves compute what they predict")
        if not isinstance(leaves, ClassShares):
            return _fixed(np.asarray(leaves.predictions, np.float64).reshape(self.n_nodes, self.n_outputs, 1))
        shares = np.zeros((self.n_nodes, len(self.target.classes or ())))
        _, classes, share = leaves.entries()
        shares[self.node_columns.owners("class"), classes] = share
        occur = np.flatnonzero(shares[0])
        labels = class_array(tuple((self.target.classes or ())[k] for k in occur.tolist()))
        return _fixed(shares[:, None, occur[np.argsort(labels, kind="stable")]])

    # -- where they exist --------------------------------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> NDArray[np.float64]:
        """Weight of every node with what its classes count."""
        nodes = self.node_columns
        if self.target.classes is None:
            return np.array(nodes.weight, np.float64)
        return np.add.reduceat(np.asarray(nodes.class_weight), np.asarray(nodes.class_begin, np.int64)[:-1])

    def _branch(self, name: str, branch: int) -> NDArray[np.int64]:
        self._plain_splits(name)
        nodes = self.node_columns
        return _fixed(np.where(nodes.is_leaf, _LEAF, np.asarray(nodes.first_child, np.int64) + branch))

    def _plain_splits(self, name: str) -> None:
        """Refuse a tree with a node that is not a number compared with a threshold."""
        nodes = self.node_columns
        inner = ~nodes.is_leaf
        column = np.asarray(nodes.column, np.int64)
        compared = np.array([c.kind in ("number", "bool") for c in self.columns])
        plain = (
            np.isin(nodes.family, (_THRESHOLD, _PRESENCE)) & (np.asarray(nodes.strict) == 0) & (np.asarray(nodes.n_children) == 2)
        )
        plain &= compared[np.maximum(column, 0)] & (nodes.n_terms == 0)
        if self.gates:
            self._none(name, "its thresholds are soft")
        if np.any(inner & ~plain):
            node = int(np.flatnonzero(inner & ~plain)[0])
            self._none(name, f"node {node} is not one number compared with a threshold by <=")

    def _none(self, name: str, why: str) -> NoReturn:
        raise AttributeError(f"this tree has no {name} as scikit-learn's trees do: {why}; node(i) and to_rules() read every tree")


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
