"""Rows of a table on their way through a tree: as cells, and as the leaves they end in; a kind of leaf reads the one it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.table import read_cells
from treewright.table.sparse import dense_arrays

if TYPE_CHECKING:
    from treewright.model.answers import Answers


Cells = tuple[list[NDArray[Any]], int]


class Routing:
    """Rows of a table that a tree is asked about; ``read`` are its cells where they were read already."""

    __slots__ = ("X", "read", "threads", "tree")

    def __init__(self, tree: Answers, X: Any, threads: int = 1, read: Cells | None = None) -> None:
        self.tree = tree
        self.X = X
        self.threads = threads
        self.read = read

    def cells(self) -> Cells:
        """The cells as the core reads them, and the number of rows."""
        if self.read is None:
            return read_cells(self.X, self.tree.schema)
        arrays, n_rows = self.read
        return dense_arrays(arrays), n_rows

    def routes(self) -> Any:
        """Leaf of every row; and, if missing cells went down several branches, offsets, leaves and shares, else None thrice."""
        tree = self.tree
        if type(self.X) is np.ndarray and tree._all_numbers:
            routes = tree._core.route_matrix(self.X, tree.schema.missing == "refuse", self.threads)
            if routes is not None:
                return routes
        return tree._core.route(*self.cells(), self.threads)
