"""Leaves whose predictions stand in their nodes: those of several leaves are mixed by the shares of a row that come to them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.leaves.base import Floats, LeafModel
from treewright.model.routing import Routing

# What nodes add to sums of a row: node i the entries from begin[i] to begin[i + 1] of which sum, and how much.
Entries = tuple[NDArray[np.uint32], NDArray[np.uint32], Floats]


class PerNode(LeafModel):
    """Predictions that stand in the nodes, one entry each."""

    def entries(self) -> Entries:
        """The numbers of every node, as entries of sums."""
        numbers = self.predictions.reshape(len(self.nodes), -1)
        width = numbers.shape[1]
        begin = np.arange(0, numbers.size + 1, width, dtype=np.uint32)
        return begin, np.tile(np.arange(width, dtype=np.uint32), len(self.nodes)), np.ascontiguousarray(numbers.ravel())

    def decisions(self) -> Entries:
        """What every node predicts, as entries of sums."""
        return self.entries()

    @property
    @abstractmethod
    def predictions(self) -> NDArray[Any]:
        """What every node predicts, by node."""

    def answers(self, arrays: list[NDArray[Any]], n_rows: int, threads: int = 1) -> Floats:
        """What rows are told, given by their cells: numbers, or shares of classes."""
        return self.by_routes(self._tree.route(arrays, n_rows, threads))

    def predict(self, rows: Routing) -> NDArray[Any]:
        """What is predicted of every row."""
        return self.by_routes(rows.routes())

    def by_routes(self, routes: Any) -> NDArray[Any]:
        """The prediction of the leaf of every row, of several leaves their mean by the shares of the row."""
        leaf, begin, leaves, shares = routes
        if begin is None:
            return self.predictions.take(leaf, axis=0)
        return np.asarray(self.mixing(begin, leaves, shares) @ self.predictions)

    def mixing(self, begin: Any, leaves: Any, shares: Any) -> Any:
        """The shares of rows at every node, sparse: rows x nodes."""
        from scipy.sparse import csr_matrix

        return csr_matrix((shares, leaves, begin), shape=(len(begin) - 1, len(self.nodes)))

    def _same(self, other: Any) -> bool:
        return bool(np.array_equal(self.predictions, other.predictions))
