"""What a tree says of rows: leaves, classes, shares and numbers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.shape import Shape
from treewright.model.ties import in_blocks, settled, told, winner
from treewright.table import read_cells
from treewright.table.target import class_array


class Answers(Shape):
    """The answers of a tree."""

    @cached_property
    def _all_numbers(self) -> bool:
        return all(column.kind == "number" for column in self.columns)

    def _route(self, X: Any, threads: int = 1) -> Any:
        if type(X) is np.ndarray and self._all_numbers:
            routes = self._core.route_matrix(X, self.missing == "refuse", threads)
            if routes is not None:
                return routes
        arrays, n_rows = read_cells(X, self.schema)
        return self._core.route(arrays, n_rows, threads)

    def apply(self, X: Any, threads: int = 1) -> NDArray[np.int64]:
        """Leaf of every row; of several (missing cells followed down all branches) the one with the largest share."""
        leaf: NDArray[np.int64] = self._route(X, threads)[0]
        return leaf

    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row."""
        if self.models is not None:
            arrays, n_rows = read_cells(X, self.schema)
            if self.target.classes is None:
                return self.models.answers(arrays, n_rows, threads)
            models = self.models

            def best(rows: NDArray[np.int64]) -> NDArray[np.int64]:
                return np.argmax(models.answers([array[rows[0] : rows[-1] + 1] for array in arrays], len(rows), threads), axis=1)

            return self._labels[in_blocks(np.arange(n_rows), len(self.target.classes), best)]
        routes = self._route(X, threads)
        leaf, begin, leaves, shares = routes
        if begin is None:
            return self._said.take(leaf, axis=0)
        if self.target.classes is None:
            return self._mixed(begin, leaves, shares) @ self._said
        return self._labels[self.classes_said(routes)]

    def classes_said(self, routes: Any) -> NDArray[np.int64]:
        """Positions of the classes that rows sent down these routes are given."""
        leaf, begin, leaves, shares = routes
        label = self.node_columns.label[leaf]
        if begin is not None:
            several = np.flatnonzero(np.diff(begin) > 1)
            mixed = self._mixed(begin, leaves, shares)
            width = len(self.target.classes or ())
            label[several] = in_blocks(several, width, lambda rows: winner(_dense(mixed[rows] @ self._class_shares)))
        return np.asarray(label, np.int64)

    def predict_proba(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class, in declared order, per row."""
        if self.target.classes is None:
            raise ValueError("predict_proba needs classes, this tree predicts numbers")
        if self.models is not None:
            return self.models.answers(*read_cells(X, self.schema), threads)
        leaf, begin, leaves, shares = self._route(X, threads)
        if begin is not None:
            return self._mixed_shares(begin, leaves, shares)
        table = self._class_shares
        return table.take(leaf, axis=0) if isinstance(table, np.ndarray) else np.asarray(table[leaf].toarray())

    @cached_property
    def _said(self) -> NDArray[Any]:
        """What every node predicts."""
        if self.vectors is not None:
            return self.vectors
        said: NDArray[Any] = self.node_columns.value if self.target.classes is None else self._labels[self.node_columns.label]
        return said

    @cached_property
    def _labels(self) -> NDArray[Any]:
        return class_array(self.target.classes or ())

    @cached_property
    def _class_shares(self) -> Any:
        """Class shares of every node: dense while that is small, sparse beyond."""
        from scipy.sparse import csr_matrix

        nodes = self.node_columns
        begin, ids, weights = nodes.class_begin, nodes.class_id, nodes.class_weight
        totals = np.add.reduceat(weights, begin[:-1].astype(np.int64))
        counts = np.diff(begin).astype(np.int64)
        data = weights / np.repeat(totals, counts)
        if self.missing in ("fraction", "spread"):
            said = np.zeros(self.n_nodes)
            node = np.repeat(np.arange(self.n_nodes), counts)
            own = ids == nodes.label[node]
            said[node[own]] = data[own]
            data = told(data, said[node])
        shape = (self.n_nodes, len(self.target.classes or ()))
        matrix = csr_matrix((data, ids.astype(np.int64), begin.astype(np.int64)), shape=shape)
        return matrix.toarray() if shape[0] * shape[1] <= 20_000_000 else matrix

    def node_shares(self, id: int) -> NDArray[np.float64]:
        """Share of every class at one node, in declared order."""
        row = self._class_shares[id]
        return np.asarray(row.toarray() if hasattr(row, "toarray") else row).reshape(-1)

    def _mixed(self, begin: Any, leaves: Any, shares: Any) -> Any:
        from scipy.sparse import csr_matrix

        return csr_matrix((shares, leaves, begin), shape=(len(begin) - 1, self.n_nodes))

    def _mixed_shares(self, begin: Any, leaves: Any, shares: Any) -> NDArray[np.float64]:
        out = _dense(self._mixed(begin, leaves, shares) @ self._class_shares)
        several = np.diff(begin) > 1
        out[several] = settled(out[several])
        return out

    def decision_path(self, X: Any, threads: int = 1) -> Any:
        """Sparse indicator of the nodes each row passes (rows x nodes)."""
        from scipy.sparse import csr_matrix

        leaf, begin, leaves, _ = self._route(X, threads)
        if begin is None:
            begin, leaves = np.arange(len(leaf) + 1), leaf
        indptr, indices = self._core.paths(begin, leaves, threads)
        return csr_matrix((np.ones(len(indices), np.int64), indices, indptr), shape=(len(begin) - 1, self.n_nodes))


def _dense(shares: Any) -> NDArray[np.float64]:
    return np.asarray(shares.toarray() if hasattr(shares, "toarray") else shares)
