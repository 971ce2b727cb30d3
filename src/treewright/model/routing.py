"""Rows of a table on their way through a tree: as cells, and as the leaves they end in; each is read when it is first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.table import read_cells

if TYPE_CHECKING:
    from treewright.model.answers import Answers


class Routing:
    """Rows of a table that a tree is asked about."""

    def __init__(self, tree: Answers, X: Any, threads: int = 1) -> None:
        self.tree, self.X, self.threads = tree, X, threads

    @cached_property
    def cells(self) -> tuple[list[NDArray[Any]], int]:
        """The cells as the core reads them, and the number of rows."""
        return read_cells(self.X, self.tree.schema)

    @cached_property
    def routes(self) -> Any:
        """Leaf of every row; and, if missing cells went down several branches, offsets, leaves and shares, else None thrice."""
        tree = self.tree
        if type(self.X) is np.ndarray and tree._all_numbers:
            routes = tree._core.route_matrix(self.X, tree.missing == "refuse", self.threads)
            if routes is not None:
                return routes
        return tree._core.route(*self.cells, self.threads)
