"""Leaves that predict a class by the weights of the classes of their training rows."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.few import DENSE, MANY, Few, dense
from treewright.model.leaves.base import AnswerForm, Floats, class_weights
from treewright.model.leaves.per_node import Entries, PerNode
from treewright.model.routing import Routing
from treewright.model.ties import capped, in_blocks, settled, winner
from treewright.table import TargetSchema
from treewright.table.target import class_array


class ClassShares(PerNode):
    """Classes by their weights in the nodes."""

    kind = "class_shares"
    by_nodes = True

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The classes as an array, in declared order."""
        return class_array(self.target.classes or ())

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """The class of every node."""
        predicted: NDArray[Any] = self.labels[self.nodes.label]
        return predicted

    def entries(self) -> Entries:
        """Class shares of every node, those of 0 left out."""
        nodes = self.nodes
        begin, ids, weights = nodes.class_begin, nodes.class_id, nodes.class_weight
        totals = np.add.reduceat(weights, begin[:-1].astype(np.int64))
        counts = np.diff(begin).astype(np.int64)
        data = weights / np.repeat(totals, counts)
        if self.schema.missing in ("fraction", "spread"):
            predicted = np.zeros(len(nodes))
            node = np.repeat(np.arange(len(nodes)), counts)
            own = ids == nodes.label[node]
            predicted[node[own]] = data[own]
            data = capped(data, predicted[node])
        return begin, ids, data

    def decisions(self) -> Entries:
        """A whole vote of every node for its class."""
        n = len(self.nodes)
        return np.arange(n + 1, dtype=np.uint32), self.nodes.label.astype(np.uint32), np.ones(n)

    @cached_property
    def table(self) -> Any:
        """Class shares of every node, nodes x classes: dense while that is small, sparse beyond."""
        from scipy.sparse import csr_matrix

        begin, ids, data = self._entries
        shape = (len(self.nodes), len(self.target.classes or ()))
        matrix = csr_matrix((data, ids.astype(np.int64), begin.astype(np.int64)), shape=shape)
        return matrix.toarray() if shape[0] * shape[1] <= DENSE else matrix

    def predict(self, rows: Routing) -> NDArray[Any]:
        """The class of every row."""
        routes = rows.routes()
        if routes[1] is None:
            return self.predictions.take(routes[0])
        return self.labels[self.codes(routes)]

    def codes(self, routes: Any) -> NDArray[np.int64]:
        """Positions of the classes that rows sent down these routes are given."""
        leaf, begin, leaves, shares = routes
        label = self.nodes.label[leaf]
        if begin is not None:
            several = np.flatnonzero(np.diff(begin) > 1)
            mixing = self.mixing(begin, leaves, shares)
            width = len(self.labels)
            label[several] = in_blocks(several, width, lambda rows: winner(dense(mixing[rows] @ self.table)))
        return np.asarray(label, np.int64)

    def shares(self, rows: Routing) -> Floats:
        """Class shares of every row."""
        return self.by_routes(rows.routes())

    def by_routes(self, routes: Any) -> Floats:
        """Class shares of the leaf of every row, or of the mixture of its leaves."""
        leaf, begin, leaves, shares = routes
        if begin is None:
            table = self.table
            return table.take(leaf, axis=0) if isinstance(table, np.ndarray) else np.asarray(table[leaf].toarray())
        out = dense(self.mixing(begin, leaves, shares) @ self.table)
        several = np.diff(begin) > 1
        out[several] = settled(out[several])
        return out

    def predict_mixed(self, n_rows: int, mixture: Callable[[NDArray[np.int64]], Floats]) -> NDArray[Any]:
        """The class of the largest share; of equal ones the class that was declared first."""
        return self.labels[in_blocks(np.arange(n_rows), len(self.labels), lambda rows: winner(mixture(rows)))]

    def mixed_shares(self, mixture: Floats) -> Floats:
        """The shares of a mixture, of which those that differ by rounding are equal."""
        return settled(mixture)

    def mixed_entry(self, id: int) -> Floats:
        """Share of every class at one node, in declared order."""
        row = self.table[id]
        return row if isinstance(row, np.ndarray) else dense(row).reshape(-1)

    def prediction(self, id: int) -> Any:
        """The class of a node."""
        assert self.target.classes is not None
        return self.target.classes[self.nodes.entries.label[id]]

    def value(self, id: int) -> dict[Any, float]:
        """The weight of each class that occurs in a node, in declared order."""
        return class_weights(self.nodes, self.target, id)

    def text(self, id: int) -> str:
        """The class."""
        return self._label_texts[self.nodes.entries.label[id]]

    @cached_property
    def _label_texts(self) -> list[str]:
        return list(map(str, self.target.classes or ()))

    def program(self, id: int) -> AnswerForm:
        """The class, and the shares of all."""
        label, classes = self.nodes.entries.label[id], len(self.labels)
        if classes <= MANY:
            return label, tuple(self.mixed_entry(id).tolist()), ()
        begin, ids, data = self._entries
        own = slice(int(begin[id]), int(begin[id + 1]))
        some = data[own] > 0
        return label, Few(classes, tuple(ids[own][some].tolist()), tuple(data[own][some].tolist())), ()

    @cached_property
    def _entries(self) -> Entries:
        return self.entries()

    @classmethod
    def reads(cls, names: Container[str], target: TargetSchema) -> bool:
        """Whether a tree predicts classes, and no other kind does so for it."""
        return target.classes is not None
