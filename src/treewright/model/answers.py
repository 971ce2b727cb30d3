"""What a tree answers of rows: leaves, classes, shares and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.model.gates import Gate, SigmoidGate, gated_mixture
from treewright.model.routing import Cells, Routing
from treewright.model.rules import by_column
from treewright.model.shape import Shape
from treewright.table.sparse import in_blocks

if TYPE_CHECKING:
    from treewright.model.tree import Tree


class Answers(Shape):
    """The answers of a tree."""

    _gates: Mapping[int, Gate] | None

    @cached_property
    def gates(self) -> Mapping[int, Gate]:
        """By node, thresholds near which a row goes down both branches, in shares."""
        return self.leaf_model.gates() if self._gates is None else self._gates

    @cached_property
    def _all_numbers(self) -> bool:
        return all(column.kind == "number" for column in self.columns)

    @cached_property
    def divides(self) -> bool:
        """Whether gates divide rows among leaves that are then mixed; computed leaves mix what they compute themselves."""
        return bool(self.gates) and not self.leaf_model.computed

    @cached_property
    def smooth(self) -> bool:
        """Whether gates change along the logistic function, so that every row goes several ways."""
        return any(isinstance(gate, SigmoidGate) for gate in self.gates.values())

    @in_blocks
    def apply(self, X: Any, threads: int = 1) -> NDArray[np.int64]:
        """Leaf of every row; of several (missing cells followed down all branches) the one with the largest share."""
        leaf: NDArray[np.int64] = Routing(self, X, threads).routes()[0]
        return leaf

    @in_blocks
    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row."""
        return self._predicted(Routing(self, X, threads))

    def _predicted(self, rows: Routing) -> NDArray[Any]:
        if not self.divides:
            return self.leaf_model.predict(rows)
        arrays, n_rows = rows.cells()
        cells = by_column(arrays)
        return self.leaf_model.predict_mixed(n_rows, lambda some: self.mixture(cells, some))

    @in_blocks
    def predict_proba(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class, in declared order, per row."""
        return self._shares(Routing(self, X, threads))

    def predict_cells(self, cells: Cells, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row, given by its cells as the core reads them."""
        return self._predicted(Routing(self, None, threads, cells))

    def shares_of_cells(self, cells: Cells, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class of every row, given by its cells."""
        return self._shares(Routing(self, None, threads, cells))

    def _shares(self, rows: Routing) -> NDArray[np.float64]:
        if not self.divides or self.target.classes is None:
            return self.leaf_model.shares(rows)
        arrays, n_rows = rows.cells()
        return self.leaf_model.mixed_shares(self.mixture(by_column(arrays), np.arange(n_rows)))

    def mixture(self, cells: list[NDArray[Any]], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """What leaves say of rows that gates divide among them, mixed by their shares: class shares, or numbers.

        ``cells`` holds an array per column, ``rows`` which of the rows.
        """
        return gated_mixture(cast("Tree", self), cells, rows, 0, self.gates, self.leaf_model.mixed_entry)

    @in_blocks
    def decision_path(self, X: Any, threads: int = 1) -> Any:
        """Sparse indicator of the nodes each row passes (rows x nodes)."""
        from scipy.sparse import csr_matrix

        leaf, begin, leaves, _ = Routing(self, X, threads).routes()
        if begin is None:
            begin, leaves = np.arange(len(leaf) + 1), leaf
        indptr, indices = self._core.paths(begin, leaves, threads)
        return csr_matrix((np.ones(len(indices), np.int64), indices, indptr), shape=(len(begin) - 1, self.n_nodes))
